// A JSON object on one line, written straight into a text: a call must not wait for a tree of
// values to be built and taken down again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace husk::audit {

// As bytes of the line, without the quotes: a text of controls becomes six times as long there.
inline constexpr size_t longest_text = 4096;
inline constexpr size_t longest_word = 256;
inline constexpr size_t most_listed = 20;

class JsonLine {
public:
    // What is not valid UTF-8 becomes U+FFFD. An empty text is null, because nothing is known. One
    // that is too long is cut, and its name is listed in a last field, "cut".
    JsonLine& text(std::string_view name, std::string_view value, size_t most = longest_text);
    // One of a few that are known, or something else as short.
    JsonLine& word(std::string_view name, std::string_view value) {
        return text(name, value, longest_word);
    }
    // Words; those behind the first twenty are cut too.
    JsonLine& texts(std::string_view name, std::span<const std::string> values);
    JsonLine& flag(std::string_view name, bool value);
    JsonLine& whole(std::string_view name, std::optional<int64_t> value);
    JsonLine& count(std::string_view name, std::optional<uint64_t> value);
    // Rounded to microseconds, which is as fine as anything here is measured.
    JsonLine& milliseconds(std::string_view name, std::optional<double> value);
    JsonLine& json(std::string_view name, std::string_view value);

    bool has_cut(std::string_view name) const;

    // The whole object. To go on, begin another.
    std::string done() const;

private:
    void begin(std::string_view name);

    std::string text_;
    std::vector<std::string> cut_;
};

// The values between brackets.
std::string json_array(std::span<const std::string> values);

// JSON that is shown to somebody: characters that a terminal acts on, or that change the order in
// which others are read, are written as escapes.
std::string inert(std::string_view json);

}  // namespace husk::audit
