// What a way to make the user's own git run something consists of, and what its scripts can say.
#pragma once

#include <ostream>
#include <vector>

namespace husk::test {

struct Plant {
    const char* name;
    const char* prepare;                // by the user, in the workspace
    std::vector<const char*> commands;  // a call each
    const char* outside = "git status";
    const char* reverted = "";  // one of these names, from the workspace on; "": nothing could be
};

inline std::ostream& operator<<(std::ostream& out, const Plant& plant) { return out << plant.name; }

// What scripts can say. `trap_in DIR`: git, once it takes its settings from DIR, makes the file
// $TRAP. `free DIR`: it may belong to any checkout.
inline constexpr const char* words =
    "trap_in() { git config -f $1/config core.fsmonitor \"touch $TRAP; false\"; }\n"
    "free() { git config -f $1/config --unset core.worktree; }\n"
    "hook_in() { mkdir -p $1/hooks; printf '#!/bin/sh\\ntouch %s\\n' $TRAP > $1/hooks/"
    "post-index-change; chmod +x $1/hooks/post-index-change; }\n"
    "receive_in() { printf '#!/bin/sh\\ntouch %s\\n' $TRAP > $1/hooks/post-receive; chmod +x "
    "$1/hooks/post-receive; }\n"
    "gitlink() { git -C $1 update-index --add --cacheinfo 160000,$(git -C $1/$2 rev-parse HEAD),"
    "$2; }\n"
    "repository() { git init -q $1 && git -C $1 commit -q --allow-empty -m one; }\n";

inline constexpr const char* git_settings =
    "[user]\n\tname = Somebody\n\temail = s@example.org\n[init]\n\tdefaultBranch = main\n";

inline constexpr const char* one_repository =
    "repository .; echo x > file; git add file; git commit -qm x";
inline constexpr const char* one_submodule =
    "repository lib; repository .; git -c protocol.file.allow=always submodule --quiet add "
    "$PWD/lib sub; git commit -qm sub";
// As it is after a clone without --recurse-submodules.
inline constexpr const char* empty_submodule =
    "repository lib; repository .; git -c protocol.file.allow=always submodule --quiet add "
    "$PWD/lib sub; git commit -qm sub; git submodule --quiet deinit -f sub; rm -rf .git/modules";
inline constexpr const char* one_worktree = "repository .; git worktree add -q tree";

}  // namespace husk::test
