#include <unistd.h>

#include "base/result.h"
#include "base/units.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "render/ending_line.h"
#include "render/report_json.h"

namespace husk::cli {
namespace {

struct WaitOptions {
    Settings settings;
    std::string id;
    std::vector<std::string> until;
    std::string exclude;
    std::optional<std::chrono::milliseconds> timeout;
    bool json = false;
};

// "exit", "gone", "match=RE", "quiet=2s", "port=3000", "file=PATH".
Result<void> add_condition(Until& until, const std::string& text) {
    const size_t equals = text.find('=');
    const std::string kind = text.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    const auto wrong = [&](const char* expected) {
        return failure("--until", 0, "\"" + text + "\" is not " + expected);
    };
    if (kind == "exit" && value.empty()) return {};
    if (kind == "gone" && value.empty()) {
        until.gone = true;
        return {};
    }
    if (value.empty()) return wrong("one of exit, gone, match=RE, quiet=2s, port=3000, file=PATH");
    if (kind == "match") {
        until.match = value;
    } else if (kind == "file") {
        until.file = std::filesystem::absolute(value);
    } else if (kind == "quiet") {
        until.quiet = text::parse_duration(value);
        if (!until.quiet) return wrong("a duration such as quiet=2s");
    } else if (kind == "port") {
        constexpr uint64_t highest = 65535;
        const auto port = text::parse_number(value);
        if (!port || *port == 0 || *port > highest) return wrong("a port such as port=3000");
        until.port = static_cast<int>(*port);
    } else {
        return wrong("one of exit, gone, match=RE, quiet=2s, port=3000, file=PATH");
    }
    return {};
}

int print(const Waited& waited, bool json) {
    const Report& report = waited.report;
    const int code = waited.met == "timeout"                        ? timed_out
                     : waited.met == "exit" || waited.met == "gone" ? exit_status(report)
                                                                    : 0;
    if (json) {
        nlohmann::ordered_json object = {{"met", waited.met}};
        if (!waited.line.empty()) object["line"] = waited.line;
        object.update(render::report_json(report));
        write_out(STDOUT_FILENO, render::dump(object) + "\n");
        return code;
    }
    write_out(STDOUT_FILENO, report.out.value_or(report.output));
    if (report.err) write_out(STDERR_FILENO, *report.err);
    if (waited.met == "timeout") return write_out(STDERR_FILENO, "husk: it still runs\n"), code;
    if (const std::string line = render::ending_line(report); !line.empty() && report.ended())
        write_out(STDERR_FILENO, "husk: " + line + "\n");
    return code;
}

int wait(const WaitOptions& options) {
    Until until;
    for (const std::string& condition : options.until)
        if (const auto added = add_condition(until, condition); !added) return fail(added.error());
    if (!options.exclude.empty()) until.exclude = options.exclude;
    const auto answer = Shells(options.settings).wait(options.id, until, options.timeout);
    if (const auto* error = std::get_if<Error>(&answer)) return fail(*error);
    return print(std::get<Waited>(answer), options.json);
}

}  // namespace

void add_wait(CLI::App& app, int& code) {
    auto options = std::make_shared<WaitOptions>();
    CLI::App* sub = app.add_subcommand("wait", "Wait for something that a command does");
    sub->add_option("ID", options->id, "The shell's id")->required();
    sub->add_option("--until", options->until,
                    "exit (default), gone, match=RE, quiet=2s, port=3000, file=PATH; the first of "
                    "several, and always also the end of the command")
        ->allow_extra_args(false);
    sub->add_option("--exclude", options->exclude, "Lines that match this do not count");
    add_duration(*sub, "--timeout", options->timeout, "Give up after this long (exit 124)");
    sub->add_flag("--json", options->json, "Print the report, with what was met, as JSON");
    add_state(*sub, options->settings);
    sub->callback([options, &code] { code = wait(*options); });
}

}  // namespace husk::cli
