// A conversation with the tools of one contract, each call by a process of its own.
#pragma once

#include "harness.h"

namespace husk::test {

using Json = nlohmann::json;

class Conversation {
public:
    explicit Conversation(std::string contract, std::vector<std::string> options = {})
        : contract_(std::move(contract)), options_(std::move(options)) {
        std::filesystem::create_directories(work_);
        std::filesystem::create_directories(husk_.dir() / "config/husk");
    }

    std::vector<std::string> args(const std::string& tool, const std::string& arguments) const {
        std::vector<std::string> all = {"call", "--contract", contract_, "--cwd", work_};
        all.insert(all.end(), options_.begin(), options_.end());
        all.insert(all.end(), {tool, arguments});
        return all;
    }
    Json call(const std::string& tool, const Json& arguments) const {
        return raw(tool, arguments.dump());
    }
    Json raw(const std::string& tool, const std::string& arguments) const {
        const Ran ran = husk_(args(tool, arguments));
        EXPECT_EQ(ran.code, 0) << ran.err;
        return ran.json();
    }
    // With programs of that name first on PATH that only leave a mark, and a home that nobody
    // misses.
    Json call_among_stand_ins(const std::string& names, const std::string& tool,
                              const Json& arguments) const {
        const std::filesystem::path bin = husk_.dir() / "bin";
        std::filesystem::create_directories(bin);
        for (const std::string& name : words(names)) {
            write_text(bin / name, "#!/bin/sh\necho " + name + " was run >> " + mark() + "\n");
            std::filesystem::permissions(bin / name, std::filesystem::perms::owner_all);
        }
        std::vector<std::string> command = {"env", "PATH=" + bin.string() + ":" + path(),
                                            "HOME=" + (husk_.dir() / "home").string()};
        for (std::string& word : husk_.argv(args(tool, arguments.dump())))
            command.push_back(std::move(word));
        return run_program(command).json();
    }
    std::string mark() const { return husk_.dir() / "mark"; }

    // A configuration of the user's.
    void configure(const std::string& yaml) const {
        write_text(husk_.dir() / "config/husk/husk.yaml", yaml);
    }
    void move_to(const std::string& directory) { work_ = directory; }

    const Husk& husk() const { return husk_; }
    const std::string& work() const { return work_; }

private:
    static std::vector<std::string> words(const std::string& text) {
        std::vector<std::string> all;
        for (size_t at = 0; at < text.size();) {
            const size_t end = std::min(text.find(' ', at), text.size());
            all.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        return all;
    }
    static std::string path() {
        const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
        return path == nullptr ? "/usr/bin:/bin" : path;
    }

    Husk husk_;
    std::string contract_;
    std::vector<std::string> options_;
    std::string work_ = husk_.dir() / "work";
};

inline std::string text_of(const Json& result) { return result["content"][0]["text"]; }
inline bool is_error(const Json& result) { return result["isError"].get<bool>(); }

// What stands between two texts.
inline std::string between(const std::string& text, const std::string& from,
                           const std::string& to) {
    const size_t at = text.find(from);
    if (at == std::string::npos) return "";
    const size_t begin = at + from.size();
    return text.substr(begin, text.find(to, begin) - begin);
}

}  // namespace husk::test
