#include "decide/network.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/copies.h"
#include "decide/files.h"
#include "decide/path.h"
#include "decide/this_machine.h"
#include "parse/letters.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Redirect;
using parse::Word;

constexpr std::array<std::string_view, 34> curl_values = {
    "data",       "data-binary", "data-ascii",     "data-raw",    "data-urlencode",
    "json",       "form",        "form-string",    "upload-file", "header",
    "request",    "output",      "user",           "user-agent",  "cookie",
    "cookie-jar", "referer",     "config",         "max-time",    "connect-timeout",
    "retry",      "retry-delay", "retry-max-time", "write-out",   "proxy",
    "noproxy",    "cacert",      "cert",           "key",         "url",
    "resolve",    "range",       "limit-rate",     "output-dir"};

// Adds the file that `value` names; "-" is the standard input.
void add_file(Sending& sending, const Word& value) {
    if (value.is("-"))
        sending.standard_input = true;
    else
        sending.files.push_back(value);
}

// -d @file
void add_at_file(Sending& sending, const Word& value) {
    if (value.known_start().starts_with('@')) add_file(sending, without_start(value, 1));
}

// -F name=@file, -F name=<file, --data-urlencode name@file
void add_named_file(Sending& sending, const Word& value, std::string_view signs) {
    const std::string start = value.known_start();
    for (const char sign : signs) {
        const size_t at = start.find(sign);
        if (at == std::string::npos) continue;
        if (sign != '@' || at == 0 || start[at - 1] == '=' || !signs.contains('<'))
            return add_file(sending, without_start(value, at + 1));
    }
}

Arguments curl_arguments(const Command& command) {
    return read_arguments(arguments_of(command), {"AbcCdDeEFHKmoPQrtTuUwxXyYz", curl_values});
}

Arguments wget_arguments(const Command& command) {
    static constexpr std::array<std::string_view, 7> values = {
        "post-file", "body-file", "post-data", "output-document", "header", "execute", "config"};
    return read_arguments(arguments_of(command), {"OoPatTwQUie", values});
}

bool are_all_here(const std::vector<Word>& urls) {
    return !urls.empty() &&
           std::ranges::all_of(urls, [](const Word& url) { return is_this_machine(url); });
}

// These lead a request to another machine than the URL says. An empty proxy is none.
bool leads_curl_away(const Option& option) {
    if (is_one_of(option.name, "x proxy preproxy")) return !option.value || !option.value->is("");
    return is_one_of(option.name,
                     "socks4 socks4a socks5 socks5-hostname resolve connect-to K config");
}

// -e http_proxy=x, --config=x. wget reads httpproxy, Http-Proxy and http_proxy as the same.
bool leads_wget_away(const Option& option) {
    if (option.name == "config") return true;
    if (!is_one_of(option.name, "e execute") || !option.value) return false;
    std::string setting = parse::lowered(option.value->shown());
    std::erase_if(setting, [](char letter) { return letter == '_' || letter == '-'; });
    if (!option.value->known_start().contains('=')) return true;
    const size_t begin = setting.find_first_not_of(" \t");
    const size_t end = setting.find_first_of(" \t=", begin);
    if (setting.find_first_not_of(" \t", setting.find('=') + 1) == std::string::npos) return false;
    return is_one_of(std::string_view(setting).substr(begin, end - begin),
                     "httpproxy httpsproxy ftpproxy");
}

Sending sent_by_curl(const Command& command) {
    const Arguments arguments = curl_arguments(command);
    Sending sending;
    for (const Option& option : arguments.options) {
        if (!option.value) continue;
        if (is_one_of(option.name, "d data data-binary data-ascii json"))
            add_at_file(sending, *option.value);
        else if (is_one_of(option.name, "T upload-file"))
            add_file(sending, *option.value);
        else if (is_one_of(option.name, "F form"))
            add_named_file(sending, *option.value, "@<");
        else if (option.name == "data-urlencode")
            add_named_file(sending, *option.value, "@");
    }
    sending.to_this_machine = !leads_request_away(command) && are_all_here(urls_of(command));
    return sending;
}

Sending sent_by_wget(const Command& command) {
    const Arguments arguments = wget_arguments(command);
    Sending sending;
    for (const std::string_view name : {"post-file", "body-file"}) {
        for (const Word& file : arguments.values_of(name)) add_file(sending, file);
    }
    sending.to_this_machine = !leads_request_away(command) && are_all_here(arguments.operands);
    return sending;
}

// nc, telnet: whatever comes in goes to the host, which is the first operand.
Sending sent_by_pipe(const Command& command) {
    const Arguments arguments = read_arguments(arguments_of(command), {"IiMmOPpqsTVWwXx"});
    Sending sending;
    sending.standard_input = !arguments.has("z") && !arguments.has("l");
    sending.to_this_machine = !arguments.operands.empty() && !arguments.has("x") &&
                              !arguments.has("proxy") &&
                              is_this_machine(arguments.operands.front());
    return sending;
}

// socat A B: each of A and B can be a connection.
Sending sent_by_socat(const Command& command) {
    std::vector<Word> hosts;
    bool is_local = false;
    for (const Word& address : read_arguments(arguments_of(command)).operands) {
        const std::string kind = parse::lowered(address.known_start());
        const size_t colon = kind.find(':');
        const bool connects = std::ranges::any_of(
            std::array{"tcp", "udp", "sctp", "dccp", "openssl", "ssl", "socks", "proxy", "ip"},
            [&](std::string_view start) { return kind.starts_with(start); });
        is_local |= kind.starts_with("unix");
        if (connects) hosts.push_back(without_start(address, std::min(colon, kind.size() - 1) + 1));
    }
    Sending sending{.standard_input = true};
    sending.to_this_machine = hosts.empty() ? is_local : are_all_here(hosts);
    return sending;
}

}  // namespace

