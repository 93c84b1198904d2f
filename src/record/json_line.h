// A JSON object on one line, written straight into a text: a call must not wait for a tree of
// values to be built and taken down again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace husk::audit {

class JsonLine {
public:
    // What is not valid UTF-8 becomes U+FFFD. An empty text is null, because nothing is known.
    JsonLine& text(std::string_view name, std::string_view value);
    JsonLine& texts(std::string_view name, std::span<const std::string> values);
    JsonLine& flag(std::string_view name, bool value);
    JsonLine& whole(std::string_view name, std::optional<int64_t> value);
    JsonLine& count(std::string_view name, std::optional<uint64_t> value);
    // Rounded to microseconds, which is as fine as anything here is measured.
    JsonLine& milliseconds(std::string_view name, std::optional<double> value);
    JsonLine& json(std::string_view name, std::string_view value);

    // The whole object. To go on, begin another.
    std::string done() const { return text_.empty() ? "{}" : text_ + "}"; }

private:
    void begin(std::string_view name);

    std::string text_;
};

// The values between brackets.
std::string json_array(std::span<const std::string> values);

}  // namespace husk::audit
