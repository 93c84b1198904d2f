#include "tool/call_audit.h"

#include <algorithm>

#include "base/id.h"

namespace husk::tool {
namespace {

constexpr int id_letters = 12;

}  // namespace

CallAudit::~CallAudit() {
    if (is_over_ || !id_.empty() || !asked.verdict) return;
    asked.approval = audit::Approval{.answer = "later", .by = "client"};
    over("", "");
}

void CallAudit::begins(const std::string& shell_id) {
    if (!id_.empty()) {
        Report report;
        report.ending = NotStarted{{"start", 0, "no keeper took it; it was handed over again"}};
        write(audit::end_record(id_, {.report = report, .when = audit::now_ms()}));
    }
    id_ = shell_id;
    has_begun_ = write(audit::begin_record(id_, asked));
}

void CallAudit::ended(const Report& report) {
    is_over_ = true;
    const audit::Ended ended{.report = report, .when = audit::now_ms(), .call_ms = elapsed_ms()};
    if (id_.empty()) {
        write(audit::call_record(random_id(id_letters), asked, ended));
    } else if (!has_begun_) {
        // Now there may be room for it.
        has_begun_ = write(report.ended() ? audit::call_record(id_, asked, ended)
                                          : audit::begin_record(id_, asked));
        if (has_begun_) trouble_.clear();
    } else if (report.ended()) {  // the end of a running command is recorded when it is seen
        write(audit::end_record(id_, ended));
    }
}

void CallAudit::saw_end_of(const Report& shell) {
    if (shell.ended()) write(audit::end_record(shell.shell_id, {.report = shell}));
}

void CallAudit::over(const std::string& shell_id, const std::string& error) {
    is_over_ = true;
    write(audit::call_record(random_id(id_letters), asked, shell_id, error, elapsed_ms()));
}

// A call goes on where the audit cannot be written; its report says so.
bool CallAudit::write(const std::string& record) {
    const auto written = journal_->append(record);
    if (!written) trouble_ = "this is not in the audit: " + written.error().text();
    return written.has_value();
}

double CallAudit::elapsed_ms() const {
    return std::chrono::duration<double, std::milli>(os::Clock::now() - began_).count();
}

std::vector<std::string> programs_of(const parse::Script& script) {
    constexpr size_t most = 16;
    std::vector<std::string> programs;
    for (const parse::Command& command : script.commands) {
        std::string program = command.program();
        if (program.empty() || std::ranges::find(programs, program) != programs.end()) continue;
        if (programs.size() >= most) break;
        programs.push_back(std::move(program));
    }
    return programs;
}

}  // namespace husk::tool
