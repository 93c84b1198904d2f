#include "request/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace husk {
namespace {

using testing::Contains;
using testing::Not;
using testing::StartsWith;

struct Variable {
    const char* name;
    const char* value = "x";
};

TEST(Withheld, NamesThatTellOfASecret) {
    for (const char* name : {"TOKEN",
                             "GITHUB_TOKEN",
                             "APITOKEN",
                             "GHTOKEN",
                             "apiToken",
                             "NPM_AUTHTOKEN",
                             "TOKEN2",
                             "npm_config_//registry.npmjs.org/:_authToken",
                             "AUTH_TOKENS",
                             "PGPASSWORD",
                             "MYSQL_PWD",
                             "DBPWD",
                             "DB_PASS",
                             "DBPASS",
                             "SMTPPASS",
                             "SSHPASS",
                             "SQLCMDPASSWORD",
                             "ROOT_PASSWD",
                             "RESTIC_PASSWORD_COMMAND",
                             "BORG_PASSPHRASE",
                             "SECRET",
                             "CLIENTSECRET",
                             "APP_SECRETS",
                             "SECRET_KEY_BASE",
                             "STRIPE_KEY",
                             "APIKEY",
                             "OPENROUTER_APIKEY",
                             "TS_AUTHKEY",
                             "SSHKEY",
                             "ENCRYPTIONKEY",
                             "SIGNING_KEYS",
                             "GH_PAT",
                             "SENTRY_DSN",
                             "CI_JOB_JWT",
                             "SLACK_WEBHOOK_URL",
                             "SERVICEBUS_CONNECTION_STRING",
                             "BASICAUTH",
                             "HTTP_AUTHORIZATION",
                             "TF_VAR_db_pw",
                             "BW_SESSION",
                             "OP_SESSION_my",
                             "SESSION_COOKIE",
                             "GOOGLE_APPLICATION_CREDENTIALS",
                             "GCLOUD_CREDENTIAL_FILE",
                             "CREDS",
                             "GIT_CREDS",
                             "NEXUS_CRED",
                             "DOCKER_CREDENTIALS",
                             "PIN",
                             "CARD_PIN",
                             "OTP",
                             "NPM_CONFIG_OTP",
                             "npm_config_otp",
                             "AWS_PROFILE",
                             "BASH_ENV",
                             "LD_PRELOAD"})
        EXPECT_TRUE(is_withheld(name)) << name;
}

TEST(Withheld, ValuesThatHoldASecret) {
    constexpr Variable variables[] = {
        {"PIP_INDEX_URL", "https://user:hunter2@pypi.example.org/simple"},
        {"PIP_EXTRA_INDEX_URL", "https://pypi.org/simple https://u:p@example.org/simple"},
        {"UV_INDEX", "https://0123456789abcdef@pypi.example.org/simple"},
        {"BROKER", "amqp://guest:guest@localhost:5672//"},
        {"CACHE", "redis://:hunter2@localhost"},
        {"DATABASE", "postgres://me:hunter2@db/x"},
        {"CONNECTION", "Server=db;User Id=me;Password=hunter2;"},
        {"STORAGE", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=b=="},
        {"HOST_ID", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc"},
        {"GH", "ghp_0123456789abcdef0123456789abcdef"},
        {"CLAUDE",
         "sk-ant-"
         "00000000000000000000"},
        {"S3", "AKIAIOSFODNN7EXAMPLE"},
        {"OPEN_ROUTER", "sk-or-v1-0123456789abcdef"},
        {"LOGIN", "eyJhbGciOiJIUzI1NiJ9.e30.c2ln"},
        {"NIX_CONFIG", "access-tokens = github.com=ghp_0123456789abcdef0123"},
        {"GIT_HEADER", "Authorization: Basic bWU6aHVudGVyMg=="},
        {"GRADLE_OPTS", "-Xmx1g -Dregistry.token=hunter2"},
        {"FEED", "https://example.org/feed?api_key=hunter2"},
        {"BUNDLE_GEMS__EXAMPLE__ORG", "me:hunter2"},
        {"BUNDLE_ENTERPRISE__CONTRIBSYS__COM", "0123abcd:4567ef89"},
        {"NOTIFY", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX"},
        {"CHAT", "https://discord.com/api/webhooks/1234567890/abcdef"},
        {"CHAT", "https://canary.discord.com/api/v10/webhooks/1234567890/abcdef"},
        {"CHAT", "https://discordapp.com/api/webhooks/1234567890/abcdef"},
        {"ALERTS", "https://example.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4"},
        {"ALERTS", "https://outlook.office.com/webhook/1@2/IncomingWebhook/3/4"},
        {"HOOKS", "one,https://hooks.slack.com/workflows/T00000000/A00000000/1/x"},
    };
    for (const auto& [name, value] : variables) EXPECT_TRUE(is_withheld(name, value)) << name;
}

TEST(Withheld, NothingThatIsHarmless) {
    constexpr Variable variables[] = {
        {"PATH", "/usr/bin:/bin"},
        {"PWD", "/work"},
        {"OLDPWD", "/"},
        {"INFOPATH"},
        {"KEYBOARD"},
        {"KEYMAP"},
        {"KEYTIMEOUT", "1"},
        {"MONKEY"},
        {"MONKEYPATCH", "1"},
        {"LESSKEY", "/etc/lesskey"},
        {"TOKENIZERS_PARALLELISM", "false"},
        {"MAX_TOKENS", "4096"},
        {"CLAUDE_CODE_MAX_OUTPUT_TOKENS", "32000"},
        {"NO_BYPASS", "1"},
        {"COMPASS", "north"},
        {"PASSIVE_FTP", "1"},
        {"GIT_AUTHOR_NAME", "A. Uthor"},
        {"PATCH_LEVEL", "3"},
        {"COMPAT", "1"},
        {"LANG", "C.UTF-8"},
        {"LS_COLORS", "di=01;34:ln=01;36"},
        {"EDITOR", "vi"},
        {"XDG_SESSION_ID", "3"},
        {"DESKTOP_SESSION", "gnome"},
        {"TOOL", "highp_0123456789abcdef0123456789"},
        {"JAVA_OPTS", "-Dmax.tokens=4096"},
        {"VIRTUAL_ENV", "/work/.venv"},
        {"CARGO_HOME", "/home/me/.cargo"},
        {"PIP_INDEX_URL", "https://pypi.example.org/simple"},
        {"GOPROXY", "https://proxy.golang.org,direct"},
        {"ORIGIN", "ssh://git@github.com/husk/husk"},
        {"REMOTE", "git@github.com:husk/husk"},
        {"VITE", "http://localhost:8080/@vite/client"},
        {"EMAIL", "me@example.org"},
        {"CFLAGS", "-O2 -DA=1"},
        {"hf_home", "/home/me/hf_cache"},
        {"PINENTRY_USER_DATA", "USE_CURSES=1"},
        {"OTP_VERSION", "26.2.1"},
        {"OTP_ROOT", "/usr/lib/erlang"},
        {"ERLANG_OTP_VERSION", "26"},
        {"PINNED", "1"},
        {"PIP_PIN_VERSIONS", "1"},
        {"SPIN", "1"},
        {"CREDITS", "1"},
        {"SACRED", "1"},
        {"BUNDLE_PATH", "vendor/bundle"},
        {"BUNDLE_WITHOUT", "development:test"},
        {"BUNDLE_GEMFILE", "/work/Gemfile"},
        {"BUNDLE_BUILD__NOKOGIRI", "--use-system-libraries:yes"},
        {"BUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/", "https://mirror.example.org"},
        {"CHAT", "https://discord.com/channels/1/2"},
        {"CHAT", "https://example.slack.com/archives/C1"},
    };
    for (const auto& [name, value] : variables)
        EXPECT_FALSE(is_withheld(name, value)) << name << "=" << value;
}

TEST(AbsoluteEntries, AreAllThatIsLeftOfASearchPath) {
    constexpr std::pair<const char*, const char*> cases[] = {
        {"/usr/bin:/bin", "/usr/bin:/bin"},
        {"/bin", "/bin"},
        {".:/bin", "/bin"},
        {"/bin:.", "/bin"},
        {":/bin", "/bin"},
        {"/bin:", "/bin"},
        {"/usr/bin::/bin", "/usr/bin:/bin"},
        {"node_modules/.bin:/bin:./x:../y:~/bin", "/bin"},
        {"/work/.venv/bin:/bin", "/work/.venv/bin:/bin"},
        {"", "/usr/local/bin:/usr/bin:/bin"},
        {".", "/usr/local/bin:/usr/bin:/bin"},
        {"::", "/usr/local/bin:/usr/bin:/bin"},
    };
    for (const auto& [path, kept] : cases) EXPECT_EQ(absolute_entries(path), kept) << path;
}

class CommandEnvironment : public testing::Test {
protected:
    CommandEnvironment() { ::setenv("PATH", ".:/usr/bin::/bin:bin", 1); }
    ~CommandEnvironment() override { ::setenv("PATH", before_.c_str(), 1); }

    const Surroundings closed_ = {.closed = true, .home = "/scratch"};

private:
    std::string before_ = std::getenv("PATH");
};

TEST_F(CommandEnvironment, HasNoRelativeEntryOfPathBehindWalls) {
    EXPECT_THAT(command_environment({}, "/work", closed_), Contains("PATH=/usr/bin:/bin"));
    EXPECT_THAT(command_environment({{"PATH", ".:/opt/bin:"}}, "/work", closed_),
                Contains("PATH=/opt/bin"));
    EXPECT_THAT(command_environment({{"PATH", std::nullopt}}, "/work", closed_),
                Not(Contains(StartsWith("PATH="))));
}

TEST_F(CommandEnvironment, IsTheUsersOwnWithoutWalls) {
    EXPECT_THAT(command_environment({}, "/work", {}), Contains("PATH=.:/usr/bin::/bin:bin"));
}

TEST_F(CommandEnvironment, KeepsSecretsThatAreGivenOnPurpose) {
    ::setenv("PGPASSWORD", "hunter2", 1);
    EXPECT_THAT(command_environment({}, "/work", closed_), Not(Contains(StartsWith("PGPASSWORD"))));
    EXPECT_THAT(command_environment({{"PGPASSWORD", "given"}}, "/work", closed_),
                Contains("PGPASSWORD=given"));
    ::unsetenv("PGPASSWORD");
}

}  // namespace
}  // namespace husk
