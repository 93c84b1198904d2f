// Events become the records of a stream: numbered without gaps, of whole characters.
#include <algorithm>
#include <chrono>

#include "base/utf8.h"
#include "contract/docware.h"

namespace husk::contract {
namespace {

struct Side {
    std::string torn;    // the beginning of a character whose rest has not come yet
    uint64_t lines = 0;  // that have ended
};

class Records {
public:
    std::vector<Json> operator()(const Event& event) {
        made_.clear();
        when_ = std::chrono::duration_cast<milliseconds>(event.when.time_since_epoch()).count();
        std::visit([this](const auto& what) { add(what); }, event.what);
        return std::move(made_);
    }

private:
    void add(const Began& began) {
        id_ = began.shell_id;
        record("status", {{"status", "running"}});
    }

    void add(const OutputPiece& piece) {
        Side& side = piece.errors ? err_ : out_;
        if (piece.dropped_before > 0) flush(side, piece.errors);
        const uint64_t offset = piece.offset - side.torn.size();
        const std::string bytes = side.torn + piece.bytes;
        const std::string_view whole = text::without_torn_end(bytes);
        side.torn = bytes.substr(whole.size());
        Json metadata = {
            {"lineNumber", side.lines + 1}, {"byteOffset", offset}, {"encoding", "utf-8"}};
        if (piece.dropped_before > 0) metadata["droppedBefore"] = piece.dropped_before;
        side.lines += static_cast<uint64_t>(std::ranges::count(whole, '\n'));
        if (!whole.empty())
            record(piece.errors ? "stderr" : "stdout", text::to_utf8(whole), std::move(metadata));
    }

    void add(const Sample& sample) {
        const auto number = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
        record("resource", {{"cpuUsage", number(sample.cpu_percent)},
                            {"memoryUsage", number(sample.memory_bytes)},
                            {"diskIO", nullptr},
                            {"networkIO", nullptr}});
    }

    void add(const Over& over) {
        flush(out_, false);
        flush(err_, true);
        const bool exited = std::holds_alternative<Exited>(over.ending);
        if (!exited) record("error", {{"status", status_word(over.ending)}});
        const auto code = exit_code(over.ending);
        const bool never_ran = std::holds_alternative<Denied>(over.ending) ||
                               std::holds_alternative<NotStarted>(over.ending);
        record("status", {{"status", exited      ? "completed"
                                     : never_ran ? "failed"
                                                 : "terminated"},
                          {"exit_code", code ? Json(*code) : Json(nullptr)}});
    }

    // What began a character and was not one after all.
    void flush(Side& side, bool errors) {
        if (!side.torn.empty()) record(errors ? "stderr" : "stdout", text::to_utf8(side.torn));
        side.torn.clear();
    }

    void record(const char* type, Json content, Json metadata = Json::object()) {
        made_.push_back({{"streamId", id_},
                         {"sequenceNumber", next_++},
                         {"timestamp", when_},
                         {"type", type},
                         {"content", std::move(content)},
                         {"metadata", std::move(metadata)}});
    }

    std::string id_;
    uint64_t next_ = 0;
    int64_t when_ = 0;
    Side out_;
    Side err_;
    std::vector<Json> made_;
};

}  // namespace

Stream docware_stream() { return Records{}; }

}  // namespace husk::contract
