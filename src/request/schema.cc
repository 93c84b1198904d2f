#include "request/schema.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/text.h"
#include "base/utf8.h"
#include "request/json_error.h"

namespace husk::schema {
namespace {

constexpr size_t largest = size_t{8} << 20;
constexpr size_t deepest = 64;

std::string code(const std::string& name) { return "`" + name + "`"; }

const char* word(Type type) {
    switch (type) {
        case Type::Text: return "string";
        case Type::Flag: return "boolean";
        case Type::Integer: return "integer";
        case Type::Number: return "number";
        case Type::TextList: return "array";
        case Type::TextMap:
        case Type::Object: return "object";
    }
    return "";
}

std::string article(const std::string& noun) {
    return (std::string("aeiou").contains(noun[0]) ? "an " : "a ") + noun;
}

// "the string "5"", "a number", "a list"
std::string described(const Json& value) {
    constexpr size_t longest = 40;
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        const auto start = text::whole_prefix(text, longest);
        return "the string \"" + std::string(start) + (start.size() < text.size() ? "..." : "") +
               "\"";
    }
    if (value.is_number()) return "the number " + value.dump();
    if (value.is_boolean()) return value.dump();
    if (value.is_array()) return "a list";
    return value.is_null() ? "null" : "an object";
}

// A whole number that fits, also if it was written as 2e3 or 2000.0.
std::optional<int64_t> whole(const Json& value) {
    if (value.is_number_unsigned()) {
        const auto number = value.get<uint64_t>();
        if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
            return std::nullopt;
        return static_cast<int64_t>(number);
    }
    if (value.is_number_integer()) return value.get<int64_t>();
    if (!value.is_number()) return std::nullopt;
    constexpr double exact = 9007199254740992.0;  // beyond it a double has no ones
    const double number = value.get<double>();
    if (!(number >= -exact && number <= exact)) return std::nullopt;
    const auto cut = static_cast<int64_t>(number);
    return static_cast<double>(cut) == number ? std::optional(cut) : std::nullopt;
}

bool is_text_or_null(const Json& value) { return value.is_string() || value.is_null(); }

bool has_type(const Json& value, Type type) {
    switch (type) {
        case Type::Text: return value.is_string();
        case Type::Flag: return value.is_boolean();
        case Type::Integer: return whole(value).has_value();
        case Type::Number: return value.is_number();
        case Type::TextList:
            return value.is_array() && std::ranges::all_of(value, [](const Json& element) {
                       return element.is_string();
                   });
        case Type::TextMap: return value.is_object() && std::ranges::all_of(value, is_text_or_null);
        case Type::Object: return value.is_object();
    }
    return false;
}

// Of something that shall hold texts: what is in it instead, if it is the right thing otherwise.
std::string described_in(const Json& value, Type type) {
    if (value.is_array() && type == Type::TextList)
        for (const Json& element : value)
            if (!element.is_string()) return "a list with " + described(element) + " in it";
    if (value.is_object() && type == Type::TextMap)
        for (const auto& [name, element] : value.items())
            if (!is_text_or_null(element))
                return "an object with " + described(element) + " as " +
                       code(std::string(text::whole_prefix(name, 40)));
    return described(value);
}

bool is_blank(const Json& value) {
    if (value.is_string()) return value.get_ref<const std::string&>().empty();
    return value == 0 || value == false || (value.is_structured() && value.empty());
}

std::string quoted_list(const std::vector<std::string>& texts) {
    std::vector<std::string> quoted;
    for (const std::string& text : texts) quoted.push_back("\"" + text + "\"");
    return text::join(quoted, ", ");
}

std::optional<std::string> wrong(const Field& field, const Json& value, const std::string& name) {
    if (!has_type(value, field.type)) {
        const bool holds_texts = field.type == Type::TextMap || field.type == Type::TextList;
        const std::string of = holds_texts ? " of strings" : "";
        return code(name) + " must be " + article(word(field.type)) + of + ", not " +
               (holds_texts ? described_in(value, field.type) : described(value));
    }
    if (!field.choices.empty() &&
        std::ranges::find(field.choices, value.get_ref<const std::string&>()) ==
            field.choices.end())
        return code(name) + " must be one of " + quoted_list(field.choices) + ", not " +
               described(value);
    if (field.type != Type::Integer) return std::nullopt;
    const int64_t number = *whole(value);
    if (field.least && number < *field.least)
        return code(name) + " must be at least " + std::to_string(*field.least) + ", not " +
               std::to_string(number);
    if (field.most && number > *field.most)
        return code(name) + " must be at most " + std::to_string(*field.most) + ", not " +
               std::to_string(number);
    return std::nullopt;
}

std::string unknown_field(const std::string& name, std::span<const Field> fields) {
    std::vector<std::string_view> names;
    std::string all;
    for (const Field& field : fields) {
        if (std::ranges::find(field.mistaken, name) != field.mistaken.end())
            return "there is no argument " + code(name) + "; use " + code(field.name);
        names.push_back(field.name);
        if (field.shown) all += (all.empty() ? "" : ", ") + code(field.name);
    }
    const std::string closest = text::closest(name, names);
    const std::string start(text::whole_prefix(name, 100));
    if (!closest.empty())
        return "there is no argument " + code(start) + "; did you mean " + code(closest) + "?";
    return "there is no argument " + code(start) + "; there " +
           (all.empty() ? "are none" : "are " + all);
}

// How deep objects and lists are nested, by their brackets outside of texts.
size_t depth_of(std::string_view text) {
    size_t depth = 0;
    size_t most = 0;
    bool in_text = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        if (in_text && letter == '\\') {
            ++i;
        } else if (letter == '"') {
            in_text = !in_text;
        } else if (!in_text && (letter == '{' || letter == '[')) {
            most = std::max(most, ++depth);
        } else if (!in_text && (letter == '}' || letter == ']') && depth > 0) {
            --depth;
        }
    }
    return most;
}

