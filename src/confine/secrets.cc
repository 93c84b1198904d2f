#include "confine/secrets.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "os/file.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

constexpr auto in_home = std::to_array<const char*>({
    // Keys and remote access.
    ".ssh",
    ".gnupg",
    ".age",
    ".config/age",
    ".config/sops",
    ".krb5",
    ".putty",
    ".config/ngrok",
    ".ngrok2",
    ".cloudflared",
    ".config/rclone",
    // Clouds and clusters.
    ".aws",
    ".azure",
    ".kube",
    ".minikube",
    ".docker",
    ".oci",
    ".boto",
    ".s3cfg",
    ".bluemix",
    ".config/gcloud",
    ".config/doctl",
    ".config/helm",
    ".config/hcloud",
    ".config/linode-cli",
    ".config/scw",
    ".config/.wrangler",
    ".wrangler",
    ".fly",
    ".railway",
    ".netlify",
    ".config/netlify",
    ".config/configstore",
    ".local/share/com.vercel.cli",
    ".supabase",
    ".pulumi/credentials.json",
    ".terraformrc",
    ".terraform.d",
    ".vault-token",
    ".databrickscfg",
    ".snowflake",
    ".snowsql",
    ".dbt/profiles.yml",
    ".kaggle",
    ".config/kaggle",
    ".modal.toml",
    // Package registries.
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".gem/credentials",
    ".bundle/config",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".config/pypoetry/auth.toml",
    ".local/share/uv/credentials",
    ".nuget/NuGet/NuGet.Config",
    ".hex/hex.config",
    ".config/containers/auth.json",
    ".local/share/containers",
    // The state of a Husk whose calls do not use it: the token of its server, its audit and logs.
    ".local/state/husk",
    // Git hosts, logins and databases.
    ".netrc",
    "_netrc",
    ".authinfo",
    ".authinfo.gpg",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/tea",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".msmtprc",
    ".mbsyncrc",
    ".offlineimaprc",
    ".fetchmailrc",
    // Agents and models.
    ".claude.json",
    ".claude.json.backup",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".gemini/mcp-oauth-tokens.json",
    ".gemini/.env",
    ".qwen/oauth_creds.json",
    ".qwen/.env",
    ".copilot",
    ".config/github-copilot",
    ".local/share/opencode/auth.json",
    ".local/share/opencode/mcp-auth.json",
    ".config/cursor/auth.json",
    ".config/goose/secrets.yaml",
    ".local/share/amp/secrets.json",
    ".local/share/crush",
    ".factory/auth.json",
    ".aider.conf.yml",
    ".cache/huggingface/token",
    ".cache/huggingface/stored_tokens",
    ".huggingface",
    ".config/openai",
    ".openai",
    ".config/anthropic",
    ".local/share/jupyter/runtime",
    ".config/Code/User/globalStorage",
    ".config/Cursor/User/globalStorage",
    // Password stores and wallets.
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".config/op",
    ".config/1Password",
    ".config/Bitwarden",
    ".config/Bitwarden CLI",
    ".config/keepassxc",
    ".local/share/lpass",
    ".bitcoin",
    ".ethereum",
    ".electrum",
    ".config/solana",
    // Browsers, mail and messages.
    ".mozilla",
    ".librewolf",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".config/Signal",
    ".config/Slack",
    ".config/discord",
    ".local/share/TelegramDesktop",
    ".local/share/evolution",
    ".var/app",
    "snap/firefox",
    "snap/chromium",
    // Histories, in which people type passwords.
    ".bash_history",
    ".zsh_history",
    ".histfile",
    ".ash_history",
    ".sh_history",
    ".local/share/fish/fish_history",
    ".config/fish/fish_history",
    ".local/share/nushell",
    ".local/share/atuin",
    ".python_history",
    ".node_repl_history",
    ".irb_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".mongorc.js",
    ".lesshst",
    ".viminfo",
    // Displays.
    ".Xauthority",
    ".ICEauthority",
});

constexpr auto in_system = std::to_array<const char*>({
    "/etc/shadow",      "/etc/shadow-",        "/etc/gshadow",
    "/etc/gshadow-",    "/etc/sudoers",        "/etc/sudoers.d",
    "/etc/ssh",         "/etc/ssl/private",    "/etc/krb5.keytab",
    "/etc/wireguard",   "/etc/munge",          "/etc/kubernetes",
    "/etc/docker",      "/etc/apt/auth.conf",  "/etc/apt/auth.conf.d",
    "/var/lib/docker",  "/var/lib/containerd", "/var/lib/containers",
    "/var/lib/kubelet", "/var/spool/cron",     "/var/mail",
    "/var/spool/mail",
});

bool exists_in(const os::Fd& home, const std::string& name) {
    struct stat info{};
    return ::fstatat(home.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

// Programs live in the home of some users of the system: only one with a secret in it counts. Most
// of these homes hold not even the first part of a name, which many names share.
bool holds_a_secret(const std::string& home) {
    const auto opened = os::open(home, O_PATH | O_DIRECTORY);
    if (!opened) return false;
    std::map<std::string, bool> first_parts;
    return std::ranges::any_of(in_home, [&](const std::string& name) {
        const auto [first, is_new] = first_parts.try_emplace(name.substr(0, name.find('/')));
        if (is_new) first->second = exists_in(*opened, first->first);
        return first->second && exists_in(*opened, name);
    });
}

std::set<fs::path> homes_of_others() {
    std::set<fs::path> homes = {"/root"};
    std::error_code failed;
    for (fs::directory_iterator entry("/home", failed);
         !failed && entry != fs::directory_iterator(); entry.increment(failed))
        homes.insert(entry->path());
    std::set<std::string> seen;
    std::istringstream users(os::read_file("/etc/passwd", 64 << 20).value_or(""));
    for (std::string line; std::getline(users, line);) {
        std::istringstream fields(line);
        std::string field;
        for (int i = 0; i < 6; ++i) std::getline(fields, field, ':');
        const bool is_new = field.starts_with("/") && seen.insert(field).second;
        if (is_new && !homes.contains(field) && holds_a_secret(field)) homes.insert(field);
    }
    return homes;
}

}  // namespace

std::span<const char* const> secrets_of_home() { return in_home; }

std::vector<fs::path> secrets_of_system() {
    std::vector<fs::path> all(in_system.begin(), in_system.end());
    for (const fs::path& home : homes_of_others())
        for (const char* secret : in_home) all.push_back(home / secret);
    return all;
}

}  // namespace husk::confine
