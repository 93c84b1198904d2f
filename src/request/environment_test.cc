#include "request/environment.h"
#include "request/withheld_variables.h"

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
                             "AWS_ACCESS_KEY_ID",
                             "AWS_SECRET_ACCESS_KEY",
                             "AWS_SESSION_TOKEN",
                             "AWS_WEB_IDENTITY_TOKEN_FILE",
                             "AWS_SHARED_CREDENTIALS_FILE",
                             "AZURE_CLIENT_SECRET",
                             "AZURE_STORAGE_SAS",
                             "AZURE_STORAGE_KEY",
                             "AZURE_STORAGE_CONNECTION_STRING",
                             "GOOGLE_API_KEY",
                             "GCP_SA_KEY",
                             "OPENAI_API_KEY",
                             "ANTHROPIC_API_KEY",
                             "ANTHROPIC_AUTH_TOKEN",
                             "ANTHROPIC_CUSTOM_HEADERS",
                             "OTEL_EXPORTER_OTLP_HEADERS",
                             "PRIVATE_KEY",
                             "JWT_PRIVATE",
                             "PRIVATE_KEY_PATH",
                             "SSH_AUTH_SOCK",
                             "DISPLAY",
                             "DBUS_SESSION_BUS_ADDRESS",
                             "XDG_RUNTIME_DIR",
                             "DOCKER_HOST",
                             "VSCODE_IPC_HOOK_CLI",
                             "GIT_ASKPASS",
                             "GIT_SSH_COMMAND",
                             "GIT_CONFIG_VALUE_0",
                             "PROMPT_COMMAND",
                             "ENV",
                             "SHELLOPTS",
                             "BASH_FUNC_ls%%",
                             "IFS",
                             "CDPATH",
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
        {"LD_LIBRARY_PATH", "/opt/lib"},
        {"LD_BIND_NOW", "1"},
        {"NODE_OPTIONS", "--max-old-space-size=4096"},
        {"NODE_PATH", "/usr/lib/node_modules"},
        {"PYTHONPATH", "/work/src"},
        {"PYTHONSTARTUP", "/home/me/.pythonrc"},
        {"PERL5LIB", "/home/me/perl5/lib"},
        {"PERL5OPT", "-Mstrict"},
        {"RUBYOPT", "-W0"},
        {"RUBYLIB", "/work/lib"},
        {"JAVA_TOOL_OPTIONS", "-Dfile.encoding=UTF-8"},
        {"JAVA_HOME", "/usr/lib/jvm/default"},
        {"MAVEN_OPTS", "-Xmx1g"},
        {"RUSTFLAGS", "-C target-cpu=native"},
        {"GOFLAGS", "-mod=mod"},
        {"GOPRIVATE", "example.org"},
        {"GIT_EXTERNAL_DIFF", "difft"},
        {"GIT_CONFIG_NOSYSTEM", "1"},
        {"GIT_CONFIG_GLOBAL", "/dev/null"},
        {"MALLOC_ARENA_MAX", "2"},
        {"GLIBC_TUNABLES", "glibc.malloc.check=3"},
        {"AWS_REGION", "eu-central-1"},
        {"AWS_DEFAULT_REGION", "eu-central-1"},
        {"AWS_DEFAULT_OUTPUT", "json"},
        {"AWS_PAGER", ""},
        {"AWS_ENDPOINT_URL", "http://localhost:4566"},
        {"AWS_EC2_METADATA_DISABLED", "true"},
        {"AZURE_TENANT_ID", "0f7a"},
        {"AZURE_CLIENT_ID", "0f7a"},
        {"GOOGLE_CLOUD_PROJECT", "a-project"},
        {"OPENAI_BASE_URL", "http://localhost:11434/v1"},
        {"ANTHROPIC_MODEL", "a-model"},
        {"XKB_DEFAULT_LAYOUT", "de"},
        {"SSH_KEYSCAN", "1"},
        {"KEYSTONE", "1"},
        {"WHISKEY", "1"},
        {"SSH_PUBKEY", "ssh-ed25519 AAAA"},
        {"MINISIGN_PUBLIC_KEY", "RWQ"},
        {"PUBLIC_KEY_PATH", "/work/key.pub"},
        {"GPG_KEY_ID", "0xABCD"},
        {"SIGNING_KEY_FINGERPRINT", "ABCD"},
        {"TOKEN_TTL", "3600"},
        {"PASSWORD_MIN_LENGTH", "12"},
        {"SESSION_COOKIE_DOMAIN", "example.org"},
        {"SESSION_COOKIE_SAMESITE", "lax"},
        {"AUTH_MODE", "none"},
        {"AUTH_PROVIDER", "oidc"},
        {"NEXTAUTH_URL", "http://localhost:3000"},
        {"OAUTH_CLIENT_ID", "an-id"},
        {"PRIVATE_SUBNET", "10.0.0.0/8"},
        {"BYPASS_CACHE", "1"},
        {"AUTHOR", "me"},
        {"TOKENIZER", "bert"},
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

