// A case of everyday work, as tests/everyday/*.txt has it. README.md explains the format.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace husk::everyday {

enum class User { Root, Ordinary };
enum class Output { AsWritten, Sorted, Ignored };

struct Case {
    std::string name;  // of the file and the case: git_push_u
    std::string setup;
    std::string run;
    std::string workspace = "project";  // relative to HOME
    std::vector<std::string> needs;     // Debian packages beyond those of ./dev
    std::vector<std::string> npm;       // packages of npm
    std::vector<std::string> settings;  // more words for `husk run`
    std::vector<std::string> unstable;  // patterns of files of which only the names are compared
    std::vector<std::string> ignored;   // patterns of files that are not compared
    std::vector<std::string> refused;   // denials that are true although the script goes on
    std::vector<std::string> also;      // paths in HOME that are compared beside the workspace
    Output output = Output::AsWritten;
    bool by_root = true;
    bool by_user = true;
    bool slow = false;
    bool fails = false;  // bare, too

    // `./dev test` runs it: it needs no tool beyond those of the other tests.
    bool is_fast() const { return !slow && needs.empty() && npm.empty(); }
    bool is_for(User user) const { return user == User::Root ? by_root : by_user; }
};

// One block of a file: a line `KEYWORD NAME`, lines `key: words`, and lines `key:` that are
// followed by text, which is indented by four spaces. Cases and differences are written like this.
struct Block {
    std::string where;  // FILE:LINE, for messages
    std::string name;
    std::map<std::string, std::string> values;

    // Ends the program with a message that names the line.
    [[noreturn]] void give_up(const std::string& why) const;
    std::vector<std::string> words(const std::string& key) const;
    std::string text(const std::string& key) const;
    // Ends the program if a key is none of these.
    void allow_only(const std::vector<std::string>& keys) const;
};

std::vector<Block> read_blocks(const std::filesystem::path& file, const std::string& keyword);

// All cases of the folder. A case that cannot be understood ends the program.
std::vector<Case> read_cases(const std::filesystem::path& folder);

}  // namespace husk::everyday
