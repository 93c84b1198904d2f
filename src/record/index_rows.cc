#include "record/index_rows.h"

#include <algorithm>

#include "request/schema.h"

namespace husk::audit {
namespace {

using schema::member;

constexpr const char* tables = R"sql(
    CREATE TABLE files(file INTEGER PRIMARY KEY, offset INTEGER NOT NULL, first TEXT NOT NULL);
    CREATE TABLE calls(
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE, file INTEGER NOT NULL, time INTEGER NOT NULL,
        via TEXT, contract TEXT, tool TEXT, action TEXT, session TEXT, shell_id TEXT,
        decision TEXT, answer TEXT, status TEXT, exit_code INTEGER, duration_ms REAL,
        user_ms REAL, system_ms REAL, memory INTEGER, output INTEGER, denials INTEGER,
        json TEXT NOT NULL, provisional INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX calls_by_time ON calls(time);
    CREATE INDEX calls_by_status ON calls(status);
    CREATE INDEX calls_by_session ON calls(session);
    CREATE INDEX calls_provisional ON calls(provisional) WHERE provisional = 1;
    CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'trigram');
)sql";

Value value_of(const Json& json) {
    if (json.is_string()) return json.get<std::string>();
    if (json.is_number_float()) return json.get<double>();
    if (json.is_number()) return json.get<int64_t>();
    return nullptr;
}

std::string text_of(const Json& json) { return json.is_string() ? json.get<std::string>() : ""; }

// Of both streams; nothing where nothing was counted.
Value output_of(const Json& record) {
    const Json& out = member(member(record, "output"), "bytes");
    const Json& err = member(member(record, "errors"), "bytes");
    if (!out.is_number_unsigned()) return nullptr;
    const uint64_t sum =
        out.get<uint64_t>() + (err.is_number_unsigned() ? err.get<uint64_t>() : uint64_t{0});
    return static_cast<int64_t>(sum);
}

// What an end can change, in the order of the columns.
std::vector<Value> ending_values(const Json& record) {
    const Json& usage = member(record, "usage");
    return {value_of(member(record, "status")),
            value_of(member(record, "exit_code")),
            value_of(member(record, "duration_ms")),
            value_of(member(usage, "user_ms")),
            value_of(member(usage, "system_ms")),
            value_of(member(usage, "peak_memory_bytes")),
            output_of(record),
            value_of(member(record, "denials_total")),
            record.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

// Everything that somebody may remember of a call.
std::string words_of(const Json& record) {
    std::string text = text_of(member(record, "command"));
    for (const char* name : {"description", "tool", "cwd", "error", "shell_id"})
        text += "\n" + text_of(member(record, name));
    for (const char* name : {"rule", "reason"})
        text += "\n" + text_of(member(member(record, "verdict"), name));
    for (const Json& denial : member(record, "denials"))
        text += "\n" + text_of(member(denial, "target"));
    for (const Json& file : member(record, "files")) text += "\n" + text_of(member(file, "path"));
    for (const char* name : {"changed", "after_restart"})
        for (const Json& change : member(record, name)) text += "\n" + text_of(change);
    return text;
}

}  // namespace

Result<void> make_tables(Database& database) {
    CHECK(database.run(tables));
    return database.run(("PRAGMA user_version = " + std::to_string(shape)).c_str());
}

Result<RowWriter> RowWriter::prepare(Database& database) {
    return RowWriter(
        TRY(database.prepare(
            "INSERT OR IGNORE INTO calls(id, file, time, via, contract, tool, action, session, "
            "shell_id, decision, answer, status, exit_code, duration_ms, user_ms, system_ms, "
            "memory, output, denials, json) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
            "?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20) RETURNING number")),
        TRY(database.prepare("SELECT number, json FROM calls WHERE id = ?1 AND (provisional = 1 OR "
                             "status IN ('running', 'unknown'))")),
        TRY(database.prepare("UPDATE calls SET status = ?2, exit_code = ?3, duration_ms = ?4, "
                             "user_ms = ?5, system_ms = ?6, memory = ?7, output = ?8, denials = "
                             "?9, json = ?10, provisional = ?11 WHERE number = ?1")),
        TRY(database.prepare("DELETE FROM words WHERE rowid = ?1")),
        TRY(database.prepare("INSERT INTO words(rowid, text) VALUES(?1, ?2)")));
}

Result<void> RowWriter::add(uint64_t file, std::string_view line) {
    Json record = Json::parse(line, nullptr, false);
    if (!member(record, "id").is_string() || !member(record, "time").is_number_integer()) return {};
    const std::string what = text_of(member(record, "what"));
    for (const char* name : {"v", "what", "chain"}) record.erase(name);
    if (what == "end") return end(std::move(record), Source::Journal);
    if (what == "begin") record["status"] = "running";
    if (what != "begin" && what != "call" && what != "configuration") return {};
    return insert(file, std::move(record));
}

Result<void> RowWriter::add_provisional(std::string_view end) {
    Json record = Json::parse(end, nullptr, false);
    if (!member(record, "id").is_string()) return {};
    for (const char* name : {"v", "what", "chain"}) record.erase(name);
    return this->end(std::move(record), Source::Spool);
}

Result<void> RowWriter::insert(uint64_t file, Json record) {
    std::vector<Value> values = {text_of(member(record, "id")), static_cast<int64_t>(file)};
    for (const char* name : {"time", "via", "contract", "tool", "action", "session", "shell_id"})
        values.push_back(value_of(member(record, name)));
    values.push_back(value_of(member(member(record, "verdict"), "decision")));
    values.push_back(value_of(member(member(record, "approval"), "answer")));
    std::ranges::move(ending_values(record), std::back_inserter(values));
    insert_.bind(values);
    if (!TRY(insert_.step())) return {};  // it is there already
    const int64_t number = insert_.whole(0);
    CHECK(insert_.step());
    return set_words(number, record);
}

Result<void> RowWriter::end(Json record, Source source) {
    find_.bind({text_of(member(record, "id"))});
    if (!TRY(find_.step())) return {};  // it has ended, or began in a file that is gone
    const int64_t number = find_.whole(0);
    Json whole = Json::parse(find_.text(1), nullptr, false);
    find_.bind({});  // done with it: nothing is left open
    if (!whole.is_object()) return {};
    for (const char* name : {"id", "time"}) record.erase(name);
    Json cut = member(whole, "cut").is_array() ? whole["cut"] : Json::array();
    for (const Json& name : member(record, "cut"))
        if (std::ranges::find(cut, name) == cut.end()) cut.push_back(name);
    whole.update(record);
    if (!cut.empty()) whole["cut"] = std::move(cut);
    std::vector<Value> values = {number};
    std::ranges::move(ending_values(whole), std::back_inserter(values));
    values.emplace_back(int64_t{source == Source::Spool});
    CHECK(update_.run(values));
    return set_words(number, whole);
}

Result<void> RowWriter::set_words(int64_t number, const Json& record) {
    CHECK(forget_words_.run({number}));
    return words_.run({number, words_of(record)});
}

}  // namespace husk::audit