TEST_F(CommandEnvironment, HasNoRelativeDirectoryOfLibrariesBehindWalls) {
    ::setenv("LD_LIBRARY_PATH", "lib:/opt/lib:", 1);
    EXPECT_THAT(command_environment({}, "/work", closed_), Contains("LD_LIBRARY_PATH=/opt/lib"));
    ::setenv("LD_LIBRARY_PATH", ":", 1);
    EXPECT_THAT(command_environment({}, "/work", closed_),
                Not(Contains(StartsWith("LD_LIBRARY_PATH"))));
    ::unsetenv("LD_LIBRARY_PATH");
}

TEST_F(CommandEnvironment, LeadsToSocketsThatTheSessionWasGiven) {
    constexpr const char* names[] = {"SSH_AUTH_SOCK", "DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS",
                                     "DISPLAY"};
    constexpr const char* values[] = {"/run/agent", "unix:///run/docker.sock",
                                      "unix:path=/run/bus,guid=1", ":7.0"};
    for (size_t i = 0; i < std::size(names); ++i) ::setenv(names[i], values[i], 1);
    Surroundings given = closed_;
    given.sockets = {"/run/agent", "/run/docker.sock", "/run/bus", "/tmp/.X11-unix/X7"};
    Surroundings others = closed_;
    others.sockets = {"/run/agent2", "/run/docker", "/run/bu", "/tmp/.X11-unix/X70", "/run"};
    for (size_t i = 0; i < std::size(names); ++i) {
        const std::string entry = std::string(names[i]) + "=" + values[i];
        EXPECT_THAT(command_environment({}, "/work", given), Contains(entry));
        EXPECT_THAT(command_environment({}, "/work", others), Not(Contains(entry)));
        ::unsetenv(names[i]);
    }
}

TEST_F(CommandEnvironment, NamesWhatItDrops) {
    const auto dropped = [&] { return dropped_variables({{"GIVEN_TOKEN", "x"}}, closed_); };
    const size_t before = dropped().size();
    for (const char* name : {"FIRST_TOKEN", "GIVEN_TOKEN", "ORDINARY", "TMP", "HUSK_TOKEN"})
        ::setenv(name, "hunter2", 1);
    const std::vector<std::string> now = dropped();
    for (const char* name : {"FIRST_TOKEN", "GIVEN_TOKEN", "ORDINARY", "TMP", "HUSK_TOKEN"})
        ::unsetenv(name);
    EXPECT_EQ(now.size(), before + 1);
    EXPECT_THAT(now, Contains("FIRST_TOKEN"));
    EXPECT_TRUE(dropped_variables({}, {}).empty());
}

TEST(NoteOnDropped, HasNamesAndTheSettingThatKeepsThem) {
    EXPECT_EQ(note_on_dropped({}), "");
    const std::string note = note_on_dropped({"A_TOKEN", "SSH_AUTH_SOCK"});
    EXPECT_THAT(note, testing::HasSubstr("A_TOKEN, SSH_AUTH_SOCK"));
    EXPECT_THAT(note, testing::HasSubstr("environment.pass"));
    EXPECT_TRUE(is_note_on_dropped(note));
    EXPECT_THAT(note_on_dropped(std::vector<std::string>(20, "A")),
                testing::HasSubstr("and 8 more"));
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

TEST_F(CommandEnvironment, LetsNobodyTryAgainWithoutANetwork) {
    Surroundings offline = closed_;
    offline.offline = true;
    EXPECT_THAT(command_environment({}, "/work", closed_),
                Not(Contains("npm_config_fetch_retries=0")));
    EXPECT_THAT(command_environment({}, "/work", offline), Contains("npm_config_fetch_retries=0"));
    EXPECT_THAT(command_environment({}, "/work", offline),
                Contains("npm_config_update_notifier=false"));
    EXPECT_THAT(command_environment({{"npm_config_fetch_retries", "3"}}, "/work", offline),
                Contains("npm_config_fetch_retries=3"));
    ::setenv("npm_config_fetch_retries", "5", 1);
    EXPECT_THAT(command_environment({}, "/work", offline), Contains("npm_config_fetch_retries=5"));
    ::unsetenv("npm_config_fetch_retries");
}

}  // namespace
}  // namespace husk
