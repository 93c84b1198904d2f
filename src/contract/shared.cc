#include "contract/shared.h"

#include <algorithm>
#include <iterator>

#include "base/terminal_text.h"
#include "base/utf8.h"
#include "request/directory_advice.h"

namespace husk::contract {
namespace {

constexpr size_t most_leftovers = 20;

}  // namespace

Json display_meta(const Report& report) {
    Json meta = {
        {"husk/display",
         {{"command", text::to_utf8(report.command)}, {"display", text::to_utf8(report.display)}}}};
    for (const std::string& note : report.notes) meta["husk/notes"].push_back(text::to_utf8(note));
    return meta;
}

std::vector<std::string> refused_settings(const Report& report) {
    std::vector<std::string> sentences;
    for (const Denial& denial : report.denials) {
        if (denial.operation != "git config") continue;
        for (const std::string& note : report.notes)
            if (note.contains(text::one_line(denial.target)) &&
                std::ranges::find(sentences, note) == sentences.end())
                sentences.push_back(note);
    }
    return sentences;
}

void add_what_became_of_it(std::string& text, const Report& report) {
    std::vector<std::string> sentences;
    for (const std::string& path : report.reverted)
        sentences.push_back(text::one_line(path) + " is protected, and was taken away again");
    std::ranges::move(refused_settings(report), std::back_inserter(sentences));
    for (const std::string& sentence : sentences) {
        end_line(text);
        text += "[" + text::to_utf8(sentence) + "]\n";
    }
}

Json leftovers_json(const std::vector<Leftover>& leftovers) {
    Json list = Json::array();
    for (size_t i = 0; i < std::min(leftovers.size(), most_leftovers); ++i)
        list.push_back({{"pid", leftovers[i].pid}, {"name", text::to_utf8(leftovers[i].name)}});
    return list;
}

void add_leftovers(Json& meta, const Report& report, const std::string& shell_id) {
    if (report.leftovers.empty()) return;
    meta["husk/leftovers"] = leftovers_json(report.leftovers);
    meta["husk/shell_id"] = shell_id;
}

std::string why_not_started(const Error& cause, std::string_view advice) {
    Error fitting = cause;
    if (!fitting.detail.ends_with(config::directory_advice)) return fitting.text();
    fitting.detail.resize(fitting.detail.size() - config::directory_advice.size());
    fitting.detail += advice;
    return fitting.text();
}

std::string why_not_started(const Error& cause) {
    return why_not_started(cause,
                           "every command of this conversation runs there. Ask the user to make "
                           "this directory again, or to start Husk in another one (--cwd)");
}

std::string reason_of(const Report& report, const Denied& denied) {
    const bool by_rule = report.verdict && report.verdict->decision != "ask";
    return by_rule ? report.verdict->reason : denied.reason;
}

std::string joined(const Bytes& bytes, const std::string& between) {
    if (bytes.whole()) return bytes.head;
    return std::string(text::without_torn_end(bytes.head)) + between +
           std::string(text::without_torn_start(bytes.tail));
}

}  // namespace husk::contract
