#include "tool/audit_later.h"

#include <cerrno>

#include "collect/shell_files.h"
#include "record/entry.h"

namespace husk::tool {
namespace {

constexpr int64_t ns_in_ms = 1'000'000;
constexpr int64_t patience_ms = 2'000;

// When main ended, as far as the record knows.
std::optional<int64_t> end_of(const KnownShell& shell) {
    const record::Record& page = shell.now.record;
    if (page.state < record::State::Ended || page.ended == 0) return std::nullopt;
    return static_cast<int64_t>(page.ended) / ns_in_ms;
}

}  // namespace

std::string end_record_of(const KnownShell& shell) {
    const contract::Told told = told_of(shell);
    if (!told.report.ended()) return "";
    return audit::end_record(shell.files.id, {.report = told.report, .when = end_of(shell)});
}

audit::Later what_became_of(const Settings& settings, const std::string& shell_id) {
    using enum audit::Later::Kind;
    const auto shell = open_known(settings, shell_id);
    if (!shell) {
        // A call that came to nothing on a full disk leaves an empty record without a log. Any
        // other error is one of the system, which may go away.
        const int code = shell.error().code;
        return {code == 0 || code == ENOENT ? Unknown : Running};
    }
    std::string record = end_record_of(*shell);
    if (record.empty()) return {Running};
    const auto ended = end_of(*shell);
    const auto created = static_cast<int64_t>(shell->now.record.created) / ns_in_ms;
    // One that ended in the future did so before the clock was set back.
    const int64_t age = audit::now_ms() - ended.value_or(created);
    const bool is_young = age >= 0 && age < patience_ms;
    return {is_young ? JustEnded : Ended, std::move(record)};
}

}  // namespace husk::tool
