#include "record/index_sqlite.h"

#include <fcntl.h>

#include <tuple>

#include "os/file.h"

namespace husk::audit {
namespace {

constexpr const char* step_name = "index of the audit";
constexpr int patience_ms = 10'000;

// The code is SQLite's, and told apart from those of the system by being negative.
std::unexpected<Error> failed(sqlite3* database) {
    return failure(step_name, -::sqlite3_errcode(database), ::sqlite3_errmsg(database));
}

}  // namespace

bool is_damage(const Error& error) {
    return error.step == step_name && (error.code == -SQLITE_CORRUPT ||
                                       error.code == -SQLITE_NOTADB || error.code == -SQLITE_ERROR);
}

Statement::Statement(sqlite3* database, sqlite3_stmt* statement)
    : database_(database), statement_(statement, ::sqlite3_finalize) {}

void Statement::bind(const std::vector<Value>& values) {
    sqlite3_stmt* statement = statement_.get();
    ::sqlite3_reset(statement);
    ::sqlite3_clear_bindings(statement);
    int place = 0;
    for (const Value& value : values) {
        ++place;
        if (const auto* whole = std::get_if<int64_t>(&value))
            ::sqlite3_bind_int64(statement, place, *whole);
        else if (const auto* real = std::get_if<double>(&value))
            ::sqlite3_bind_double(statement, place, *real);
        else if (const auto* text = std::get_if<std::string>(&value))
            ::sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_TRANSIENT,
                                  SQLITE_UTF8);
    }
}

Result<bool> Statement::step() {
    const int came = ::sqlite3_step(statement_.get());
    if (came == SQLITE_ROW) return true;
    if (came == SQLITE_DONE) return false;
    return failed(database_);
}

Result<void> Statement::run(const std::vector<Value>& values) {
    bind(values);
    while (TRY(step())) {
    }
    return {};
}

int64_t Statement::whole(int column) const {
    return ::sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
    return ::sqlite3_column_double(statement_.get(), column);
}

bool Statement::is_null(int column) const {
    return ::sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::string Statement::text(int column) const {
    const unsigned char* text = ::sqlite3_column_text(statement_.get(), column);
    const int size = ::sqlite3_column_bytes(statement_.get(), column);
    if (text == nullptr) return "";
    return {reinterpret_cast<const char*>(text), static_cast<size_t>(size)};
}

Result<Database> Database::open(const std::filesystem::path& file) {
    const std::string name = file.empty() ? ":memory:" : file.string();
    // SQLite's own mode would let others read it; what it puts beside it has that of this file.
    if (!file.empty()) CHECK(os::open(file, O_RDWR | O_CREAT, 0600));
    sqlite3* opened = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int code = ::sqlite3_open_v2(name.c_str(), &opened, flags, nullptr);
    Database database(opened);
    if (code != SQLITE_OK) return failure(step_name, -code, ::sqlite3_errstr(code));
    ::sqlite3_busy_timeout(opened, patience_ms);
    // It can be made again at any time, but shall not be damaged by a loss of power.
    CHECK(database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
    return database;
}

Result<void> Database::run(const char* sql) {
    if (::sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        return failed(database_.get());
    return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    const int code = ::sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                          &statement, nullptr);
    if (code != SQLITE_OK) return failed(database_.get());
    return Statement(database_.get(), statement);
}

Result<int64_t> Database::number(std::string_view sql) {
    Statement statement = TRY(prepare(sql));
    return TRY(statement.step()) ? statement.whole(0) : 0;
}

Result<Transaction> Transaction::begin(Database& database) {
    CHECK(database.run("BEGIN IMMEDIATE"));
    return Transaction(database);
}

Result<void> Transaction::commit() {
    CHECK(database_->run("COMMIT"));
    database_ = nullptr;
    return {};
}

Transaction::~Transaction() {
    if (database_ != nullptr) std::ignore = database_->run("ROLLBACK");
}

}  // namespace husk::audit
