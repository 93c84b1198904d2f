// The repositories of a workspace, as the user's own git will see them afterwards: it enters what
// the index of one leads to, and obeys the settings and hooks of each.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "confine/git_index.h"
#include "confine/git_settings.h"
#include "confine/names.h"
#include "confine/wanted.h"

namespace husk::confine {

struct Checkout {
    enum Kind {
        Root,      // of a root of the session
        Bare,      // a root of the session that is a directory of git itself
        Entered,   // an index leads to it
        Remote,    // settings name it: `git push` runs its hooks
        Module,    // the directory of a submodule in .git/modules, initialised or not
        Worktree,  // in a root
        Unread,    // an index or a directory that Husk cannot read and that may lead to any other
    };
    Kind kind = Root;
    std::filesystem::path git;  // its .git (a directory, a file or a link), or the directory of git
    std::vector<std::filesystem::path> hooks = {};  // directories in roots that settings name
    // How git would come to run a program there; empty: it would not. For what is unread: why.
    std::string risk = {};
    SeenFile seen = {};   // of what is unread
    bool must_go = true;  // if it has become risky: git enters it by itself
};

// An index as it was read, for the next survey: it can be large.
struct ReadIndex {
    SeenFile file;
    size_t hash_size;
    std::shared_ptr<const GitIndex> index;
};

struct GitSurvey {
    std::vector<Checkout> checkouts;
    std::vector<std::filesystem::path> trusted;  // directories of git and of hooks that are held
    std::vector<ReadIndex> indexes;
    // Directories in .git/worktrees whose checkout is not there for anybody outside of the session.
    std::vector<std::filesystem::path> without_checkout;
    // Files in roots with settings, or directories of hooks, that nobody can read: git may be told
    // there to run a program that is not protected.
    std::vector<Unreadable> unreadable;
};

// Adds the names that git trusts to the walk. Of `earlier`, if there is one, only the indexes are
// used.
GitSurvey survey_git(const Wanted& wanted, NameWalk& walk, const GitSurvey* earlier);

// A checkout in which git would run what somebody else has written, or a file that may lead to one.
struct RiskyCheckout {
    std::filesystem::path git;
    std::string cause;
    bool must_go = true;  // git enters it by itself, or it is in the place of the user's own
    bool is_unread = false;
    bool was_harmless = false;  // before; it was protected from then on
};

// The checkouts that have become risky since `before`, when everything was the user's.
std::vector<RiskyCheckout> risky_checkouts(const GitSurvey& now, const GitSurvey& before);

}  // namespace husk::confine
