#include <algorithm>
#include <csignal>
#include <utility>

#include "base/pattern.h"
#include "base/signals.h"
#include "base/units.h"
#include "base/utf8.h"
#include "collect/stream.h"
#include "render/report_json.h"
#include "serve/http_v1.h"

namespace husk::serve::http {
namespace {

using collect::Which;

constexpr uint64_t usual_bytes = 64 * 1024;
constexpr uint64_t most_bytes = uint64_t{1} << 20;
constexpr uint64_t longest_wait_ms = 30'000;

Response no_such_shell(const std::string& id, const Error& error) {
    const bool unknown = error.text() == collect::no_such_shell(id).text();
    return error_response(unknown ? 404 : 500, unknown ? "no_such_shell" : "unreadable",
                          error.text());
}

Result<tool::KnownShell> open(const Parts& parts, const std::string& id) {
    return tool::known(TRY(collect::open_shell(parts.state, id)));
}

// The newest first, those that live before all others.
Response shells_response(const Parts& parts, const std::map<std::string, Sample>& samples,
                         bool only_live, uint64_t limit) {
    const auto ids = collect::shell_ids(parts.state);
    if (!ids) return error_response(500, "unreadable", ids.error().text());
    struct Row {
        bool live;
        uint64_t created;
        std::string id;
    };
    std::vector<Row> rows;
    for (const std::string& id : *ids) {
        const auto files = collect::open_shell(parts.state, id);
        const auto now = files ? collect::look(*files, os::Clock::now())
                               : Result<collect::Snapshot>(std::unexpected(files.error()));
        // Made ahead, being cleared away, or of another version: asked for by id, it says so.
        if (!now || (only_live && !now->tree_lives)) continue;
        rows.push_back({now->tree_lives, now->record.created, id});
    }
    std::ranges::sort(rows, [](const Row& one, const Row& other) {
        return std::tie(other.live, other.created, one.id) <
               std::tie(one.live, one.created, other.id);
    });
    Json shells = Json::array();
    for (const Row& row : rows) {
        if (shells.size() >= limit) break;
        const auto shell = open(parts, row.id);
        if (!shell) continue;
        const auto sample = samples.find(row.id);
        shells.push_back(shell_json(
            *shell, sample == samples.end() ? std::nullopt : std::optional(sample->second)));
    }
    return json_response(200, {{"shells", std::move(shells)}, {"total", rows.size()}});
}

struct Wanted {
    std::string id;
    Which which = Which::Output;
    uint64_t since = 0;
    uint64_t max_bytes = usual_bytes;
    std::optional<uint64_t> tail = {};
    std::optional<std::pair<uint64_t, uint64_t>> lines = {};
    std::string grep = {};
};

const char* stream_name(Which which) { return which == Which::Output ? "stdout" : "stderr"; }

// What of a piece can be shown now: a character that is not complete comes with the next.
std::string_view whole_part(const collect::Piece& piece, uint64_t total, bool live) {
    const bool at_the_end = piece.end() >= total;
    if (at_the_end && !live) return piece.bytes;
    const std::string_view whole = text::without_torn_end(piece.bytes);
    return whole.empty() && !at_the_end ? std::string_view(piece.bytes) : whole;
}

Result<Json> made_readable(const tool::KnownShell& shell, const Wanted& wanted) {
    collect::Shot shot;
    if (wanted.lines) {
        shot = TRY(collect::show_lines(shell.files, wanted.which, wanted.lines->first,
                                       wanted.lines->second, wanted.max_bytes));
    } else {
        const auto pattern = Pattern::compile(wanted.grep);
        if (!pattern) return failure("grep", EINVAL, pattern.error());
        shot = TRY(collect::show_matches(shell.files, wanted.which, *pattern, wanted.max_bytes));
    }
    return Json{{"offset", 0},
                {"text", text::to_utf8(shot.shown.text)},
                {"cursor", shot.state.kept.total},
                {"total", shot.state.kept.total},
                {"dropped_before", 0}};
}

Result<Json> raw_piece(const tool::KnownShell& shell, const Wanted& wanted) {
    uint64_t since = wanted.since;
    if (wanted.tail)
        since = TRY(collect::offset_of_last_lines(shell.files, wanted.which, *wanted.tail));
    const collect::Piece piece =
        TRY(collect::read_from(shell.files, wanted.which, since, wanted.max_bytes));
    const uint64_t total = TRY(collect::stream_state(shell.files, wanted.which)).kept.total;
    const std::string_view part = whole_part(piece, total, shell.now.tree_lives);
    return Json{{"offset", piece.at},
                {"text", text::to_utf8(part)},
                {"cursor", piece.at + part.size()},
                {"total", total},
                {"dropped_before", piece.dropped_before}};
}

Result<Json> output_json(const Parts& parts, const Wanted& wanted) {
    // The state first: what was written before the end is read after it.
    const tool::KnownShell shell = TRY(open(parts, wanted.id));
    if (wanted.which == Which::Errors && !shell.files.error_log)
        return failure("stream", EINVAL, "the streams of this shell are merged");
    Json json = {{"shell_id", wanted.id}, {"stream", stream_name(wanted.which)}};
    json.update(wanted.lines || !wanted.grep.empty() ? TRY(made_readable(shell, wanted))
                                                     : TRY(raw_piece(shell, wanted)));
    json["live"] = shell.now.tree_lives;
    json["status"] = status_word(shell.now.ending);
    return json;
}

Response output_response(const Wanted& wanted, const Result<Json>& json) {
    if (json) return json_response(200, *json);
    if (json.error().code == EINVAL) return error_response(400, "bad_request", json.error().detail);
    return no_such_shell(wanted.id, json.error());
}

bool is_news(const Result<Json>& json) {
    return !json || !(*json)["text"].get_ref<const std::string&>().empty() ||
           (*json)["live"] == false;
}

std::optional<Which> stream_of(const ExchangePtr& exchange) {
    const std::string stream = value_of(exchange->request, "stream");
    if (stream.empty() || stream == "stdout") return Which::Output;
    if (stream == "stderr") return Which::Errors;
    exchange->fail(400, "bad_request", "`stream` is stdout or stderr");
    return std::nullopt;
}

// None, and an answer, where something is wrong with it.
std::optional<Wanted> wanted_of(const ExchangePtr& exchange, const std::string& id) {
    constexpr uint64_t any = ~uint64_t{0} >> 1;
    Wanted wanted{.id = id};
    const auto which = stream_of(exchange);
    const auto since = which ? number_of(exchange, "since", 0, any) : std::nullopt;
    const auto bytes = since ? number_of(exchange, "max_bytes", usual_bytes, most_bytes) : since;
    const auto tail = bytes ? number_of(exchange, "tail", 0, any) : bytes;
    if (!tail) return std::nullopt;
    wanted.which = *which;
    wanted.since = *since;
    wanted.max_bytes = std::max<uint64_t>(*bytes, 1);
    if (*tail > 0) wanted.tail = tail;
    wanted.grep = value_of(exchange->request, "grep");
    const std::string lines = value_of(exchange->request, "lines");
    if (lines.empty()) return wanted;
    const size_t colon = std::min(lines.find(':'), lines.size());
    const auto first = text::parse_number(std::string_view(lines).substr(0, colon));
    const auto last =
        text::parse_number(std::string_view(lines).substr(std::min(colon + 1, lines.size())));
    if (!first || !last || *first == 0 || *last < *first) {
        exchange->fail(400, "bad_request", "`lines` is a range such as 10:20");
        return std::nullopt;
    }
    wanted.lines = {*first, *last};
    return wanted;
}

// Waits, on the loop, until there is something to answer with.
struct Waiting : std::enable_shared_from_this<Waiting> {
    Waiting(Parts& all, ExchangePtr one, Wanted what)
        : parts(all), exchange(std::move(one)), wanted(std::move(what)), deadline(all.loop) {}

