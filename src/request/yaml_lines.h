// The lines of a YAML text, and what stands where in one of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace husk::yaml {

struct Lines {
    std::vector<std::string> lines;  // without their endings
    std::string ending = "\n";

    explicit Lines(std::string_view text);
    std::string text() const;
};

size_t indentation(std::string_view line);

// Neither empty nor a comment.
bool says_something(std::string_view line);

// A line such as `  key: value  # why`, in parts.
struct KeyLine {
    std::string key;      // "  key:"
    std::string value;    // "value", without spaces around it
    std::string comment;  // "  # why", with what separates it

    std::string text() const { return key + (value.empty() ? "" : " " + value) + comment; }
};

// Nothing when the line does not begin with this key.
std::optional<KeyLine> key_line(std::string_view line, std::string_view key);

// Where the comment of a line begins, with the spaces before it; its size when it has none.
size_t comment_start(std::string_view line);

// A text as it can stand anywhere, in quotes if it must; and a list of them in brackets.
std::string scalar(const std::string& text);
std::string flow_list(const std::vector<std::string>& texts);

}  // namespace husk::yaml
