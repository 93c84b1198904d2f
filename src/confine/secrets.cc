#include "confine/secrets.h"

#include <array>

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

constexpr auto in_home = std::to_array<const char*>({
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".oci",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".boto",
    ".s3cfg",
    ".git-credentials",
    ".vault-token",
    ".password-store",
    ".terraformrc",
    ".terraform.d",
    ".gem/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/gcloud",
    ".config/op",
    ".config/rclone",
    ".config/doctl",
    ".config/containers/auth.json",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".mozilla",
    ".thunderbird",
    ".local/share/keyrings",
    ".local/share/containers",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".lesshst",
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

}  // namespace

std::span<const char* const> secrets_of_home() { return in_home; }

std::vector<fs::path> secrets_of_system() {
    std::vector<fs::path> all(in_system.begin(), in_system.end());
    std::vector<fs::path> homes = {"/root"};
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator("/home", failed))
        homes.push_back(entry.path());
    for (const fs::path& home : homes)
        for (const char* secret : in_home) all.push_back(home / secret);
    return all;
}

}  // namespace husk::confine
