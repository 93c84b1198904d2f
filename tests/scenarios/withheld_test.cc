// Secrets of the user that no closed mode shows to a command.
#include <gmock/gmock.h>

#include "confine/secrets.h"
#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StrEq;

class Withheld : public testing::TestWithParam<Who>, protected Walled {
protected:
    Withheld() : Walled(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(, Withheld, both(), who_name);

// Whether it is a file or a directory.
TEST_P(Withheld, NoFileOnTheListCanBeRead) {
    for (const char* name : confine::secrets_of_home()) {
        const fs::path secret = home() / name;
        const bool is_directory = !secret.has_extension() || fs::is_directory(secret);
        write(is_directory ? secret / "inside" : secret, "the hidden words\n");
    }
    write(home() / ".claude.json.backup.1760000000000", "the hidden words\n");
    write(home() / ".config/harmless", "the other words\n");
    const std::string look =
        "grep -rls 'the hidden words' ~ " + home().string() + " | head -3; cat ~/.config/harmless";
    for (const char* mode : {"read-only", "workspace"})
        EXPECT_EQ(in(mode, look).out, "the other words\n") << mode;
}

TEST_P(Withheld, TheListKnowsAgentsRegistriesAndHistories) {
    const auto names = confine::secrets_of_home();
    for (const char* name : {".claude.json",
                             ".claude/.credentials.json",
                             ".claude/backups",
                             ".claude/history.jsonl",
                             ".codex/auth.json",
                             ".codex/history.jsonl",
                             ".config/pip/pip.conf",
                             ".pip/pip.conf",
                             ".config/stripe",
                             ".sentryclirc",
                             ".cursor/mcp.json",
                             ".config/filezilla",
                             ".filezilla",
                             ".cache/huggingface/token",
                             ".config/github-copilot",
                             ".copilot",
                             ".local/share/opencode/auth.json",
                             ".local/share/fish/fish_history",
                             ".gemini/oauth_creds.json",
                             ".cargo/credentials.toml",
                             ".npmrc",
                             ".netrc",
                             ".ssh"})
        EXPECT_THAT(names, Contains(StrEq(name)));
}

TEST_P(Withheld, NoVariableWithASecretReachesACommand) {
    ::setenv("PGPASSWORD", "hunter2", 1);
    ::setenv("APITOKEN", "hunter2", 1);
    ::setenv("PIP_INDEX_URL", "https://me:hunter2@example.org/simple", 1);
    ::setenv("TOKENIZERS_PARALLELISM", "false", 1);
    for (const char* mode : {"read-only", "workspace"}) {
        const std::string seen = in(mode, "env").out;
        EXPECT_THAT(seen, Not(HasSubstr("hunter2"))) << mode;
        EXPECT_THAT(seen, HasSubstr("TOKENIZERS_PARALLELISM=false\n")) << mode;
    }
    EXPECT_THAT(in("open", "env").out, HasSubstr("PGPASSWORD=hunter2\n"));
    for (const char* name : {"PGPASSWORD", "APITOKEN", "PIP_INDEX_URL", "TOKENIZERS_PARALLELISM"})
        ::unsetenv(name);
}

}  // namespace
}  // namespace husk::test