    void look(bool last) {
        const Result<Json> json = output_json(parts, wanted);
        if (!last && !is_news(json)) return;
        ear.reset();
        deadline.cancel();
        exchange->respond(output_response(wanted, json));
        exchange->on_gone = nullptr;
    }

    Parts& parts;
    ExchangePtr exchange;
    Wanted wanted;
    Timer deadline;
    std::shared_ptr<void> ear;
};

// Sends what comes as fast as the client takes it; so it never holds more than a piece.
struct Following : std::enable_shared_from_this<Following> {
    Following(Parts& all, ExchangePtr one, tool::KnownShell what, Wanted how)
        : parts(all), exchange(std::move(one)), shell(std::move(what)), wanted(std::move(how)) {}

    void pump() {
        constexpr size_t most_unsent = 256 * 1024;
        while (exchange->unsent() < most_unsent && !exchange->is_over()) {
            auto now = collect::look(shell.files, os::Clock::now());
            if (!now) return end();
            shell.now = *std::move(now);
            const Result<Json> json = raw_piece(shell, wanted);
            if (!json) return end();
            const Json& piece = *json;
            const bool is_empty = piece["text"].get_ref<const std::string&>().empty();
            if (is_empty && !shell.now.tree_lives) return end();
            if (is_empty) return;
            wanted.since = piece["cursor"].get<uint64_t>();
            const Json data = {{"offset", piece["offset"]},
                               {"text", piece["text"]},
                               {"cursor", piece["cursor"]},
                               {"dropped_before", piece["dropped_before"]}};
            exchange->write(sse_frame(std::to_string(wanted.since), "output", render::dump(data)));
        }
    }
    void end() {
        exchange->write(sse_frame(std::to_string(wanted.since), "end",
                                  render::dump(shell_json(shell, std::nullopt))));
        close();
        exchange->finish();
    }
    void close() { ear.reset(); }

