// What a tool takes, as a table: the JSON Schema that a client is shown and the reading of what it
// sends come from the same lines.
#pragma once

#include <cstdint>
#include <expected>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace husk::schema {

using Json = nlohmann::ordered_json;

enum class Type {
    Text,
    Flag,
    Integer,
    Number,
    TextList,
    TextMap,  // an object of texts; null takes one out
    Object,   // with fields of its own
};

struct Field {
    std::string name;
    Type type = Type::Text;
    std::string description = {};
    bool required = false;
    bool shown = true;                      // false: taken, but not in the schema
    std::vector<std::string> choices = {};  // of a Text
    std::optional<int64_t> least = {};
    std::optional<int64_t> most = {};
    Json by_default = nullptr;               // told in the schema, no more
    std::vector<Field> fields = {};          // of an Object
    std::vector<std::string> mistaken = {};  // other names that mean this one, for the error
};

// Fields that the table does not have.
enum class Unknown { Ignored, Refused };
// An optional field with "", 0 or false in it, as clients send that fill in everything.
enum class Blank { Meant, NotGiven };

struct Manner {
    Unknown unknown = Unknown::Refused;
    Blank blank = Blank::Meant;
};

// The inputSchema of a tool.
Json input_schema(std::span<const Field> fields, Unknown unknown);

// A text that must be one JSON object. Bounded in size and depth, valid UTF-8, no key twice. The
// error is for whoever sent it.
std::expected<Json, std::string> read_object(std::string_view text);

// Those fields of it that were given, each of the right type. null is "not given" always. The
// error names the field and what was expected.
std::expected<Json, std::string> read_fields(const Json& object, std::span<const Field> fields,
                                             Manner manner);

// Both.
std::expected<Json, std::string> read_arguments(std::string_view text,
                                                std::span<const Field> fields, Manner manner);

// Of an object; null where there is no such member, or `object` is none.
const Json& member(const Json& object, std::string_view name);

// Of what read_fields has returned.
std::string text_of(const Json& arguments, const char* name, const std::string& otherwise = "");
bool flag_of(const Json& arguments, const char* name);
std::vector<std::string> texts_of(const Json& arguments, const char* name);
std::optional<int64_t> integer_of(const Json& arguments, const char* name);

}  // namespace husk::schema
