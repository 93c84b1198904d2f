#include <unistd.h>

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "base/terminal_text.h"
#include "cli/command_words.h"
#include "cli/consent.h"
#include "cli/limit_option.h"
#include "cli/printer.h"
#include "cli/setting_option.h"
#include "cli/signals.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "cli/typed_input.h"
#include "cli/wall_options.h"
#include "cli/word_option.h"
#include "contract/modes.h"
#include "render/ending_line.h"
#include "render/report_json.h"
#include "request/environment.h"
#include "request/settings_layers.h"
#include "tool/call_audit.h"
#include "tool/configured_paths.h"
#include "tool/display_of.h"
#include "tool/engine_values.h"
#include "tool/own_files.h"
#include "tool/placed.h"
#include "tool/plan_call.h"

namespace husk::cli {
namespace {

enum class Format { Plain, Json, StreamJson };
enum class Checks { On, Off };

struct RunOptions {
    config::Settings flags;     // what husk.yaml could say too
    tool::EngineValues engine;  // all the rest, and then everything
    std::vector<std::string> words;
    Format format = Format::Plain;
    std::string input;
    std::string input_text;
    Checks checks = Checks::On;
    Escapes escapes = Escapes::Filtered;
    std::string config;
    std::optional<std::chrono::milliseconds> patience;
};

void stream_plain(ToolContext& context, const std::shared_ptr<Printer>& printer) {
    context.on_output = [printer](const OutputPiece& piece) {
        if (piece.dropped_before > 0)
            fail(std::to_string(piece.dropped_before) +
                 " bytes of output came faster than they were read, and are gone");
        printer->print(piece.errors ? STDERR_FILENO : STDOUT_FILENO, piece.bytes);
    };
}

void stream_events(ToolContext& context, bool split, const std::shared_ptr<Printer>& printer) {
    context.on_start = [printer](const std::string& shell_id) {
        const nlohmann::ordered_json event = {{"event", "start"}, {"shell_id", shell_id}};
        printer->print(STDOUT_FILENO, render::dump(event) + "\n");
    };
    context.on_output = [split, printer](const OutputPiece& piece) {
        printer->print_event(piece, split);
    };
}

int finish_plain(const Report& report, const Request& request) {
    const std::string line = render::ending_line(report);
    if (const auto* failed = std::get_if<NotStarted>(&report.ending)) return fail(failed->cause);
    if (!line.empty()) write_out(STDERR_FILENO, "husk: " + line + "\n");
    for (const std::string& path : report.reverted)
        write_out(STDERR_FILENO,
                  "husk: " + text::one_line(path) + " is protected, and was taken away again\n");
    // To a person a missing variable matters only if the command failed.
    for (const std::string& note : report.notes)
        if (exit_status(report) != 0 || !is_note_on_dropped(note))
            write_out(STDERR_FILENO, "husk: " + note + "\n");
    if (!report.excerpt.complete) {
        write_out(STDERR_FILENO,
                  "husk: " + std::to_string(report.excerpt.dropped_bytes) +
                      " bytes of output were not kept: " + report.excerpt.dropped_because + "\n");
    }
    // The id is what the caller of a background command asked for.
    if (request.background && !report.shell_id.empty())
        write_out(STDOUT_FILENO, report.shell_id + "\n");
    return exit_status(report);
}

int finish(const Report& report, const RunOptions& options, const Printer& printer) {
    if (options.format == Format::Plain) return finish_plain(report, options.engine.request);
    nlohmann::ordered_json object;
    if (options.format == Format::StreamJson) object["event"] = "ending";
    object.update(render::report_json(report));
    // It has come in events of its own.
    if (options.format == Format::StreamJson && !options.flags.shown_output.is_given())
        for (const char* name : {"output", "stdout", "stderr"}) object[name] = nullptr;
    printer.finish(render::dump(object));
    return exit_status(report);
}

// The call as it is judged: with the variables that it sets itself. Those of the configuration are
// the user's own, as for a server.
Request as_judged(const RunOptions& options) {
    Request call = options.engine.request;
    call.env = given_variables(options.flags);
    return call;
}

// Of what was never started.
Report report_of(const RunOptions& options, Ending ending) {
    Report report;
    report.ending = std::move(ending);
    const Request& request = options.engine.request;
    report.command = request.command;
    report.display = tool::display_of(report.command, tool::place_of(request, {}));
    report.session = options.engine.context.session;
    return report;
}

// What is known before anything is started.
tool::CallAudit audit_of(const RunOptions& options, const std::optional<Consent>& consent) {
    const auto& [settings, request, context, container] = options.engine;
    const std::string here = tool::place_of(request, {});
    audit::Asked asked{.via = "run",
                       .action = "run",
                       .session = context.session,
                       .workspace = context.workspace.empty() ? here : context.workspace.string(),
                       .cwd = here,
                       .command = request.command,
                       .mode = contract::word(context.mode),
                       .background = request.background};
    if (consent) {
        asked.programs = consent->programs;
        asked.verdict = consent->verdict;
        asked.approval = consent->approval;
    }
    return {std::make_shared<audit::Journal>(settings.state), std::move(asked)};
}

int start(RunOptions& options, const std::optional<Consent>& consent) {
    auto& [settings, request, context, container] = options.engine;
    tool::CallAudit audit = audit_of(options, consent);
    const auto received = std::make_shared<std::atomic<int>>(0);
    const std::stop_source stop = cancel_on_signals(received);
    context.cancel = stop.get_token();
    std::unique_ptr<TypedInput> typed;
    const auto* own = std::get_if<InputDescriptor>(&request.input);
    if (own != nullptr && ::isatty(own->fd) != 0) {
        auto started = TypedInput::start();
        if (!started) return fail(started.error());
        typed = *std::move(started);
        request.input = InputDescriptor{typed->for_command()};
    }
    const auto printer = std::make_shared<Printer>(stop, received, options.escapes);
    const bool split = request.streams == Streams::Split;
    if (options.format == Format::StreamJson) stream_events(context, split, printer);
    // What has been printed as it came need not be in the report too.
    if (options.format != Format::Json)
        request.max_output_bytes =
            options.flags.shown_output.is_given() ? *options.flags.shown_output.value : 0;
    if (options.format == Format::Plain && !request.background) stream_plain(context, printer);

    context.on_start = [&audit, tell = context.on_start](const std::string& shell_id) {
        audit.begins(shell_id);
        if (tell) tell(shell_id);
    };
    const Network network = context.network;
    if (container)
        if (const auto placed = tool::place_call(*container, settings, request, context); !placed) {
            audit.over("", placed.error().text());
            return fail(placed.error());
        }
    settings.checks.reset();  // it has been judged, or the user wants no checks
    Bash bash(settings);
    Report report = bash.run(request, context);
    if (container) tool::tell_placed(report, network);
    audit.ended(report);
    if (!audit.trouble().empty()) report.notes.push_back(audit.trouble());
    if (consent) {
        report.verdict = consent->verdict;
        report.notes.insert(report.notes.end(), consent->notes.begin(), consent->notes.end());
    }
    if (options.format == Format::StreamJson) printer->print_held(split);
    printer->end_output();
    const int code = finish(report, options, *printer);
    const bool cancelled = std::holds_alternative<Cancelled>(report.ending);
    return cancelled && received->load() != 0 ? 128 + received->load() : code;
}

// It is on record too.
int finish_unstarted(Report report, const RunOptions& options,
                     const std::optional<Consent>& consent) {
    tool::CallAudit audit = audit_of(options, consent);
    audit.ended(report);
    if (!audit.trouble().empty()) report.notes.push_back(audit.trouble());
    return finish(report, options, Printer({}, nullptr, options.escapes));
}

int run(RunOptions& options) {
    if (options.words.empty()) return fail("no command given; try husk run -- 'echo hello'");
    const auto configuration = tool::read_configuration(options.config, options.flags);
    if (!configuration) return fail(configuration.error());
    options.engine = tool::engine_values(*configuration, std::move(options.engine));
    if (const auto checked = tool::check_paths(*configuration, options.engine.context); !checked)
        return fail(checked.error());
    tool::make_directories_to_hold(*configuration, options.engine.context);
    Request& request = options.engine.request;
    request.command = as_command(options.words);
    if (const std::string why = config::network_refusal(configuration->settings); !why.empty())
        return finish_unstarted(report_of(options, NotStarted{{"network", 0, why}}), options,
                                std::nullopt);
    if (options.checks == Checks::Off) return start(options, std::nullopt);
    const auto consent = ask_for_consent(as_judged(options), *configuration);
    if (!consent) return fail(consent.error());
    if (!consent->denied) return start(options, *consent);
    Report report = report_of(options, *consent->denied);
    report.verdict = consent->verdict;
    report.notes = consent->notes;
    return finish_unstarted(std::move(report), options, *consent);
}

Result<void> complete(RunOptions& options) {
    Request& request = options.engine.request;
    if (options.input == "-") request.input = InputDescriptor{STDIN_FILENO};
    if (!options.input.empty() && options.input != "-") {
        std::error_code failed;
        if (!std::filesystem::exists(options.input, failed))
            return failure("--stdin", failed ? failed.value() : ENOENT, options.input);
        request.input = InputFile{options.input};
    }
    if (!options.input_text.empty()) request.input = InputText{options.input_text};
    if (options.patience) request.stop.patience = *options.patience;
    return {};
}

void add_behaviour(CLI::App& sub, RunOptions& options) {
    Request& request = options.engine.request;
    add_wall_options(sub, options.flags);
    add_place_option(sub, options.flags);
    sub.add_flag("--force", options.engine.context.wide_workspace,
                 "Allow a workspace that contains / or a home directory");
    add_limit_option(sub, options.flags);
    add_word<Checks>(sub, "--checks", options.checks, {{"on", Checks::On}, {"off", Checks::Off}},
                     "on (default): decide before running; off: just run");
    add_setting(sub, "--timeout", options.flags, "timeouts.default",
                "How long to wait, for example 30s");
    add_word<OnTimeout>(sub, "--on-timeout", request.on_timeout,
                        {{"kill", OnTimeout::Kill}, {"background", OnTimeout::Background}},
                        "kill (default) or background");
    add_setting(sub, "--idle-timeout", options.flags, "limits.idle",
                "End it after so long without output");
    add_duration(sub, "--patience", options.patience, "From SIGTERM to SIGKILL (default 2s)");
    sub.add_flag("--background", request.background, "Print the id and return at once");
    add_word<Leftovers>(
        sub, "--leftovers", request.leftovers,
        {{"adopt", Leftovers::Adopt}, {"kill", Leftovers::Kill}, {"wait", Leftovers::Wait}},
        "What becomes of processes that outlive it: adopt (default), kill, wait");
    add_word<Streams>(sub, "--streams", request.streams,
                      {{"merged", Streams::Merged}, {"split", Streams::Split}},
                      "merged (default) or split");
}

void add_surroundings(CLI::App& sub, RunOptions& options) {
    sub.add_option("--session", options.engine.context.session,
                   "Join or make the session of this name");
    add_working_directory(sub, options.flags);
    add_variables(sub, options.flags);
    CLI::Option* input =
        sub.add_option("--stdin", options.input, "Standard input: a file, or - for husk's own");
    sub.add_option("--stdin-text", options.input_text, "Standard input: this text")
        ->excludes(input);
    add_setting(sub, "--max-output", options.flags, "output.shown",
                "Bytes of output in the report (30000)");
    add_setting(sub, "--keep-output", options.flags, "output.kept",
                "Bytes of output kept in the spool (64M)");
    add_setting(sub, "--state", options.flags, "state", state_description);
    add_config(sub, options.config);
    add_raw(sub, options.escapes);
    CLI::Option* json = sub.add_flag_callback(
        "--json", [&options] { options.format = Format::Json; }, "Print the report as JSON");
    sub.add_flag_callback(
           "--stream-json", [&options] { options.format = Format::StreamJson; },
           "Print one JSON event a line as things happen")
        ->excludes(json);
}

}  // namespace

void add_run(CLI::App& app, const std::vector<std::string>& words, int& code) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* sub = app.add_subcommand("run", "Run a command and tell how it ended");
    sub->footer(
        "COMMAND is one bash command, or several words that are quoted into one.\n"
        "Exits as the command did (128+S for a signal), 124 when a timeout or another limit\n"
        "stopped it, 126 when denied, 125 when Husk itself failed, 0 when it goes on in the\n"
        "background.");
    sub->allow_extras();  // the command; an option of CLI11's would take "[ x ]" for a list
    add_behaviour(*sub, *options);
    add_surroundings(*sub, *options);
    sub->callback([sub, options, &words, &code] {
        if (const auto done = complete(*options); !done) {
            code = fail(done.error());
            return;
        }
        const auto command = command_words(*sub, words);
        if (!command) {
            code = fail(command.error());
            return;
        }
        options->words = *command;
        code = run(*options);
    });
}

}  // namespace husk::cli
