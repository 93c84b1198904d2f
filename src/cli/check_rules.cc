#include "cli/check_rules.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/terminal_text.h"
#include "cli/complaints.h"
#include "cli/terminal.h"
#include "decide/rules.h"
#include "render/report_json.h"
#include "render/text_or_null.h"
#include "request/rules_import.h"
#include "tool/configuration.h"

namespace husk::cli {
namespace {

using Json = nlohmann::ordered_json;
using Carried = ImportedEntry::Carried;

struct Finding {
    enum class Weight { Warning, Error };
    Weight weight = Weight::Error;
    Where where;
    std::string message;
};

struct Examined {
    RulesFormat format = RulesFormat::Husk;
    std::vector<ImportedEntry> entries;
    std::vector<Finding> findings;

    size_t count(Finding::Weight weight) const {
        return static_cast<size_t>(std::ranges::count(findings, weight, &Finding::weight));
    }
    // Entries that are not carried over as they are say so themselves.
    size_t warnings() const {
        const auto carried = std::ranges::count(entries, Carried::Fully, &ImportedEntry::carried);
        return count(Finding::Weight::Warning) + entries.size() - static_cast<size_t>(carried);
    }
    size_t errors() const { return count(Finding::Weight::Error); }
};

Examined examine(const std::string& text, const std::string& file) {
    Examined examined;
    examined.format = format_of(text, file);
    auto imported = import_rules(text, file);
    if (!imported) {
        for (const Complaint& complaint : imported.error())
            examined.findings.push_back(
                {Finding::Weight::Error, complaint.where, complaint.message});
        return examined;
    }
    examined.entries = std::move(imported->entries);
    std::vector<decide::Problem> problems = decide::compile(imported->rules).problems;
    for (const decide::Problem& doubt : decide::lint(imported->rules)) problems.push_back(doubt);
    for (const decide::Problem& problem : problems)
        examined.findings.push_back(
            {problem.fatal ? Finding::Weight::Error : Finding::Weight::Warning, problem.where,
             problem.message});
    std::ranges::stable_sort(examined.findings, {},
                             [](const Finding& one) { return one.where.line; });
    return examined;
}

const char* word(Finding::Weight weight) {
    return weight == Finding::Weight::Error ? "error" : "warning";
}

const char* word(Carried carried) {
    switch (carried) {
        case Carried::Fully: return "fully";
        case Carried::Changed: return "changed";
        case Carried::Not: return "not";
    }
    std::unreachable();
}

std::string counted(size_t count, const std::string& thing) {
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

void add_line(std::string& out, const std::string& line) { out += text::one_line(line) + "\n"; }

std::string text_of(const Examined& examined, const std::string& file) {
    std::string out;
    for (const ImportedEntry& entry : examined.entries) {
        add_line(out, to_text(entry.where) + ": " + entry.written);
        if (entry.carried == Carried::Not) {
            add_line(out, "    not carried over: " + entry.note);
            continue;
        }
        add_line(out, "    becomes " + entry.becomes);
        if (!entry.note.empty()) add_line(out, "    but " + entry.note);
    }
    for (const Finding& finding : examined.findings)
        add_line(out,
                 to_text(finding.where) + ": " + word(finding.weight) + ": " + finding.message);
    add_line(out, file + " (" + husk::word(examined.format) +
                      "): " + counted(examined.errors(), "error") + ", " +
                      counted(examined.warnings(), "warning"));
    return out;
}

Json json_of(const Examined& examined, const std::string& file) {
    Json findings = Json::array();
    for (const Finding& finding : examined.findings) {
        findings.push_back({{"line", finding.where.line},
                            {"severity", word(finding.weight)},
                            {"message", finding.message}});
    }
    Json entries = Json::array();
    for (const ImportedEntry& entry : examined.entries) {
        entries.push_back({{"line", entry.where.line},
                           {"written", entry.written},
                           {"carried", word(entry.carried)},
                           {"becomes", render::text_or_null(entry.becomes)},
                           {"note", render::text_or_null(entry.note)}});
    }
    return {{"file", file},
            {"format", husk::word(examined.format)},
            {"errors", examined.errors()},
            {"warnings", examined.warnings()},
            {"findings", std::move(findings)},
            {"entries", std::move(entries)}};
}

}  // namespace

int check_rules(const std::string& file, Form form) {
    const auto text = tool::read_rules_text(file);
    if (!text) return fail(text.error());
    const Examined examined = examine(*text, file);
    const bool json = form == Form::Json;
    write_out(STDOUT_FILENO,
              json ? render::dump(json_of(examined, file)) + "\n" : text_of(examined, file));
    if (examined.errors() > 0) return 1;
    return examined.warnings() > 0 ? 2 : 0;
}

}  // namespace husk::cli