// Watches a text being parsed for keys that stand twice in one object.
class Keys {
public:
    bool operator()(Json::parse_event_t event, const Json& parsed) {
        if (event == Json::parse_event_t::object_start) open_.emplace_back();
        if (event == Json::parse_event_t::object_end) open_.pop_back();
        if (event == Json::parse_event_t::key && twice_.empty()) {
            const auto& key = parsed.get_ref<const std::string&>();
            if (!open_.back().insert(key).second) twice_ = key;
        }
        return true;
    }
    const std::string& twice() const { return twice_; }

private:
    std::vector<std::set<std::string>> open_;
    std::string twice_;
};

Json property_of(const Field& field) {
    Json property = {{"type", word(field.type)}};
    if (!field.description.empty()) property["description"] = field.description;
    if (!field.choices.empty()) property["enum"] = field.choices;
    if (field.least) property["minimum"] = *field.least;
    if (field.most) property["maximum"] = *field.most;
    if (!field.by_default.is_null()) property["default"] = field.by_default;
    if (field.type == Type::TextList) property["items"] = {{"type", "string"}};
    if (field.type == Type::TextMap)
        property["additionalProperties"] = {{"type", Json::array({"string", "null"})}};
    if (field.type == Type::Object) {
        property["properties"] = input_schema(field.fields, Unknown::Refused)["properties"];
        property["additionalProperties"] = false;
    }
    return property;
}

}  // namespace

Json input_schema(std::span<const Field> fields, Unknown unknown) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const Field& field : fields) {
        if (!field.shown) continue;
        properties[field.name] = property_of(field);
        if (field.required) required.push_back(field.name);
    }
    Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    // A field that is taken and not shown would be refused by a client that validates.
    const bool all_shown = std::ranges::all_of(fields, &Field::shown);
    if (unknown == Unknown::Refused && all_shown) schema["additionalProperties"] = false;
    return schema;
}

std::expected<Json, std::string> read_object(std::string_view text) {
    if (text.size() > largest)
        return std::unexpected("the arguments have " + std::to_string(text.size()) +
                               " bytes, and at most " + std::to_string(largest) + " are taken");
    if (!text::is_utf8(text)) return std::unexpected("the arguments are not valid UTF-8");
    if (depth_of(text) > deepest)
        return std::unexpected("the arguments are nested more than " + std::to_string(deepest) +
                               " deep");
    Keys keys;
    Json object;
    try {
        object = Json::parse(text, [&keys](int, Json::parse_event_t event, Json& parsed) {
            return keys(event, parsed);
        });
    } catch (const Json::exception& error) {
        return std::unexpected(json_complaint(error.what()));
    }
    if (!object.is_object())
        return std::unexpected("the arguments must be a JSON object, not " + described(object));
    if (!keys.twice().empty())
        return std::unexpected("the key " + code(keys.twice()) + " stands twice");
    return object;
}

std::expected<Json, std::string> read_fields(const Json& object, std::span<const Field> fields,
                                             Manner manner) {
    if (manner.unknown == Unknown::Refused) {
        for (const auto& [name, value] : object.items())
            if (std::ranges::find(fields, name, &Field::name) == fields.end())
                return std::unexpected(unknown_field(name, fields));
    }
    Json given = Json::object();
    for (const Field& field : fields) {
        const auto found = object.find(field.name);
        const bool absent =
            found == object.end() || found->is_null() ||
            (!field.required && manner.blank == Blank::NotGiven && is_blank(*found));
        if (absent && field.required) return std::unexpected(code(field.name) + " is required");
        if (absent) continue;
        if (const auto complaint = wrong(field, *found, field.name))
            return std::unexpected(*complaint);
        if (field.type == Type::Object) {
            auto inner = read_fields(*found, field.fields, manner);
            if (!inner) return std::unexpected("in " + code(field.name) + ": " + inner.error());
            given[field.name] = *std::move(inner);
        } else if (field.type == Type::Integer) {
            given[field.name] = *whole(*found);
        } else {
            given[field.name] = *found;
        }
    }
    return given;
}

std::expected<Json, std::string> read_arguments(std::string_view text,
                                                std::span<const Field> fields, Manner manner) {
    const auto object = read_object(text);
    if (!object) return object;
    return read_fields(*object, fields, manner);
}

const Json& member(const Json& object, std::string_view name) {
    static const Json none = nullptr;
    if (!object.is_object()) return none;
    const auto found = object.find(name);
    return found == object.end() ? none : *found;
}

std::string text_of(const Json& arguments, const char* name, const std::string& otherwise) {
    const auto found = arguments.find(name);
    return found == arguments.end() ? otherwise : found->get<std::string>();
}

bool flag_of(const Json& arguments, const char* name) {
    const auto found = arguments.find(name);
    return found != arguments.end() && found->get<bool>();
}

std::vector<std::string> texts_of(const Json& arguments, const char* name) {
    const auto found = arguments.find(name);
    if (found == arguments.end()) return {};
    return found->get<std::vector<std::string>>();
}

std::optional<int64_t> integer_of(const Json& arguments, const char* name) {
    const auto found = arguments.find(name);
    return found == arguments.end() ? std::nullopt : std::optional(found->get<int64_t>());
}

}  // namespace husk::schema
