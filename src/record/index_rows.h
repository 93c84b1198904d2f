// From the lines of the journal to the rows of the index.
#pragma once

#include <string>
#include <vector>

#include "record/index.h"
#include "record/index_sqlite.h"

namespace husk::audit {

// An index of another shape is thrown away.
inline constexpr int64_t shape = 2;
Result<void> make_tables(Database& database);

// Puts records in, in the order of the journal.
class RowWriter {
public:
    static Result<RowWriter> prepare(Database& database);

    // What is no record, or says nothing new, is passed over.
    Result<void> add(uint64_t file, std::string_view line);
    // The end of a call as the spool has it, while the journal does not. An end in the journal
    // replaces it.
    Result<void> add_provisional(std::string_view end);

private:
    RowWriter(Statement insert, Statement find, Statement update, Statement forget, Statement words)
        : insert_(std::move(insert)),
          find_(std::move(find)),
          update_(std::move(update)),
          forget_words_(std::move(forget)),
          words_(std::move(words)) {}
    Result<void> insert(uint64_t file, Json record);
    enum class Source { Journal, Spool };
    Result<void> end(Json record, Source source);
    Result<void> set_words(int64_t number, const Json& record);

    Statement insert_;
    Statement find_;
    Statement update_;
    Statement forget_words_;
    Statement words_;
};

}  // namespace husk::audit
