// Programs that run what their arguments say, each in its own way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parse/script.h"
#include "parse/wrappers.h"

namespace husk::parse {

// Commands that options or operands name: tar --to-command=code, git rebase -x code.
void add_options(const std::string& program, const std::vector<Word>& words,
                 std::vector<Carried>& carried);

// awk 'BEGIN { system("code") }'
void add_awk(const std::vector<Word>& words, std::vector<Carried>& carried);
// sed 'e code'
void add_sed(const std::vector<Word>& words, std::vector<Carried>& carried);

// git -c core.pager=code, git config alias.x '!code', git bisect run words
void add_git(const std::vector<Word>& words, std::vector<Carried>& carried);
// It is told to look elsewhere for programs or settings (--exec-path, include.path), or has a
// setting that is not known to be harmless.
bool git_hides_code(const std::vector<Word>& words);
// A variable that does the same: GIT_CONFIG_COUNT, GIT_EXEC_PATH.
bool git_is_told_elsewhere(std::string_view variable);

// docker run IMAGE words, docker compose exec SERVICE words
void add_docker(const std::vector<Word>& words, std::vector<Carried>& carried);
// kubectl exec POD -- words
void add_behind_dashes(const std::vector<Word>& words, std::vector<Carried>& carried);

// tmux new-session code, tmux send-keys code Enter
void add_tmux(const std::vector<Word>& words, std::vector<Carried>& carried);
// screen -dm words
void add_screen(const std::vector<Word>& words, std::vector<Carried>& carried);

// npx -c code, npm exec -c code
void add_npx(const std::vector<Word>& words, std::vector<Carried>& carried);

// The commands in a table for cron, as a script.
std::string commands_of_crontab(const std::string& table);

}  // namespace husk::parse
