// SQLite, as much of it as the index of the audit needs.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace husk::audit {

using Value = std::variant<std::nullptr_t, int64_t, double, std::string>;

class Statement {
public:
    Statement(sqlite3* database, sqlite3_stmt* statement);

    // Puts these in the place of ?1, ?2 ... and begins anew.
    void bind(const std::vector<Value>& values);
    // True: there is a row.
    Result<bool> step();
    // Binds, and runs to the end.
    Result<void> run(const std::vector<Value>& values);

    int64_t whole(int column) const;
    double real(int column) const;
    bool is_null(int column) const;
    std::string text(int column) const;

private:
    sqlite3* database_;
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

class Database {
public:
    // Made if there is none, for this user only. Empty: in memory.
    static Result<Database> open(const std::filesystem::path& file);

    Result<void> run(const char* sql);
    Result<Statement> prepare(std::string_view sql);
    // The only value of the only row.
    Result<int64_t> number(std::string_view sql);

private:
    explicit Database(sqlite3* database) : database_(database, ::sqlite3_close_v2) {}
    std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
};

// A database that is damaged, or none at all: it can be made again.
bool is_damage(const Error& error);

// All or nothing.
class Transaction {
public:
    static Result<Transaction> begin(Database& database);
    Result<void> commit();
    ~Transaction();
    Transaction(Transaction&& other) noexcept
        : database_(std::exchange(other.database_, nullptr)) {}
    Transaction& operator=(Transaction&&) = delete;

private:
    explicit Transaction(Database& database) : database_(&database) {}
    Database* database_;
};

}  // namespace husk::audit
