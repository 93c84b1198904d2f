#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "request/document_builder.h"
#include "request/json_error.h"

namespace husk {
namespace {

// The library tells what it has read but not where. These iterators do: one of them says how
// far all of them have come.
class Tracked {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;

    Tracked(const char* at, const char** seen) : at_(at), seen_(seen) {}
    const char& operator*() const { return *at_; }
    Tracked& operator++() {
        *seen_ = ++at_;
        return *this;
    }
    Tracked operator++(int) {
        Tracked before = *this;
        ++*this;
        return before;
    }
    bool operator==(const Tracked& other) const { return at_ == other.at_; }

private:
    const char* at_;
    const char** seen_;
};

class Events {
public:
    using Json = nlohmann::json;

    Events(const char* begin, const char* const* seen) : counted_(begin), seen_(seen) {}

    bool null() { return builder_.nothing(line()); }
    bool boolean(bool value) { return builder_.text(value ? "true" : "false", line()); }
    bool number_integer(Json::number_integer_t value) {
        return builder_.text(std::to_string(value), line());
    }
    bool number_unsigned(Json::number_unsigned_t value) {
        return builder_.text(std::to_string(value), line());
    }
    bool number_float(Json::number_float_t, const std::string& written) {
        return builder_.text(written, line());
    }
    bool string(std::string& value) { return builder_.text(value, line()); }
    bool binary(Json::binary_t&) { return false; }
    bool start_object(size_t) { return builder_.begin(DocumentNode::Kind::Map, line()); }
    bool key(std::string& value) { return builder_.key(value, line()); }
    bool end_object() { return builder_.end(); }
    bool start_array(size_t) { return builder_.begin(DocumentNode::Kind::List, line()); }
    bool end_array() { return builder_.end(); }
    bool parse_error(size_t, const std::string&, const Json::exception& error) {
        return builder_.fail(line(), json_complaint(error.what()));
    }

    DocumentBuilder& builder() { return builder_; }

private:
    // Of the last character that was read; of a number, that is the one behind it.
    size_t line() {
        const char* last = std::max(counted_, *seen_ - 1);
        line_ += static_cast<size_t>(std::count(counted_, last, '\n'));
        counted_ = last;
        return line_;
    }

    DocumentBuilder builder_{DocumentBuilder::Twice::LastCounts};
    const char* counted_;
    const char* const* seen_;
    size_t line_ = 1;
};

}  // namespace

std::expected<DocumentNode, DocumentError> read_json(std::string_view text) {
    if (auto reason = unreadable(text)) return std::unexpected(*std::move(reason));
    constexpr bool nothing_behind = true;
    constexpr bool comments = true;
    const char* begin = text.data();
    const char* seen = begin;
    Events events(begin, &seen);
    const bool whole = nlohmann::json::sax_parse(
        Tracked(begin, &seen), Tracked(begin + text.size(), &seen), &events,
        nlohmann::json::input_format_t::json, nothing_behind, comments);
    if (!whole) return std::unexpected(*events.builder().error());
    return events.builder().take();
}

}  // namespace husk
