// What is asked of the index.
#include <algorithm>
#include <cmath>

#include "base/utf8.h"
#include "record/index_inside.h"

namespace husk::audit {
namespace {

// Fewer letters than this have no place in the index of words.
constexpr size_t shortest_indexed = 3;

size_t letters_of(std::string_view text) {
    size_t count = 0;
    for (; !text.empty(); text.remove_prefix(text::first_rune(text).bytes)) ++count;
    return count;
}

std::string as_phrase(const std::string& word) {
    std::string text = "\"";
    for (const char letter : word) text += letter == '"' ? "\"\"" : std::string(1, letter);
    return text + "\"";
}

std::string as_pattern(const std::string& word) {
    std::string text = "%";
    for (const char letter : word) {
        if (letter == '%' || letter == '_' || letter == '\\') text += '\\';
        text += letter;
    }
    return text + "%";
}

class Builder {
public:
    void add(const std::string& condition) { sql_ += (sql_.empty() ? "" : " AND ") + condition; }
    void add(const std::string& before, Value value, const std::string& behind = "") {
        values_.push_back(std::move(value));
        add(before + "?" + std::to_string(values_.size()) + behind);
    }
    void equals(const char* column, const std::string& value) {
        if (!value.empty()) add(std::string(column) + " = ", value);
    }
    void word(std::string word) {
        const bool is_not = word.size() > 1 && word.starts_with('-');
        if (is_not) word.erase(0, 1);
        const std::string in =
            std::string("number ") + (is_not ? "NOT " : "") + "IN (SELECT rowid FROM words WHERE ";
        if (letters_of(word) < shortest_indexed)
            add(in + "text LIKE ", as_pattern(word), " ESCAPE '\\')");
        else
            add(in + "words MATCH ", as_phrase(word), ")");
    }
    Condition done() && { return {sql_.empty() ? "1" : std::move(sql_), std::move(values_)}; }

private:
    std::string sql_;
    std::vector<Value> values_;
};

Json record_of(const Statement& row) {
    Json record = {{"number", row.whole(0)}};
    Json rest = Json::parse(row.text(1), nullptr, false);
    if (rest.is_object()) record.update(rest);
    return record;
}

Result<Json> counts_by(Database& database, const Condition& condition, const std::string& column) {
    Json counts = Json::object();
    Statement rows =
        TRY(database.prepare("SELECT " + column + ", count(*) FROM calls WHERE " + condition.sql +
                             " AND " + column + " IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"));
    rows.bind(condition.values);
    while (TRY(rows.step())) counts[rows.text(0)] = rows.whole(1);
    return counts;
}

Json number_or_null(const Statement& row, int column) {
    return row.is_null(column) ? Json(nullptr) : Json(row.whole(column));
}

Json time_or_null(const Statement& row, int column) {
    if (row.is_null(column)) return nullptr;
    return std::round(row.real(column) * 1000) / 1000;
}

// The smallest that so large a part of all does not exceed.
Result<Json> percentile(Database& database, const Condition& condition, int64_t count,
                        double part) {
    if (count == 0) return Json(nullptr);
    const auto at = static_cast<int64_t>(std::ceil(part * static_cast<double>(count))) - 1;
    Statement row = TRY(database.prepare("SELECT duration_ms FROM calls WHERE " + condition.sql +
                                         " AND duration_ms IS NOT NULL ORDER BY 1 LIMIT 1 OFFSET " +
                                         std::to_string(std::max<int64_t>(at, 0))));
    row.bind(condition.values);
    return TRY(row.step()) ? time_or_null(row, 0) : Json(nullptr);
}

Result<Json> durations(Database& database, const Condition& condition) {
    Statement row = TRY(database.prepare(
        "SELECT count(duration_ms), avg(duration_ms), max(duration_ms) FROM calls WHERE " +
        condition.sql));
    row.bind(condition.values);
    CHECK(row.step());
    const int64_t count = row.whole(0);
    const Json median = TRY(percentile(database, condition, count, 0.5));
    const Json p95 = TRY(percentile(database, condition, count, 0.95));
    return Json{{"measured", count},
                {"mean", time_or_null(row, 1)},
                {"median", median},
                {"p95", p95},
                {"max", time_or_null(row, 2)}};
}

Result<Json> programs(Database& database, const Condition& condition) {
    Json top = Json::array();
    Statement rows = TRY(database.prepare(
        "SELECT program.value, count(*), avg(duration_ms), "
        "sum(status IN ('denied', 'not_started')), sum(status = 'exited' AND exit_code = 0) "
        "FROM calls, json_each(calls.json, '$.programs') AS program WHERE " +
        condition.sql + " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20"));
    rows.bind(condition.values);
    while (TRY(rows.step()))
        top.push_back({{"program", rows.text(0)},
                       {"calls", rows.whole(1)},
                       {"mean_ms", time_or_null(rows, 2)},
                       {"not_run", number_or_null(rows, 3)},
                       {"exit_zero", number_or_null(rows, 4)}});
    return top;
}

Result<Json> sums(Database& database, const Condition& condition) {
    Statement row = TRY(database.prepare(
        "SELECT count(*), min(time), max(time), sum(status = 'exited' AND exit_code = 0), "
        "sum(user_ms), sum(system_ms), max(memory), sum(output), sum(denials) FROM calls WHERE " +
        condition.sql));
    row.bind(condition.values);
    CHECK(row.step());
    return Json{{"calls", row.whole(0)},
                {"first", number_or_null(row, 1)},
                {"last", number_or_null(row, 2)},
                {"exit_zero", number_or_null(row, 3)},
                {"user_ms", time_or_null(row, 4)},
                {"system_ms", time_or_null(row, 5)},
                {"peak_memory_bytes", number_or_null(row, 6)},
                {"output_bytes", number_or_null(row, 7)},
                {"denials", number_or_null(row, 8)}};
}

}  // namespace

Condition condition_of(const Query& query) {
    Builder builder;
    if (query.which == Query::Which::Commands)
        builder.add("(action IS NULL OR action IN ('run', 'talk', 'kill', 'configure'))");
    for (const std::string& word : query.words)
        if (!word.empty() && word != "-") builder.word(text::to_utf8(word));
    if (query.since) builder.add("time >= ", *query.since);
    if (query.until) builder.add("time < ", *query.until);
    if (query.before) builder.add("number < ", *query.before);
    if (query.after) builder.add("number > ", *query.after);
    builder.equals("session", query.session);
    builder.equals("status", query.status);
    builder.equals("decision", query.decision);
    builder.equals("contract", query.contract);
    builder.equals("shell_id", query.shell_id);
    // "serve" is every way into it.
    if (!query.via.empty())
        builder.add("(via || '/') LIKE ", as_pattern(query.via + "/").substr(1), " ESCAPE '\\'");
    return std::move(builder).done();
}

std::vector<std::string> query_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    bool is_quoted = false;
    const auto finish = [&] {
        if (!word.empty() && word != "-") words.push_back(word);
        word.clear();
    };
    for (const char letter : text) {
        if (letter == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted && (letter == ' ' || letter == '\t' || letter == '\n'))
            finish();
        else
            word += letter;
    }
    finish();
    return words;
}

