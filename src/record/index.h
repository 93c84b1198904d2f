// The audit, searchable: a database that is made from the journal when somebody asks, and that can
// be deleted at any time. Not for the way of a call.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/journal.h"
#include "record/later.h"

namespace husk::audit {

using Json = nlohmann::ordered_json;

struct Query {
    std::vector<std::string> words = {};  // each is somewhere in it; "-x": nowhere
    std::optional<int64_t> since = {};    // milliseconds since 1970
    std::optional<int64_t> until = {};
    // Empty: any.
    std::string session = {};
    std::string status = {};
    std::string decision = {};
    std::string contract = {};
    std::string via = {};
    std::string shell_id = {};
    // Without those that only looked at shells, unless they are wanted.
    enum class Which { Commands, All } which = Which::Commands;
    size_t limit = 100;
    std::optional<int64_t> before = {};  // this number
    std::optional<int64_t> after = {};
};

// "git push" -x  ->  git push, -x
std::vector<std::string> query_words(std::string_view text);

struct Page {
    std::vector<Json> records;    // the newest first
    std::optional<int64_t> next;  // `before` of the page behind it; none: that was all
};

// From any thread, one at a time.
class Index {
public:
    // `later` is asked about calls without an end, each time somebody wants to know something.
    Index(std::filesystem::path state, AskLater later);
    ~Index();

    // Both bring the index up to date first.
    Result<Page> find(const Query& query);
    Result<Json> stats(const Query& query);
    // Every record that the query means, the oldest first; its limit does not count.
    Result<void> each(const Query& query, const std::function<void(const Json&)>& see);

private:
    struct Inside;
    Result<void> refresh();
    Result<void> open();
    Result<void> read_journal();
    Result<bool> ask_later();

    std::filesystem::path state_;
    AskLater later_;
    std::mutex guard_;
    std::unique_ptr<Inside> inside_;
};

}  // namespace husk::audit