bool downloads(const Command& command) {
    return is_one_of(
        command.program(),
        "curl wget fetch aria2c http https lwp-request wget2 lynx links elinks w3m axel");
}

bool leads_request_away(const Command& command) {
    const std::string program = command.program();
    if (program == "curl")
        return std::ranges::any_of(curl_arguments(command).options, leads_curl_away);
    return is_one_of(program, "wget wget2") &&
           std::ranges::any_of(wget_arguments(command).options, leads_wget_away);
}

std::vector<std::string> socat_address_types(const Command& command) {
    std::vector<std::string> types;
    if (command.program() != "socat") return types;
    for (const Word& word : arguments_of(command)) {
        std::string text = word.known_start();
        std::ranges::transform(text, text.begin(), [](unsigned char letter) {
            return static_cast<char>(std::tolower(letter));
        });
        // An address may be two, one to read and one to write: a!!b.
        for (size_t begin = 0; begin <= text.size();) {
            const size_t end = std::min(text.find("!!", begin), text.size());
            const size_t colon = text.find(':', begin);
            if (colon < end) types.push_back(text.substr(begin, colon - begin));
            begin = end + 2;
        }
    }
    return types;
}

std::vector<Word> urls_of(const Command& command) {
    const std::string program = command.program();
    if (program == "curl") {
        Arguments arguments = curl_arguments(command);
        std::vector<Word> urls = std::move(arguments.operands);
        for (Word& url : arguments.values_of("url")) urls.push_back(std::move(url));
        return urls;
    }
    if (is_one_of(program, "wget wget2")) return wget_arguments(command).operands;
    std::vector<Word> urls = read_arguments(arguments_of(command)).operands;
    std::erase_if(urls, [](const Word& word) { return !word.known_start().contains("://"); });
    return urls;
}

std::vector<Word> sent_words(const Command& command) {
    const std::string program = command.program();
    if (program != "curl" && !is_one_of(program, "wget wget2")) return {};
    const Arguments arguments =
        program == "curl" ? curl_arguments(command) : wget_arguments(command);
    std::vector<Word> words;
    for (const Option& option : arguments.options) {
        const bool is_sent = is_one_of(
            option.name,
            "d data data-raw data-binary data-ascii data-urlencode json F form form-string H "
            "header A user-agent e referer b cookie post-data");
        if (is_sent && option.value) words.push_back(*option.value);
    }
    return words;
}

std::optional<Sending> sending_of(const Command& command) {
    const std::string program = command.program();
    Sending sending;
    if (program == "curl")
        sending = sent_by_curl(command);
    else if (is_one_of(program, "wget wget2"))
        sending = sent_by_wget(command);
    else if (is_one_of(program, "nc ncat netcat telnet"))
        sending = sent_by_pipe(command);
    else if (program == "socat")
        sending = sent_by_socat(command);
    else if (is_one_of(program, "scp rsync"))
        sending = sent_by_copy(command);
    else if (is_one_of(program, "aws gsutil rclone"))
        sending = sent_to_cloud(command);
    else if (is_one_of(program, "ssh mail mailx sendmail mutt"))
        sending.standard_input = true;
    else
        return std::nullopt;

    for (const Redirect& redirect : command.redirects) {
        if (sending.standard_input && redirect.kind == Redirect::Kind::Read &&
            !redirect.target.is("/dev/null"))
            sending.files.push_back(redirect.target);
    }
    return sending;
}

bool is_secret(const Word& word, const Context& context) {
    const Path path = path_of(word, context);
    if (path.segments.empty()) return false;
    const std::string& name = path.segments.back().text;
    if (name.ends_with(".pub") || is_one_of(name, ".env.example .env.sample known_hosts"))
        return false;
    const std::string folder =
        path.segments.size() < 2 ? "" : path.segments[path.segments.size() - 2].text;
    return is_one_of(
               name,
               ".env .netrc .npmrc .pypirc .git-credentials .bash_history .zsh_history id_rsa "
               "id_dsa id_ecdsa id_ed25519 credentials.json shadow environ") ||
           name.starts_with(".env.") || name.ends_with(".pem") || name.ends_with(".key") ||
           name.ends_with(".kdbx") ||
           is_one_of(folder + "/" + name, ".kube/config .docker/config.json") ||
           std::ranges::any_of(path.segments, [](const Segment& segment) {
               return is_one_of(segment.text, ".ssh .aws .gnupg gcloud");
           });
}

bool gives_secrets(const Command& command, const Context& context) {
    const std::string program = command.program();
    if (is_one_of(program, "env printenv export set declare history") && command.words.size() == 1)
        return true;
    if (is_one_of(program, "echo printf test [ ls stat")) return false;
    return std::ranges::any_of(arguments_of(command),
                               [&](const Word& word) { return is_secret(word, context); }) ||
           std::ranges::any_of(command.redirects, [&](const Redirect& redirect) {
               return redirect.kind == Redirect::Kind::Read && is_secret(redirect.target, context);
           });
}

bool gives_local_data(const Command& command) {
    return is_one_of(command.program(),
                     "cat tac head tail less dd tar zip gzip bzip2 xz zstd base64 base32 xxd od "
                     "hexdump openssl gpg env printenv find ls grep git mysqldump pg_dump sqlite3 "
                     "strings history ps");
}

}  // namespace husk::decide
