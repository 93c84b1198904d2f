#include "request/withheld_variables.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace husk {
namespace {

using std::string_view_literals::operator""sv;

// A name is a list of words with underscores, dashes or dots between them. A word that is one of
// these makes it a secret.
constexpr auto secret_words = std::to_array({
    "PASS"sv,
    "PWD"sv,
    "PAT"sv,
    "PW"sv,
    "AUTH"sv,
    "AUTHORIZATION"sv,
    "COOKIE"sv,
    "COOKIES"sv,
    "CRED"sv,
    "CREDS"sv,
    "DSN"sv,
    "KEY"sv,
    "KEYS"sv,
    "JWT"sv,
    "BEARER"sv,
    "WEBHOOK"sv,
});

// So does a word that has one of these in it: APITOKEN is API TOKEN, PGPASSWORD is PG PASSWORD.
constexpr auto telling_parts = std::to_array({
    "SECRET"sv,
    "PASSWORD"sv,
    "PASSWD"sv,
    "PASSPHRASE"sv,
    "CREDENTIAL"sv,
    "APIKEY"sv,
    "CONNECTIONSTRING"sv,
});

// And a word that ends in one of these, if it is not a word of its own.
constexpr auto telling_ends =
    std::to_array({"TOKEN"sv, "PASS"sv, "PWD"sv, "KEY"sv, "KEYS"sv, "AUTH"sv, "DSN"sv});
constexpr auto harmless_words = std::to_array(
    {"BYPASS"sv, "COMPASS"sv, "MONKEY"sv, "DONKEY"sv, "TURKEY"sv, "HOCKEY"sv, "HOTKEY"sv,
     "HOTKEYS"sv, "LESSKEY"sv, "OLDPWD"sv, "JOCKEY"sv, "WHISKEY"sv, "PUBKEY"sv, "PUBKEYS"sv});

// These only as the last word, or before CODE: OTP_VERSION is Erlang's, PRIVATE_SUBNET is a range
// of addresses.
constexpr auto secret_last_words =
    std::to_array({"OTP"sv, "PIN"sv, "PRIVATE"sv, "SAS"sv, "HEADERS"sv});

// A last word that describes the secret instead of holding it: TOKEN_TTL, COOKIE_DOMAIN.
constexpr auto describing_words = std::to_array(
    {"TYPE"sv,      "MODE"sv,     "METHOD"sv,   "TTL"sv,      "EXPIRY"sv, "LENGTH"sv,  "TIMEOUT"sv,
     "DOMAIN"sv,    "ENABLED"sv,  "DISABLED"sv, "PROVIDER"sv, "SIZE"sv,   "LIMIT"sv,   "COUNT"sv,
     "ALGORITHM"sv, "SECONDS"sv,  "MINUTES"sv,  "HOURS"sv,    "DAYS"sv,   "VERSION"sv, "REQUIRED"sv,
     "SAMESITE"sv,  "ENDPOINT"sv, "HOST"sv,     "PORT"sv});

// TOKENS are secrets unless they are counted.
constexpr auto counting_words = std::to_array({"MAX"sv, "MIN"sv, "NUM"sv, "LIMIT"sv, "COUNT"sv,
                                               "BUDGET"sv, "OUTPUT"sv, "INPUT"sv, "THINKING"sv});

// Whole names. Variables that only have an effect behind the walls are not among them.
constexpr auto names = std::to_array({
    // They change what bash does with the text that Husk has judged.
    "BASH_ENV"sv,
    "ENV"sv,
    "SHELLOPTS"sv,
    "BASHOPTS"sv,
    "PS4"sv,
    "PROMPT_COMMAND"sv,
    "GLOBIGNORE"sv,
    "EXECIGNORE"sv,
    "IFS"sv,
    "CDPATH"sv,
    "FIGNORE"sv,
    // They name libraries and programs that act with the user's secrets, or ask the user for them.
    "LD_PRELOAD"sv,
    "LD_AUDIT"sv,
    "GIT_ASKPASS"sv,
    "SSH_ASKPASS"sv,
    "SUDO_ASKPASS"sv,
    "GIT_SSH"sv,
    "GIT_SSH_COMMAND"sv,
    "GIT_PROXY_COMMAND"sv,
    // They lead to services outside.
    "SSH_AUTH_SOCK"sv,
    "SSH_AGENT_PID"sv,
    "GPG_AGENT_INFO"sv,
    "DBUS_SESSION_BUS_ADDRESS"sv,
    "DBUS_SYSTEM_BUS_ADDRESS"sv,
    "XDG_RUNTIME_DIR"sv,
    "DOCKER_HOST"sv,
    "CONTAINER_HOST"sv,
    "DISPLAY"sv,
    "WAYLAND_DISPLAY"sv,
    "XAUTHORITY"sv,
    "TMUX"sv,
    "STY"sv,
    "NOTIFY_SOCKET"sv,
    "LISTEN_FDS"sv,
    "LISTEN_PID"sv,
    // They choose or hold credentials.
    "AWS_PROFILE"sv,
    "AWS_DEFAULT_PROFILE"sv,
    "AWS_CONFIG_FILE"sv,
    "GCP_SERVICE_ACCOUNT"sv,
    "KUBECONFIG"sv,
    "DATABASE_URL"sv,
    "REDIS_URL"sv,
    "MONGO_URL"sv,
    "MONGODB_URI"sv,
    "PGPASSFILE"sv,
    "NETRC"sv,
    "BW_SESSION"sv,
    // The session has its own.
    "TMP"sv,
    "TEMP"sv,
    "TEMPDIR"sv,
});

constexpr auto starts = std::to_array({
    "BASH_FUNC_"sv,
    "GIT_CONFIG_COUNT"sv,
    "GIT_CONFIG_KEY"sv,
    "GIT_CONFIG_VALUE"sv,
    "GIT_CONFIG_PARAMETERS"sv,
    "OP_SESSION"sv,
    "HUSK_"sv,
    "VSCODE_IPC"sv,
    "VSCODE_GIT_"sv,
});

template <class List>
bool has(const List& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
}

bool is_letter_or_digit(char byte) {
    return (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
}

// In upper case, without digits at their ends: TOKEN2 is a TOKEN.
std::vector<std::string_view> words_of(std::string_view name) {
    std::vector<std::string_view> words;
    for (size_t at = 0; at < name.size();) {
        size_t end = at;
        while (end < name.size() && is_letter_or_digit(name[end])) ++end;
        std::string_view word = name.substr(at, end - at);
        while (!word.empty() && word.back() <= '9') word.remove_suffix(1);
        if (!word.empty()) words.push_back(word);
        at = end + 1;
    }
    return words;
}

bool is_secret_word(std::string_view word) {
    if (has(secret_words, word)) return true;
    if (std::ranges::any_of(telling_parts, [&](auto part) { return word.contains(part); }))
        return true;
    return !has(harmless_words, word) &&
           std::ranges::any_of(telling_ends, [&](auto end) { return word.ends_with(end); });
}

bool ends_in_secret_word(std::vector<std::string_view> words) {
    if (!words.empty() && words.back() == "CODE") words.pop_back();
    return !words.empty() && has(secret_last_words, words.back());
}

// Of a public key, and of a key's fingerprint, nothing is a secret. The number of an access key is
// half of a login.
bool is_public(const std::vector<std::string_view>& words) {
    const size_t count = words.size();
    if (count < 2) return false;
    const bool is_id = words[count - 1] == "ID" || words[count - 1] == "FINGERPRINT";
    const auto key = std::ranges::find(words, "KEY");
    if (key == words.end() || key == words.begin()) return false;
    const std::string_view kind = *(key - 1);
    return kind == "PUBLIC" || (is_id && (kind == "SIGNING" || kind == "GPG" || kind == "PGP"));
}

// NEXTAUTH_URL, OAUTH_CLIENT_ID.
bool is_address_or_client(std::string_view word_before, std::string_view last_word) {
    return (last_word == "URL" && word_before.ends_with("AUTH")) ||
           (last_word == "ID" && word_before == "CLIENT");
}

bool only_describes(const std::vector<std::string_view>& words) {
    const size_t count = words.size();
    return count > 1 && (has(describing_words, words[count - 1]) ||
                         is_address_or_client(words[count - 2], words[count - 1]));
}

bool has_secret_word(std::string_view name) {
    if (name == "PWD") return false;
    const std::vector<std::string_view> words = words_of(name);
    if (only_describes(words)) return false;
    if (ends_in_secret_word(words)) return true;
    if (is_public(words)) return false;
    const auto counts = [](std::string_view word) { return has(counting_words, word); };
    const auto are_tokens = [](std::string_view word) { return word.ends_with("TOKENS"); };
    if (std::ranges::any_of(words, is_secret_word) || name.contains("CONNECTION_STRING"))
        return true;
    return std::ranges::any_of(words, are_tokens) && std::ranges::none_of(words, counts);
}

std::string upper(std::string_view name) {
    std::string result(name);
    for (char& letter : result)
        if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    return result;
}

// An address of the host's network, which is not that of the session.
bool is_proxy(std::string_view name) {
    return name == "HTTP_PROXY" || name == "HTTPS_PROXY" || name == "ALL_PROXY" ||
           name == "FTP_PROXY" || name == "NO_PROXY";
}

bool looks_withheld(std::string_view name) {
    const std::string big = upper(name);
    return has(names, big) || has_secret_word(big) || is_proxy(big) ||
           std::ranges::any_of(starts,
                               [&](std::string_view start) { return big.starts_with(start); });
}

// A user name is no secret, but in a URL of the web it may be a token.
bool has_login(std::string_view authority, std::string_view scheme) {
    const size_t at = authority.rfind('@');
    if (at == std::string_view::npos || at == 0) return false;
    const size_t colon = authority.find(':');
    const bool has_password = colon != std::string_view::npos && colon + 1 < at;
    return has_password || scheme.ends_with("http") || scheme.ends_with("https");
}

// scheme://user:password@host, anywhere in the value.
bool has_url_with_login(std::string_view value) {
    constexpr std::string_view mark = "://";
    for (size_t at = value.find(mark); at != std::string_view::npos; at = value.find(mark, at)) {
        const std::string_view scheme = value.substr(0, at);
        at += mark.size();
        const size_t end = std::min(value.find_first_of("/?# \t\n\"'", at), value.size());
        if (has_login(value.substr(at, end - at), scheme)) return true;
    }
    return false;
}

// How tokens begin that say so themselves.
constexpr auto token_starts =
    std::to_array({"sk-"sv,  "sk_live_"sv, "rk_live_"sv, "whsec_"sv,    "hf_"sv,
                   "npm_"sv, "pypi-"sv,    "dop_v1_"sv,  "AKIA"sv,      "ASIA"sv,
                   "AIza"sv, "ya29."sv,    "eyJ"sv,      "SG."sv,       "hvs."sv,
                   "gsk_"sv, "xai-"sv,     "r8_"sv,      "dckr_pat_"sv, "tskey-"sv,
                   "pul-"sv, "lin_api_"sv, "shpat_"sv,   "ATATT"sv,     "AGE-SECRET-KEY-"sv});

// The same, and no other word begins so: they tell of a token inside of a longer value too.
constexpr auto sure_token_starts =
    std::to_array({"ghp_"sv, "gho_"sv, "ghs_"sv, "ghu_"sv, "ghr_"sv, "github_pat_"sv, "glpat-"sv,
                   "sk-ant-"sv, "sk-proj-"sv, "xoxb-"sv, "xoxp-"sv, "xapp-"sv});

constexpr size_t shortest_token = 20;

bool is_of_a_token(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
}

bool has_token(std::string_view value, std::string_view start) {
    for (size_t at = value.find(start); at != std::string_view::npos;
         at = value.find(start, at + 1)) {
        const auto* const end = std::ranges::find_if_not(value.substr(at), is_of_a_token);
        const auto size = static_cast<size_t>(end - value.substr(at).begin());
        if ((at == 0 || !is_of_a_token(value[at - 1])) && size >= shortest_token) return true;
    }
    return false;
}

bool is_token(std::string_view value) {
    if (std::ranges::any_of(sure_token_starts, [&](auto start) { return has_token(value, start); }))
        return true;
    return value.size() >= shortest_token && !value.contains('/') && !value.contains(' ') &&
           std::ranges::any_of(token_starts, [&](auto start) { return value.starts_with(start); });
}

// Settings that are written into a value: -Dx.password=..., ?token=..., a header.
constexpr auto telling_settings = std::to_array(
    {"PASSWORD="sv, "PASSWD="sv, "PWD="sv, "ACCOUNTKEY="sv, "ACCESSKEY="sv, "APIKEY="sv,
     "API_KEY="sv, "TOKEN="sv, "SECRET="sv, "AUTHORIZATION:"sv, "?SIG="sv, "&SIG="sv});

// Whoever knows such a URL can write there.
bool has_webhook(std::string_view value) {
    constexpr auto addresses = std::to_array(
        {"hooks.slack.com/"sv, "webhook.office.com/"sv, "outlook.office.com/webhook/"sv,
         "outlook.office365.com/webhook/"sv, "api.telegram.org/bot"sv});
    const auto is_in = [&](std::string_view address) { return value.contains(address); };
    if (std::ranges::any_of(addresses, is_in)) return true;
    const bool is_discord = is_in("discord.com/api/") || is_in("discordapp.com/api/");
    return is_discord && is_in("/webhooks/");
}

// Bundler takes the login of a host from a variable with the host's name, in which each dot is
// "__": BUNDLE_GEMS__EXAMPLE__ORG=user:password, or only a token.
bool is_login_of_bundler(std::string_view name, std::string_view value) {
    constexpr auto other_settings =
        std::to_array({"BUNDLE_BUILD__"sv, "BUNDLE_LOCAL__"sv, "BUNDLE_MIRROR__"sv});
    if (!name.starts_with("BUNDLE_") || !name.contains("__")) return false;
    if (std::ranges::any_of(other_settings, [&](auto one) { return name.starts_with(one); }))
        return false;
    const size_t colon = value.find(':');
    const bool is_login = colon != 0 && colon + 1 < value.size() && !value.contains('/');
    return colon == std::string_view::npos
               ? value.size() >= shortest_token && std::ranges::all_of(value, is_of_a_token)
               : is_login;
}

bool holds_secret(std::string_view value) {
    if (has_url_with_login(value) || is_token(value) || has_webhook(value)) return true;
    if (value.contains("PRIVATE KEY-----")) return true;
    if (!value.contains('=') && !value.contains("uthorization")) return false;
    const std::string big = upper(value);
    return std::ranges::any_of(telling_settings, [&](auto one) { return big.contains(one); });
}

}  // namespace

// Asked of every variable before every command, and nearly always of the same names.
bool is_withheld(std::string_view name, std::string_view value) {
    static thread_local std::map<std::string, bool, std::less<>> known;
    auto found = known.find(name);
    if (found == known.end()) {
        constexpr size_t most = 1024;
        if (known.size() >= most) known.clear();
        found = known.emplace(name, looks_withheld(name)).first;
    }
    return found->second || holds_secret(value) || is_login_of_bundler(name, value);
}

}  // namespace husk
