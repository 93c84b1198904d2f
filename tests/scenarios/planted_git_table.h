// Ways to make the user's own git run something, each as it was tried.
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

inline const Plant plants[] = {
    {"ACommonDirectory",
     one_repository,
     {"cp -r .git evil; trap_in evil; echo ../evil > .git/commondir"},
     "git status",
     ".git/commondir"},
    {"ACommonDirectoryByALink",
     one_repository,
     {"cp -r .git evil; trap_in evil; echo ../evil > there; ln -s ../there .git/commondir"},
     "git status",
     ".git/commondir"},
    {"ACommonDirectoryOfASubmodule",
     one_submodule,
     {"cp -r .git/modules/sub evil; trap_in evil; echo $PWD/evil > .git/modules/sub/commondir"},
     "git status",
     ".git/modules/sub/commondir"},
    {"AnotherRepositoryOfASubmodule",
     one_submodule,
     {"cp -r .git/modules/sub evil; free evil; trap_in evil; echo 'gitdir: ../evil' > sub/.git"}},
    {"AnotherRepositoryOfASubmoduleThatIsMovedThere",
     one_submodule,
     {"cp -r .git/modules/sub evil; free evil; trap_in evil; mv sub old; mkdir sub; mv evil "
      "sub/.git"}},
    {"ASubmoduleWhoseRepositoryLooksLikeNone",
     one_submodule,
     {"mv .git/modules/sub/HEAD head", "trap_in .git/modules/sub; mv head .git/modules/sub/HEAD"}},
    {"AManyOfRepositoriesAroundOne",
     one_submodule,
     {"mkdir .git/modules/a{1..300}; touch .git/modules/a{1..300}/HEAD",
      "trap_in .git/modules/sub"}},
    {"ARepositoryThatTheIndexLeadsTo",
     one_repository,
     {"repository sub; trap_in sub/.git; gitlink . sub"},
     "git status",
     "sub/.git"},
    {"ARepositoryThatTheIndexLeadsToWithAHook",
     one_repository,
     {"repository sub; touch sub/x; git -C sub add x; hook_in sub/.git; gitlink . sub"},
     "touch sub/x; git status",
     "sub/.git"},
    {"ARepositoryThatTheIndexLeadsToSincePreparedBefore",
     one_repository,
     {"repository first; trap_in first/.git", "mv first sub; gitlink . sub"},
     "git status",
     "sub/.git"},
    {"ARepositoryInAFileThatTheIndexLeadsTo",
     one_repository,
     {"repository sub; trap_in sub/.git; gitlink . sub; mv sub/.git evil; echo 'gitdir: ../evil' "
      "> sub/.git"},
     "git status",
     "sub/.git"},
    {"ARepositoryBehindALinkThatTheIndexLeadsTo",
     one_repository,
     {"repository sub; trap_in sub/.git; gitlink . sub; mv sub/.git evil; ln -s ../evil sub/.git"},
     "git status",
     "sub/.git"},
    {"ARepositoryThatAnIndexInPiecesLeadsTo",
     one_repository,
     {"repository sub; trap_in sub/.git; gitlink . sub; git update-index --split-index; echo y > y;"
      "git add y"},
     "git status",
     "sub/.git"},
    {"ARepositoryThatAnIndexOfVersion4LeadsTo",
     one_repository,
     {"repository sub; trap_in sub/.git; for i in a b sua; do echo $i > $i; git add $i; done;"
      "gitlink . sub; git update-index --index-version 4"},
     "git status",
     "sub/.git"},
    {"ARepositoryThatASubmoduleLeadsTo",
     one_submodule,
     {"repository sub/deep; trap_in sub/deep/.git; gitlink sub deep"},
     "git status",
     "sub/deep/.git"},
    {"ARepositoryInAModuleOfItsOwn",
     one_repository,
     {"repository sub; gitlink . sub; mkdir .git/modules; mv sub/.git .git/modules/sub; trap_in "
      ".git/modules/sub; echo 'gitdir: ../.git/modules/sub' > sub/.git"},
     "git status",
     "sub/.git"},
    {"ARepositoryInAModuleThatWasMadeBefore",
     one_repository,
     {"repository sub; mkdir .git/modules; mv sub/.git .git/modules/sub; trap_in .git/modules/sub",
      "echo 'gitdir: ../.git/modules/sub' > sub/.git; gitlink . sub"},
     "git status",
     ".git/modules/sub"},
    {"ASubmoduleThatIsNotThereYet",
     empty_submodule,
     {"repository sub; trap_in sub/.git"},
     "git status",
     "sub/.git"},
    {"ARepositoryThatALeftOverLeadsTo",
     one_repository,
     {"repository sub; trap_in sub/.git; git update-index --add --cacheinfo "
      "160000,$(git rev-parse HEAD),sub; sleep 0.1 & wait"},
     "git status; git diff; git submodule status",
     "sub/.git"},
    {"AnotherRepositoryOfAWorktree",
     one_worktree,
     {"cp -r .git evil; trap_in evil; echo 'gitdir: ../evil' > tree/.git"},
     "git -C tree status",
     "tree/.git"},
    {"ACommonDirectoryOfAWorktree",
     one_worktree,
     {"cp -r .git evil; trap_in evil; echo $PWD/evil > .git/worktrees/tree/commondir"},
     "git -C tree status",
     "tree/.git"},
    {"ACommonDirectoryOfAWorktreeElsewhere",
     "repository .; git worktree add -q ../outside/tree",
     {"cp -r .git evil; trap_in evil; echo $PWD/evil > .git/worktrees/tree/commondir"},
     "git -C ../outside/tree status"},
    {"SettingsOfAWorktree",
     "repository .; git config extensions.worktreeConfig true; git worktree add -q tree",
     {"git config -f .git/worktrees/tree/config.worktree core.fsmonitor \"touch $TRAP; false\""},
     "git -C tree status",
     "tree/.git"},
    {"SettingsOfAWorktreeElsewhere",
     "repository .; git config extensions.worktreeConfig true; git worktree add -q ../outside/tree",
     {"git config -f .git/worktrees/tree/config.worktree core.fsmonitor \"touch $TRAP; false\""},
     "git -C ../outside/tree status",
     ".git/worktrees/tree/config.worktree"},
    {"HooksInTheWorkspace",
     "repository .; git config core.hooksPath .husky/_; mkdir -p .husky/_; printf "
     "'#!/bin/sh\\n. .husky/pre-commit\\n' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit;"
     "echo true > .husky/pre-commit",
     {"echo \"touch $TRAP\" > .husky/pre-commit"},
     "git commit --allow-empty -m x"},
    {"AHookThatIsALinkIntoTheWorkspace",
     "repository .; mkdir tools; printf '#!/bin/sh\\n' > tools/check; chmod +x tools/check; ln -s "
     "../../tools/check .git/hooks/pre-commit",
     {"echo \"touch $TRAP\" >> tools/check"},
     "git commit --allow-empty -m x"},
    {"AHookThatIsALinkBesideManyRepositories",
     "repository .; mkdir tools; printf '#!/bin/sh\\n' > tools/check; chmod +x tools/check; ln -s "
     "../../tools/check .git/hooks/pre-commit; mkdir -p .git/modules/d{1..5001}",
     {"echo \"touch $TRAP\" >> tools/check"},
     "git commit --allow-empty -m x"},
    {"HooksBehindADirectoryThatIsClosedForAWhile",
     "repository .; git config core.hooksPath tools",
     {"chmod 0 .git", "chmod 755 .git; hook_in .; mv hooks tools"},
     "git status; git add other",
     "tools"},
    {"HooksInTheDirectoryOfGit",
     "repository .; git config core.hooksPath tools",
     {"mkdir .git/tools; printf '#!/bin/sh\\ntouch %s\\n' $TRAP > "
      ".git/tools/reference-transaction; "
      "chmod +x .git/tools/*"},
     "git -C .git update-ref refs/heads/x HEAD",
     ".git/tools"},
    {"HooksOfHuskyWithASlashAtTheEnd",
     "repository .; git config core.hooksPath web/.husky/_/; mkdir -p web/.husky/_; printf "
     "'#!/bin/sh\\n. web/.husky/pre-commit\\n' > web/.husky/_/pre-commit; chmod +x "
     "web/.husky/_/pre-commit",
     {"echo \"touch $TRAP\" > web/.husky/pre-commit"},
     "git commit --allow-empty -m x"},
    {"ARepositoryByTheDirectoryOfWhoeverLooks",
     one_repository,
     {"repository sub; gitlink . sub; cp -r sub/.git r; mv sub/.git sub/r; trap_in sub/r; echo "
      "'gitdir: /proc/self/cwd/r' > sub/.git"},
     "git status",
     "sub/.git"},
    {"ACommonDirectoryByTheDirectoryOfWhoeverLooks",
     one_repository,
     {"repository sub; gitlink . sub; cp -r sub/.git r; cp -r sub/.git sub/r; trap_in sub/r; echo "
      "/proc/self/cwd/r > sub/.git/commondir"},
     "git status",
     "sub/.git"},
    {"SettingsByTheDirectoryOfWhoeverLooks",
     one_repository,
     {"repository sub; gitlink . sub; mv sub/.git/config c; cp c sub/c; git config -f sub/c "
      "core.fsmonitor \"touch $TRAP; false\"; ln -s /proc/self/cwd/c sub/.git/config"},
     "git status",
     "sub/.git"},
    {"ARepositoryBehindALink",
     one_submodule,
     {"repository real/sub; mkdir d; git update-index --add --cacheinfo 160000,$(git -C real/sub "
      "rev-parse HEAD),d/sub; rmdir d; ln -s real d; trap_in real/sub/.git; sed -i 's#path = "
      "sub#path = d/sub#' .gitmodules; git add .gitmodules"},
     "git grep --recurse-submodules x",
     "real/sub/.git"},
    {"ARelativeWorktree",
     "repository .; git worktree add -q tree; echo ../../../tree/.git > "
     ".git/worktrees/tree/gitdir; "
     "echo 'gitdir: ../.git/worktrees/tree' > tree/.git",
     {"repository evil; trap_in evil/.git; echo 'gitdir: ../evil/.git' > tree/.git"},
     "git -C tree status",
     "tree/.git"},
    {"ARemoteOfTheOldKind",
     one_repository,
     {"git init -q --bare evil.git; printf '#!/bin/sh\\ntouch %s\\n' $TRAP > "
      "evil.git/hooks/post-receive; chmod +x evil.git/hooks/post-receive; mkdir .git/remotes; echo "
      "'URL: ./evil.git' > .git/remotes/origin"},
     "git push origin main",
     ".git/remotes"},
    {"ARepositoryInsideOfTheUsers",
     "repository ..",
     {"git init -q; trap_in .git"},
     "git status; rm -rf ../.git",
     ".git"},
    {"SettingsInTheWorkspace",
     "repository .; git config include.path ../.gitconfig; touch .gitconfig",
     {"git config -f .gitconfig core.fsmonitor \"touch $TRAP; false\""}},
    {"SettingsInTheWorkspaceThatAreNotThereYet",
     "repository .; git config include.path ../.gitconfig",
     {"git config -f .gitconfig core.fsmonitor \"touch $TRAP; false\""},
     "git status",
     ".gitconfig"},
    {"TheWorkspaceIsAWorktree",
     "repository ../outside/tree; git -C ../outside/tree worktree add -q $PWD/../outside/w; rm -rf "
     "* ; mv ../outside/w/.git .; echo $PWD/.git > ../outside/tree/.git/worktrees/w/gitdir",
     {"repository evil; trap_in evil/.git; rm .git; echo 'gitdir: evil/.git' > .git"}},
    {"AttributesBehindALink",
     "repository .; echo x > file; git add file; git commit -qm x; git config filter.evil.clean "
     "\"touch $TRAP; cat\"",
     {"mv .git/info .git/old; mkdir inf; echo '* filter=evil' > inf/attributes; ln -s ../inf "
      ".git/info"},
     "echo y > file; git diff",
     ".git/info"},
    {"ARepositoryBehindALongName",
     one_repository,
     {"repository sub; trap_in sub/.git; git update-index --add --cacheinfo 100644,$(git rev-parse "
      "HEAD:file),$(printf 'a/%.0s' {1..2500})x; gitlink . sub"},
     "git status",
     "sub/.git"},
    {"ARepositoryInALargeIndex",
     one_repository,
     {"repository sub; trap_in sub/.git; gitlink . sub; python3 -c 'import os; f = "
      "open(\".git/index\", \"r+b\"); size = 600 << 20; f.seek(-20, 2); end = f.tell(); "
      "f.write(b\"HUGE\" + size.to_bytes(4, \"big\")); f.truncate(end + 8 + size + 20)'"},
     "git status",
     "sub/.git"},
    {"ARepositoryBesideAWordInTheSettings",
     "repository .; git config remote.origin.url https://example.org/sha256.git",
     {"repository sub; trap_in sub/.git; gitlink . sub"},
     "git status",
     "sub/.git"},
    {"ARepositoryAmongThousands",
     one_repository,
     {"repository zub; trap_in zub/.git; c=$(git rev-parse HEAD); for i in {1..5000}; do echo "
      "\"160000 $c 0\tm$i\"; done | git update-index --index-info; gitlink "
      ". zub"},
     "git status",
     ".git/index"},
    {"ARepositoryInAnIndexThatNobodyElseWrites",
     one_repository,
     {"repository sub; trap_in sub/.git; gitlink . sub; python3 -c 'f = open(\".git/index\", "
      "\"ab\"); f.write(bytes(7))'"},
     "git status",
     ".git/index"},
    {"AHookThatCannotBeListed",
     one_repository,
     {"repository sub; touch sub/x; git -C sub add x; hook_in sub/.git; chmod 111 sub/.git/hooks; "
      "gitlink . sub"},
     "touch sub/x; git status; chmod 755 sub/.git/hooks",
     "sub/.git"},
    {"AModuleForASubmoduleThatIsNotThereYet",
     empty_submodule,
     {"mkdir -p .git/modules; cp -r lib/.git .git/modules/sub; trap_in .git/modules/sub"},
     "git -c protocol.file.allow=always submodule update --init; git status",
     ".git/modules/sub"},
    {"ARepositoryThatIsFilledLater",
     one_repository,
     {"repository sub; gitlink . sub; trap_in sub/.git; mv sub/.git kept; echo 'gitdir: ../later' "
      "> "
      "sub/.git",
      "mv kept later"},
     "git status",
     "sub/.git"},
    {"ARepositoryBehindALinkThatIsFilledLater",
     one_repository,
     {"repository sub; gitlink . sub; trap_in sub/.git; mv sub/.git kept; ln -s ../later sub/.git",
      "mv kept later"},
     "git status",
     "sub/.git"},
    {"ACommonDirectoryThatIsFilledLater",
     one_repository,
     {"repository sub; gitlink . sub; cp -r sub/.git kept; trap_in kept; echo ../../later > "
      "sub/.git/commondir",
      "mv kept later"},
     "git status",
     "sub/.git"},
    {"ACommonDirectoryInALargeFile",
     one_repository,
     {"repository sub; gitlink . sub; cp -r sub/.git evil; trap_in evil; { echo ../../evil; head "
      "-c 1100000 /dev/zero | tr '\\0' '\\n'; } > sub/.git/commondir"},
     "git status",
     "sub/.git"},
    {"HooksBehindALinkThatAreFilledLater",
     one_repository,
     {"repository sub; touch sub/x; git -C sub add x; gitlink . sub; rm -r sub/.git/hooks; ln -s "
      "../../later sub/.git/hooks",
      "hook_in .; mv hooks later"},
     "touch sub/x; git status",
     "sub/.git"},
    {"ARepositoryOfTheUsersSubmoduleThatIsGone",
     "repository lib; repository .; git -c protocol.file.allow=always submodule --quiet add "
     "$PWD/lib sub; git commit -qm sub; rm -r .git/modules",
     {"mkdir .git/modules; cp -r lib/.git .git/modules/sub; trap_in .git/modules/sub"},
     "git status",
     ".git/modules/sub"},
    {"AModuleInsideOfSomethingThatLooksLikeOne",
     "repository lib; repository .; git -c protocol.file.allow=always submodule --quiet add "
     "--name x/y $PWD/lib sub; git commit -qm sub; git submodule --quiet deinit -f sub; rm -rf "
     ".git/modules",
     {"mkdir -p .git/modules/x; echo 'ref: refs/heads/main' > .git/modules/x/HEAD; cp -r lib/.git "
      ".git/modules/x/y; trap_in .git/modules/x/y"},
     "git -c protocol.file.allow=always submodule update --init; git status",
     ".git/modules/x/y"},
    {"AModuleThatIsALink",
     empty_submodule,
     {"mkdir -p .git/modules; cp -r lib/.git evil; trap_in evil; ln -s ../../evil "
      ".git/modules/sub"},
     "git -c protocol.file.allow=always submodule update --init; git status",
     ".git/modules/sub"},
    {"AModuleThatIsALinkToNothingYet",
     empty_submodule,
     {"mkdir -p .git/modules; ln -s ../../later .git/modules/sub; cp -r lib/.git kept; trap_in "
      "kept",
      "mv kept later"},
     "git -c protocol.file.allow=always submodule update --init; git status",
     ".git/modules/sub"},
    {"AWorkspaceThatIsABareRepository",
     "true",
     {"git init -q --bare .; git config -f config core.bare false; git config -f config "
      "core.worktree .; trap_in ."},
     "git status",
     "HEAD"},
    {"AWorkspaceThatIsABareRepositoryWithACommonDirectory",
     "true",
     {"git init -q --bare evil; hook_in evil; mv evil/hooks/post-index-change "
      "evil/hooks/reference-transaction; cp evil/HEAD .; echo evil > commondir"},
     "git update-ref refs/x/y $(git hash-object -t tree -w /dev/null)",
     "HEAD"},
    {"AWorkspaceWhoseOwnRepositoryIsBroken",
     one_repository,
     {"rm .git/HEAD; mkdir objects refs; echo 'ref: refs/heads/x' > HEAD; git config -f config "
      "core.repositoryformatversion 0; git config -f config "
      "core.bare false; git config -f config core.worktree $PWD; trap_in ."},
     "git status",
     "HEAD"},
    {"ASubmoduleOfTheRepositoryAroundTheWorkspace",
     "cd ..; rm -rf .git; repository lib; repository .; git -c protocol.file.allow=always "
     "submodule "
     "--quiet add $PWD/lib work/sub; git commit -qm sub; rm -rf lib",
     {"rm sub/.git; repository sub; trap_in sub/.git"},
     "git -C .. status; rm -rf ../.git ../.gitmodules"},
    {"HooksOfTheRepositoryAroundTheWorkspace",
     "cd ..; rm -rf .git; repository .; git config core.hooksPath work/.githooks",
     {"mkdir .githooks; printf '#!/bin/sh\ntouch %s\n' $TRAP > .githooks/pre-commit; chmod +x "
      ".githooks/pre-commit"},
     "git -C .. commit --allow-empty -m x; rm -rf ../.git",
     ".githooks"},
    {"AWorktreeOfTheRepositoryAroundTheWorkspace",
     "cd ..; rm -rf .git; repository .; git worktree add -q work/tree",
     {"cp -r ../.git evil; trap_in evil; echo \"gitdir: $PWD/evil\" > tree/.git"},
     "git -C tree status; rm -rf ../.git",
     "tree/.git"},
    {"ASubmoduleThatIsSaidToBeAWorktree",
     one_submodule,
     {"mkdir -p .git/worktrees/e; echo $PWD/sub/.git > .git/worktrees/e/gitdir; repository "
      "sub/deep; trap_in sub/deep/.git; gitlink sub deep"},
     "git status",
     "sub/deep/.git"},
    {"ARepositoryInAnotherWorkingTree",
     one_repository,
     {"repository sub; gitlink . sub; repository other-tree/deep; trap_in other-tree/deep/.git; "
      "git "
      "-C sub update-index --add --cacheinfo 160000,$(git -C other-tree/deep rev-parse "
      "HEAD),deep; git -C sub config core.worktree ../../other-tree"},
     "git status",
     "other-tree/deep/.git"},
    {"ARepositoryWithAnAbsoluteName",
     one_repository,
     {"repository sub; trap_in sub/.git; name=$PWD/sub; git update-index --add --cacheinfo "
      "160000,$(git -C sub rev-parse HEAD),${name//?/@}; name=$name python3 -c 'import os, "
      "hashlib; data = open(\".git/index\", \"rb\").read()[:-20]; name = "
      "os.environ[\"name\"].encode(); data = data.replace(b\"@\" * len(name), name); "
      "open(\".git/index\", \"wb\").write(data + hashlib.sha1(data).digest())'"},
     "git status",
     ".git/index"},
    // The walls of no later session could name all the directories above it.
    {"ARepositoryThatLiesTooDeep",
     one_repository,
     {"deep=$(printf 'd/%.0s' {1..1200}); deep=${deep%/}; mkdir -p $deep; repository $deep; "
      "trap_in $deep/.git; gitlink . $deep",
      "echo the next call"},
     "git status",
     ".git/index"},
    {"HooksOfARepositoryThatTheIndexLeadsTo",
     "repository .; git config --global core.hooksPath .githooks",
     {"repository sub; touch sub/x; git -C sub add x; hook_in sub; mv sub/hooks sub/.githooks; "
      "gitlink . sub"},
     "touch sub/x; git status; git config --global --unset core.hooksPath",
     "sub/.git"},
    {"HooksOfAWorktreeThatTheIndexLeadsTo",
     "repository .; echo x > x; git add x; git commit -qm x; git config core.hooksPath .githooks",
     {"git worktree add -q sub; hook_in sub; mv sub/hooks sub/.githooks; gitlink . sub"},
     "touch sub/x; git status",
     "sub/.git"},
    {"HooksInTheUsersWorktree",
     "repository .; git config core.hooksPath .githooks; git worktree add -q tree",
     {"hook_in tree; mv tree/hooks tree/.githooks"},
     "cd tree; touch x; git add x",
     "tree/.githooks"},
    {"AHookBehindTwoLinks",
     "repository .; echo x > x; git add x; git commit -qm x; mkdir -p tools real .git/hooks; "
     "printf "
     "'#!/bin/sh\n' > real/hook; chmod +x real/hook; ln -s ../real/hook tools/hook; ln -s "
     "../../tools/hook .git/hooks/post-index-change",
     {"rm tools/hook; printf '#!/bin/sh\ntouch %s\n' $TRAP > tools/hook; chmod +x tools/hook"},
     "touch x; git status",
     "tools/hook"},
    {"ARepositoryBehindALinkThatTheUserMade",
     "mkdir store; git init -q --separate-git-dir $PWD/store/repo .; git commit -q --allow-empty "
     "-m one; ln -s "
     "store way; echo 'gitdir: way/repo' > .git",
     {"cp -r store evil; trap_in evil/repo; rm way; ln -s evil way"},
     "git status",
     "way"},
    {"SettingsOfTheUserThatAreInTheWorkspace",
     "cat > settings; ln -sf $PWD/settings ~/.gitconfig; git config --global user.name Somebody; "
     "git "
     "config --global user.email s@example.org; repository .",
     {"git config -f settings core.fsmonitor \"touch $TRAP; false\""},
     "git status"},
    {"SettingsOfABareRepository",
     "git init -q --bare .",
     {"git config -f config core.bare false; git config -f config core.worktree $PWD; trap_in ."},
     "git status"},
    {"OtherSettingsOfTheUsersWorktree",
     "repository .; git config extensions.worktreeConfig true; git worktree add -q tree; git -C "
     "tree config --worktree core.pager less",
     {"git config -f .git/worktrees/tree/config.worktree core.fsmonitor \"touch $TRAP; false\""},
     "git -C tree status"},
    {"HooksThatTheUsersSettingsName",
     "repository .; git config --global core.hooksPath .githooks; mkdir .githooks; printf "
     "'#!/bin/sh\\n' > .githooks/pre-commit; chmod +x .githooks/pre-commit",
     {"echo \"touch $TRAP\" >> .githooks/pre-commit"},
     "git commit --allow-empty -m x; git config --global --unset core.hooksPath"},
    {"HooksThatTheUsersOtherSettingsName",
     "repository .; mkdir -p $XDG_CONFIG_HOME/git; printf '[core] hooksPath=.githooks ; mine\\n' > "
     "$XDG_CONFIG_HOME/git/config",
     {"mkdir .githooks; printf '#!/bin/sh\\ntouch %s\\n' $TRAP > .githooks/pre-commit; chmod +x "
      ".githooks/pre-commit"},
     "git commit --allow-empty -m x; rm $XDG_CONFIG_HOME/git/config",
     ".githooks"},
    {"HooksThatAreNamedInTheLineOfTheSection",
     "repository .; printf '[core] hooksPath = \".git\\\\\nhooks\"\\n' >> .git/config; mkdir "
     ".githooks; printf '#!/bin/sh\\n' > .githooks/pre-commit; chmod +x .githooks/pre-commit",
     {"echo \"touch $TRAP\" >> .githooks/pre-commit"},
     "git commit --allow-empty -m x"},
    {"HooksThatTheSettingsOfTheWorktreeName",
     "repository .; git config extensions.worktreeConfig true; git config --worktree "
     "core.hooksPath .githooks; mkdir .githooks; printf '#!/bin/sh\\n' > .githooks/pre-commit; "
     "chmod +x .githooks/pre-commit",
     {"echo \"touch $TRAP\" >> .githooks/pre-commit"},
     "git commit --allow-empty -m x"},
    {"HooksThatTheSettingsOfAnotherWorktreeName",
     "repository .; git config extensions.worktreeConfig true; git worktree add -q tree; cd tree; "
     "git config --worktree core.hooksPath .githooks; mkdir .githooks; printf '#!/bin/sh\\n' > "
     ".githooks/pre-commit; chmod +x .githooks/pre-commit",
     {"echo \"touch $TRAP\" >> tree/.githooks/pre-commit"},
     "cd tree; git commit --allow-empty -m x"},
    {"ATemplateThatTheUsersSettingsName",
     "mkdir -p tools/template/hooks; git config --global init.templateDir $PWD/tools/template",
     {"hook_in tools/template"},
     "repository new; touch new/x; git -C new add x; git config --global --unset init.templateDir"},
    {"ATemplateThatIncludedSettingsName",
     "mkdir -p real/hooks; ln -s real template; git config -f ~/more init.templateDir "
     "$PWD/template; git config --global include.path ~/more",
     {"rm -rf template; mkdir -p template/hooks; hook_in template; hook_in real"},
     "repository new; touch new/x; git -C new add x; git config --global --unset include.path",
     "template"},
    {"ATemplateThatIsNotThereYet",
     "git config --global init.templateDir $PWD/template",
     {"mkdir template; hook_in template"},
     "repository new; touch new/x; git -C new add x; git config --global --unset init.templateDir",
     "template"},
    {"ATemplateWhoseHookIsALink",
     "mkdir -p template/hooks tools; echo '#!/bin/sh' > tools/hook; chmod +x tools/hook; ln -s "
     "$PWD/tools/hook template/hooks/post-index-change; git config --global init.templateDir "
     "$PWD/template",
     {"printf '#!/bin/sh\ntouch %s\n' $TRAP > tools/hook"},
     "repository new; touch new/x; git -C new add x; git config --global --unset init.templateDir"},
    {"SettingsThatTheUsersSettingsInclude",
     "repository .; git config --global includeIf.gitdir:/.path $PWD/.extra",
     {"git config -f .extra core.fsmonitor \"touch $TRAP; false\""},
     "git status; git config --global --remove-section includeIf.gitdir:/",
     ".extra"},
};

}  // namespace husk::test
