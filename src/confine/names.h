// Protected names, looked at through descriptors of the directories that they are in. No link is
// followed on the way to a name.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "confine/seen_file.h"

namespace husk::confine {

enum class State {
    Absent,   // nothing may come there
    Present,  // held by a mount
    Unknown,  // the name cannot be seen, so it counts as absent and as present
    Link,     // no mount can hold a link: it has to stay, and its target is protected as well
    Foreign,  // in a directory of another user, where a command can neither see nor make anything
    Pinned,   // what a path leaves by `..`: it stays where it is, and may be written
};

struct Name {
    State state = State::Absent;
    SeenFile seen;
    std::string target = {};       // of a link
    bool is_git_settings = false;  // the session's mason checks what git writes there
    bool is_gitlink = false;       // a submodule that runs nothing may be checked out there
};

// By path: a directory comes before the names in it.
using Names = std::map<std::string, Name, std::less<>>;

// Adds what is not there yet. A name that is only pinned makes way for one that is protected.
void merge(Names& names, Names more);

class NameWalk {
public:
    explicit NameWalk(const std::vector<std::filesystem::path>& roots) : roots_(roots) {}

    // Looks at the name. Where links are on the path, they are added, and the name that they lead
    // to if that is in a root.
    void add(const std::filesystem::path& path);
    // The mason may put new settings of git at this name, if it was added.
    void set_git_settings(const std::filesystem::path& path);
    // A submodule may be checked out at this name, if it was added.
    void set_gitlink(const std::filesystem::path& path);
    // Adds every link in a root that a reader of the path goes through, and every directory in a
    // root that the path leaves by `..`: a command could replace any of them. Returns the path
    // without links.
    std::filesystem::path add_links(const std::filesystem::path& path);
    // Notes that the survey depends on what a reader of this path gets.
    void depend_on(const std::filesystem::path& path);
    // Notes that the survey depends on more than the files that were noted.
    void depend_on_more() { is_provable_ = false; }

    const std::vector<std::filesystem::path>& roots() const { return roots_; }
    // If none of these files changed, a new walk finds the same. Empty: that is not known.
    std::set<SeenFile> proof() const;
    Names take() && { return std::move(names_); }

private:
    Name look(const std::string& path, const std::string& root);
    void add_behind_links(const std::filesystem::path& path);
    void pin(const std::filesystem::path& path, const std::filesystem::path& root);
    std::vector<std::filesystem::path> roots_;
    std::set<SeenFile> depends_on_;
    Names names_;
    bool is_provable_ = true;
    bool is_behind_links_ = false;  // the name that is looked at was said to have none on its path
};

// The path up to the first link in a root, or to the first directory in a root that the path leaves
// by `..`, and behind it as it was written: commands can replace that link or directory. The links
// before it are resolved. Without any of these, the path without links.
std::filesystem::path resolved_up_to_roots(const std::filesystem::path& path,
                                           const std::vector<std::filesystem::path>& roots);

}  // namespace husk::confine