Result<Page> Index::find(const Query& query) {
    const std::lock_guard lock(guard_);
    CHECK(refresh());
    const Condition condition = condition_of(query);
    Statement rows = TRY(inside_->database.prepare("SELECT number, json FROM calls WHERE " +
                                                   condition.sql + " ORDER BY number DESC LIMIT " +
                                                   std::to_string(query.limit + 1)));
    rows.bind(condition.values);
    Page page;
    while (TRY(rows.step())) {
        if (page.records.size() == query.limit) {
            if (query.limit > 0) page.next = page.records.back()["number"].get<int64_t>();
            break;
        }
        page.records.push_back(record_of(rows));
    }
    return page;
}

Result<void> Index::each(const Query& query, const std::function<void(const Json&)>& see) {
    const std::lock_guard lock(guard_);
    CHECK(refresh());
    const Condition condition = condition_of(query);
    Statement rows = TRY(inside_->database.prepare("SELECT number, json FROM calls WHERE " +
                                                   condition.sql + " ORDER BY number"));
    rows.bind(condition.values);
    while (TRY(rows.step())) see(record_of(rows));
    return {};
}

Result<Json> Index::stats(const Query& query) {
    const std::lock_guard lock(guard_);
    CHECK(refresh());
    Database& database = inside_->database;
    Condition condition = condition_of(query);
    condition.sql += " AND action IS NOT 'configure'";  // that is no call
    Json stats = TRY(sums(database, condition));
    stats["duration_ms"] = TRY(durations(database, condition));
    for (const auto& [name, column] : {std::pair{"status", "status"},
                                       {"decisions", "decision"},
                                       {"answers", "answer"},
                                       {"via", "via"},
                                       {"contracts", "contract"}})
        stats[name] = TRY(counts_by(database, condition, column));
    stats["programs"] = TRY(programs(database, condition));
    return stats;
}

}  // namespace husk::audit
