#include "serve/http_shell_json.h"

#include "base/utf8.h"
#include "render/report_json.h"

namespace husk::serve::http {
namespace {

constexpr uint64_t ns_in_ms = 1'000'000;

constexpr size_t longest_command = 4096;

}  // namespace

Json brief(Json report) {
    for (const char* name : {"command", "display"}) {
        const auto found = report.find(name);
        if (found == report.end() || !found->is_string()) continue;
        auto& text = found->get_ref<std::string&>();
        if (text.size() > longest_command)
            text = std::string(text::whole_prefix(text, longest_command)) + "...";
    }
    return report;
}

Json sample_json(const Sample& sample) {
    return {{"cpu", sample.cpu},
            {"memory_bytes", sample.memory_bytes},
            {"processes", sample.processes},
            {"time", sample.time}};
}

Json report_without_output(const Report& report) {
    Json json = render::report_json(report);
    for (const char* output : {"output", "stdout", "stderr"}) json.erase(output);
    return json;
}

Json shell_json(const tool::KnownShell& shell, const std::optional<Sample>& sample) {
    const contract::Told told = tool::told_of(shell);
    const record::Record& record = shell.now.record;
    const bool has_ended = told.report.ended() && record.ended != 0;
    Json json = report_without_output(told.report);
    json["created"] = record.created / ns_in_ms;
    json["ended"] = has_ended ? Json(record.ended / ns_in_ms) : Json(nullptr);
    json["live"] = shell.now.tree_lives;
    json["caller"] = text::to_utf8(shell.note.caller);
    json["split"] = static_cast<bool>(shell.files.error_log);
    json["sample"] = sample && shell.now.tree_lives ? sample_json(*sample) : Json(nullptr);
    return json;
}

}  // namespace husk::serve::http
