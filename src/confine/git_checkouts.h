// The repositories of a workspace, as the user's own git will see them afterwards: it enters what
// the index of one leads to, and obeys the settings and hooks of each.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "confine/git_named.h"
#include "confine/seen_file.h"
#include "confine/wanted.h"

namespace husk::confine {

// A file or directory that git reads and Husk cannot: an index, or where repositories are kept.
struct Unread {
    SeenFile file;
    std::string why;
};

// A checkout is told by its .git, which may be a directory, a file or a link.
struct GitSurvey {
    std::vector<std::filesystem::path> names;      // to be protected, there or not
    std::vector<std::filesystem::path> entered;    // that an index leads to, and that are there
    std::vector<std::filesystem::path> worktrees;  // in the workspace, of its repository
    std::vector<std::filesystem::path> trusted;    // likewise, with settings that run programs
    std::vector<std::filesystem::path> git_dirs;   // of all that git enters
    std::vector<std::filesystem::path> modules;    // of submodules, initialised or not
    std::vector<Unread> unread;                    // it may lead to anything
    std::vector<std::filesystem::path> bare;       // .git of roots that have none
    // While these are the same, nothing else has come. Empty where it takes more to know that.
    std::vector<SeenFile> seen;
    std::shared_ptr<const GlobalSettings> global;  // as they were then
};

GitSurvey survey_git(const Wanted& wanted);

// A checkout in which git would run what somebody else has written, or a file that may lead to one.
enum class Risk { Repository, Unread };
struct RiskyCheckout {
    std::filesystem::path git;
    std::string cause;
    bool entered = true;  // by git itself, or in the place of what is the user's
    Risk risk = Risk::Repository;
};

// What a command has made of them: those that were not as risky before. `before` is known to be the
// user's.
std::vector<RiskyCheckout> risky_checkouts(const Wanted& wanted, const GitSurvey& before);

}  // namespace husk::confine