    Parts& parts;
    ExchangePtr exchange;
    tool::KnownShell shell;
    Wanted wanted;
    std::shared_ptr<void> ear;
};

}  // namespace

void list_shells(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    constexpr uint64_t usual = 100;
    constexpr uint64_t most = 5000;
    const auto limit = number_of(exchange, "limit", usual, most);
    if (!limit) return;
    const std::string live = value_of(exchange->request, "live");
    answer_later(parts, exchange,
                 [&parts, limit = *limit, only_live = live == "true" || live == "1",
                  samples = parts.shells.samples()] {
                     return shells_response(parts, samples, only_live, limit);
                 });
}

void tell_shell(Parts& parts, const ExchangePtr& exchange, const PathParts& path) {
    answer_later(parts, exchange, [&parts, id = path[0], sample = parts.shells.sample(path[0])] {
        const auto shell = open(parts, id);
        if (!shell) return no_such_shell(id, shell.error());
        return json_response(200, shell_json(*shell, sample));
    });
}

void read_output(Parts& parts, const ExchangePtr& exchange, const PathParts& path) {
    const auto wanted = wanted_of(exchange, path[0]);
    if (!wanted) return;
    const auto wait = number_of(exchange, "wait_ms", 0, longest_wait_ms);
    if (!wait) return;
    if (*wait == 0)
        return answer_later(parts, exchange, [&parts, wanted = *wanted] {
            return output_response(wanted, output_json(parts, wanted));
        });
    const auto waiting = std::make_shared<Waiting>(parts, exchange, *wanted);
    // The exchange holds it until the client has its answer, or goes.
    exchange->on_gone = [waiting] {
        waiting->ear.reset();
        waiting->deadline.cancel();
    };
    waiting->ear = parts.shells.listen(wanted->id, [weak = std::weak_ptr(waiting)] {
        if (const auto here = weak.lock()) here->look(false);
    });
    waiting->deadline.set(std::chrono::milliseconds(*wait), [weak = std::weak_ptr(waiting)] {
        if (const auto here = weak.lock()) here->look(true);
    });
    waiting->look(false);
}

void follow_output(Parts& parts, const ExchangePtr& exchange, const PathParts& path) {
    auto wanted = wanted_of(exchange, path[0]);
    if (!wanted) return;
    if (const auto last = text::parse_number(exchange->request.header("last-event-id")))
        wanted->since = *last;
    auto shell = open(parts, path[0]);
    if (!shell) return exchange->respond(no_such_shell(path[0], shell.error()));
    if (wanted->which == Which::Errors && !shell->files.error_log)
        return exchange->fail(400, "bad_request", "the streams of this shell are merged");
    const auto following =
        std::make_shared<Following>(parts, exchange, *std::move(shell), *std::move(wanted));
    exchange->on_gone = [following] { following->close(); };
    exchange->on_drained = [weak = std::weak_ptr(following)] {
        if (const auto here = weak.lock()) here->pump();
    };
    following->ear = parts.shells.listen(path[0], [weak = std::weak_ptr(following)] {
        if (const auto here = weak.lock()) here->pump();
    });
    exchange->stream(event_stream_head());
    following->pump();
}

void kill_shell(Parts& parts, const ExchangePtr& exchange, const PathParts& path) {
    const auto body = body_of(exchange);
    if (!body) return;
    const Json& signal = member(*body, "signal");
    const Json& patience = member(*body, "patience_ms");
    StopLadder ladder;
    const auto number =
        signal.is_string() ? signal_number(signal.get<std::string>()) : std::optional<int>(SIGTERM);
    constexpr uint64_t longest = 60'000;
    const bool patient = patience.is_null() ||
                         (patience.is_number_unsigned() && patience.get<uint64_t>() <= longest);
    if (!number || !(signal.is_string() || signal.is_null()) || !patient)
        return exchange->fail(400, "bad_request",
                              "`signal` is a name such as TERM, `patience_ms` at most 60000");
    ladder.signal = *number;
    if (!patience.is_null()) ladder.patience = std::chrono::milliseconds(patience.get<int64_t>());
    answer_later(parts, exchange, [&parts, id = path[0], ladder] {
        const auto killed = Shells(parts.settings).kill(id, ladder, 0);
        if (const auto* error = std::get_if<Error>(&killed)) return no_such_shell(id, *error);
        const auto shell = open(parts, id);
        if (!shell) return no_such_shell(id, shell.error());
        Json json = shell_json(*shell, std::nullopt);
        for (const std::string& note : std::get<Report>(killed).notes)
            if (std::find(json["notes"].begin(), json["notes"].end(), note) == json["notes"].end())
                json["notes"].push_back(text::to_utf8(note));
        return json_response(200, json);
    });
}

}  // namespace husk::serve::http
