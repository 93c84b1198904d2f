// Husk's own contract: from arguments to actions.
#include "contract/husk.h"

#include <algorithm>
#include <array>

#include "base/signals.h"
#include "base/text.h"
#include "base/units.h"
#include "contract/ask_for.h"
#include "contract/modes.h"

namespace husk::contract {
namespace {

using schema::flag_of;
using schema::integer_of;
using schema::text_of;

using Decoded = std::expected<Action, Answer>;

constexpr std::array<std::string_view, 3> packs = {"git", "rm", "destroyers"};

// Everything a model may send is bounded, so that nothing overflows a clock.
milliseconds duration_of(int64_t count) {
    return std::min(milliseconds(count), text::longest_duration);
}

std::optional<uint64_t> amount_of(const Json& arguments, const char* name) {
    const auto number = integer_of(arguments, name);
    return number ? std::optional(static_cast<uint64_t>(*number)) : std::nullopt;
}

void decode_limits(const Json& limits, Request& request) {
    if (const auto cpu = integer_of(limits, "cpu_ms")) request.limits.cpu = duration_of(*cpu);
    if (const auto idle = integer_of(limits, "idle_ms")) request.idle_timeout = duration_of(*idle);
    request.limits.memory = amount_of(limits, "memory_bytes");
    request.limits.processes = amount_of(limits, "processes");
    request.limits.open_files = amount_of(limits, "open_files");
    request.limits.file_size = amount_of(limits, "file_size_bytes");
    request.limits.disk = amount_of(limits, "disk_bytes");
    request.output_limit = amount_of(limits, "output_bytes");
}

void decode_timeout(const Json& arguments, const Situation& situation, Run& run) {
    const milliseconds longest = situation.longest_timeout.value_or(husk_longest_timeout);
    const milliseconds usual = situation.default_timeout.value_or(husk_default_timeout);
    const auto asked = integer_of(arguments, "timeout_ms");
    milliseconds timeout = asked ? duration_of(*asked) : std::min(usual, longest);
    if (timeout > longest) {
        run.notes.push_back("timeout_ms is at most " + std::to_string(longest.count()) +
                            ", so that was taken");
        timeout = longest;
    }
    Request& request = run.request;
    request.on_timeout =
        text_of(arguments, "on_timeout") == "kill" ? OnTimeout::Kill : OnTimeout::Background;
    const bool waits_on = request.on_timeout == OnTimeout::Background;
    if (waits_on && situation.answer_within) timeout = std::min(timeout, *situation.answer_within);
    // Nobody waits for a background command, so its time is never over; unless it shall be killed.
    if (request.background && (waits_on || !asked)) return;
    request.timeout = timeout;
}

// What is asked for may be narrower than what the conversation has, never wider.
std::optional<std::string> decode_walls(const Json& arguments, const Situation& situation,
                                        Run& run) {
    const std::string who =
        "; only the user can change that, and not by a command (`ask_for` asks the user)";
    if (const auto mode = mode_named(text_of(arguments, "mode"))) {
        if (*mode > situation.mode)
            return "`mode` cannot be \"" + std::string(word(*mode)) +
                   "\": commands run here in the mode \"" + word(situation.mode) + "\"" + who;
        run.mode = mode;
    }
    if (arguments.contains("network")) {
        Network network = network_named(text_of(arguments, "network"));
        const bool closed = run.mode.value_or(situation.mode) != Mode::Open;
        const Network& given =
            situation.mode == Mode::Open ? Network{Network::Kind::Open, {}} : situation.network;
        if (!is_within(network, given)) return "`network` cannot be wider than it is here" + who;
        if (!closed && network.kind != Network::Kind::Open)
            return "`network` can only be narrowed in the modes read-only and workspace; give "
                   "`mode` as well";
        run.network = std::move(network);
    }
    return std::nullopt;
}

Leftovers leftovers_named(const std::string& name) {
    if (name == "kill") return Leftovers::Kill;
    return name == "wait" ? Leftovers::Wait : Leftovers::Adopt;
}

Decoded decode_bash(const Json& arguments, const Situation& situation) {
    Run run;
    Request& request = run.request;
    request.command = text_of(arguments, "command");
    if (request.command.empty())
        return std::unexpected(husk_error("`command` is empty: give a command to run"));
    request.description = text_of(arguments, "description");
    request.working_dir = text_of(arguments, "working_directory");
    request.background = flag_of(arguments, "run_in_background");
    request.leftovers = leftovers_named(text_of(arguments, "leftovers"));
    if (text_of(arguments, "streams") == "split") request.streams = Streams::Split;
    if (const std::string input = text_of(arguments, "stdin"); !input.empty())
        request.input = InputText{input};
    request.max_output_bytes = amount_of(arguments, "max_output_bytes").value_or(husk_output_bytes);
    run.session = text_of(arguments, "session");
    if (const auto env = arguments.find("env"); env != arguments.end())
        for (const auto& [name, value] : env->items())
            request.env[name] =
                value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
    if (const auto limits = arguments.find("limits"); limits != arguments.end())
        decode_limits(*limits, request);
    decode_timeout(arguments, situation, run);
    if (const auto wrong = decode_walls(arguments, situation, run))
        return std::unexpected(husk_error(*wrong));
    auto asked = decode_ask_for(arguments, situation);
    if (!asked) return std::unexpected(husk_error(asked.error()));
    run.ask_for = *std::move(asked);
    return run;
}

Decoded decode_output(const Json& arguments) {
    Read read{.shell_id = text_of(arguments, "shell_id")};
    read.max_bytes = amount_of(arguments, "max_bytes").value_or(husk_output_bytes);
    int ways = 0;
    if (const auto since = amount_of(arguments, "since")) read.range = Since{*since}, ++ways;
    if (const auto lines = amount_of(arguments, "lines")) read.range = LastLines{*lines}, ++ways;
    if (const std::string grep = text_of(arguments, "grep"); !grep.empty())
        read.range = Grep{grep}, ++ways;
    if (ways > 1)
        return std::unexpected(
            husk_error("give only one of `since`, `lines` and `grep`: each says what to read"));
    return read;
}

Decoded decode_wait(const Json& arguments, const Situation& situation) {
    Wait wait{.shell_id = text_of(arguments, "shell_id"), .max_bytes = husk_output_bytes};
    const auto timeout = integer_of(arguments, "timeout_ms");
    wait.timeout = timeout ? duration_of(*timeout) : husk_default_wait;
    wait.timeout = std::min(wait.timeout, husk_longest_timeout);
    if (situation.answer_within) wait.timeout = std::min(wait.timeout, *situation.answer_within);
    const auto found = arguments.find("until");
    if (found == arguments.end()) return wait;
    const Json& until = *found;
    if (const std::string match = text_of(until, "match"); !match.empty()) wait.until.match = match;
    if (const std::string exclude = text_of(until, "exclude"); !exclude.empty())
        wait.until.exclude = exclude;
    if (const std::string file = text_of(until, "file"); !file.empty()) wait.until.file = file;
    if (const auto port = integer_of(until, "port")) wait.until.port = static_cast<int>(*port);
    if (const auto quiet = integer_of(until, "quiet_ms")) wait.until.quiet = duration_of(*quiet);
    if (wait.until.exclude && !wait.until.match)
        return std::unexpected(
            husk_error("`until.exclude` needs `until.match`: it says which matching lines do not "
                       "count"));
    return wait;
}

Decoded decode_kill(const Json& arguments) {
    Kill kill{.shell_id = text_of(arguments, "shell_id"), .max_bytes = husk_output_bytes};
    const std::string name = text_of(arguments, "signal", "TERM");
    const auto signal = signal_number(name);
    if (!signal)
        return std::unexpected(husk_error(
            "`signal` is the name of a signal such as TERM or INT, not \"" + name + "\""));
    kill.ladder.signal = *signal;
    constexpr milliseconds longest(60'000);
    if (const auto patience = integer_of(arguments, "patience_ms"))
        kill.ladder.patience = std::min(duration_of(*patience), longest);
    return kill;
}

Decoded decode(std::string_view tool, std::string_view text, const Situation& situation) {
    const Tool& chosen = husk_tool(tool, situation.arguments);
    const auto arguments = schema::read_arguments(text, chosen.takes, chosen.manner);
    if (!arguments) return std::unexpected(husk_error(arguments.error()));
    if (tool == "bash_output") return decode_output(*arguments);
    if (tool == "bash_wait") return decode_wait(*arguments, situation);
    if (tool == "bash_kill") return decode_kill(*arguments);
    if (tool == "bash_list") return List{};
    return decode_bash(*arguments, situation);
}

}  // namespace

constinit const Contract husk_contract = {
    .name = "husk",
    .defaults = {.packs = packs,
                 .unparsable = Unparsable::Refused,
                 .refuses_what_it_does_not_understand = true,
                 .leftovers = Leftovers::Adopt,
                 .environment = Environment::Scrubbed,
                 .mode = Mode::Workspace,
                 .early_end = milliseconds(200),
                 .in_container = true,
                 .packs_in_container = packs,
                 .timeouts = {husk_default_timeout, husk_longest_timeout},
                 .has_ask_for = true},
    .tools = husk_tools,
    .decode = decode,
    .render = husk_answer,
};

}  // namespace husk::contract
