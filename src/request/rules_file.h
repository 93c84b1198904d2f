// husk.yaml: from its text to rules as they were written.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "request/rule_texts.h"

namespace husk {

// What is wrong with a file, for whoever wrote it.
struct Complaint {
    Where where;
    std::string message;
    bool operator==(const Complaint&) const = default;
};

// "husk.yaml:12", or the file alone when no line is known.
std::string to_text(const Where& where);
// All on one line: "husk.yaml:12: there is no pack x; husk.yaml:14: ...".
std::string to_text(const std::vector<Complaint>& complaints);

// The rules of a file that may hold everything else too; see config::read_settings.
std::expected<RuleTexts, std::vector<Complaint>> read_rules(std::string_view text,
                                                            const std::string& file_name);

}  // namespace husk
