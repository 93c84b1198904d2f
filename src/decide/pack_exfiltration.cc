// Against sending what is on this machine to another one.
#include <algorithm>
#include <array>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/detours.h"
#include "decide/network.h"
#include "decide/origin.h"
#include "decide/this_machine.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Redirect;
using parse::Word;

constexpr double likely = 0.7;

bool reads_content(const Command& command) {
    return is_one_of(command.program(), "cat base64 xxd od tar gzip head tail env printenv");
}

std::optional<Sending> sending_elsewhere(const Scene& scene) {
    auto sending = sending_of(scene.command);
    if (sending && sending->to_this_machine && !may_have_proxy(scene)) sending.reset();
    return sending;
}

std::optional<std::string> secret(const Scene& scene) {
    const auto sending = sending_elsewhere(scene);
    if (!sending) return std::nullopt;
    const auto is_source = [&](const Command& command) {
        return gives_secrets(command, scene.context);
    };
    const bool sends_one =
        std::ranges::any_of(sending->files,
                            [&](const Word& file) { return is_secret(file, scene.context); }) ||
        comes_from_words(scene, is_source) ||
        // Even to a program that seems not to read its standard input: `env | curl` is no accident.
        (is_piped_from(scene, is_source) && (sending->standard_input || downloads(scene.command)));
    return found_if(sends_one, scene.command.text);
}

std::optional<std::string> upload(const Scene& scene) {
    const auto sending = sending_elsewhere(scene);
    if (!sending) return std::nullopt;
    if (!sending->files.empty()) return sending->files.front().shown();
    const bool from_words = comes_from_words(scene, reads_content);
    const bool piped = sending->standard_input && is_piped_from(scene, gives_local_data);
    return found_if(from_words || piped, scene.command.text);
}

std::optional<std::string> file_transfer(const Scene& scene) {
    if (!is_one_of(scene.command.program(), "ftp lftp sftp tftp ncftpput")) return std::nullopt;
    const auto words = arguments_of(scene.command);
    // sftp host:file fetches it.
    const bool fetches =
        std::ranges::any_of(words, [](const Word& word) { return word.shown().contains(':'); });
    return found_if(!words.empty() && !fetches, scene.command.text);
}

std::optional<std::string> shell_for_others(const Scene& scene) {
    const std::string program = scene.command.program();
    if (is_one_of(program, "nc ncat netcat")) {
        static constexpr std::array<std::string_view, 2> names = {"exec", "sh-exec"};
        const Arguments arguments =
            read_arguments(arguments_of(scene.command), {"ceIiMmOPpqsTVWwXx", names});
        const bool serves = arguments.has("e") || arguments.has("c") || arguments.has("exec") ||
                            arguments.has("sh-exec");
        if (serves) return scene.command.text;
    }
    const std::vector<std::string> kinds = socat_address_types(scene.command);
    const bool runs = std::ranges::any_of(
        kinds, [](const std::string& kind) { return is_one_of(kind, "exec system shell"); });
    return found_if(runs, scene.command.text);
}

std::optional<std::string> bare_connection(const Scene& scene) {
    for (const Redirect& redirect : scene.command.redirects) {
        const std::string path = redirect.target.shown();
        for (const std::string_view device : {"/dev/tcp/", "/dev/udp/"}) {
            if (path.starts_with(device) &&
                !is_this_machine(std::string_view(path).substr(device.size())))
                return path;
        }
    }
    return std::nullopt;
}

// dig "$(base64 < file).example.net": names that carry data.
std::optional<std::string> name_lookup(const Scene& scene) {
    if (!is_one_of(scene.command.program(), "dig nslookup host drill ping")) return std::nullopt;
    return found_if(comes_from_words(scene, reads_content), scene.command.text);
}

constexpr std::array checks = {
    Check{"exfiltration/secret", Decision::Deny, Severity::High, likely,
          "This sends passwords, keys or the environment to another machine ({}).",
          "Leave secrets where they are; ask the user to enter them where they are needed.",
          secret},
    Check{"exfiltration/shell", Decision::Deny, Severity::High, likely,
          "This lets another machine run commands here ({}).", "", shell_for_others},
    Check{"exfiltration/bare-connection", Decision::Deny, Severity::High, likely,
          "This connects the shell itself to another machine ({}).",
          "Use curl for what it should fetch.", bare_connection},
    Check{"exfiltration/upload", Decision::Ask, Severity::High, likely,
          "This sends local files to another machine ({}).", "", upload},
    Check{"exfiltration/file-transfer", Decision::Ask, Severity::High, likely,
          "This can send local files to another machine ({}).", "", file_transfer},
    Check{"exfiltration/name-lookup", Decision::Deny, Severity::High, likely,
          "The name that is looked up carries local data to another machine ({}).", "",
          name_lookup},
};

}  // namespace

constinit const Pack exfiltration_pack = {
    .name = "exfiltration",
    .about = "sending what is on this machine to another one",
    .on_by_default = false,
    .checks = checks,
};

}  // namespace husk::decide
