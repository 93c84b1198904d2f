#include "request/schema.h"

#include <gtest/gtest.h>

namespace husk::schema {
namespace {

const std::vector<Field> fields = {
    {.name = "text", .required = true, .mistaken = {"txt"}},
    {.name = "flag", .type = Type::Flag},
    {.name = "count", .type = Type::Integer, .least = 0, .most = 10},
    {.name = "ratio", .type = Type::Number},
    {.name = "choice", .choices = {"a", "b"}},
    {.name = "env", .type = Type::TextMap},
    {.name = "hidden", .type = Type::Integer, .shown = false},
    {.name = "inner", .type = Type::Object, .fields = {{.name = "port", .type = Type::Integer}}},
};

std::string said(const std::string& text, Manner manner = {}) {
    const auto read = read_arguments(text, fields, manner);
    return read ? read->dump() : "! " + read.error();
}

TEST(Schema, TakesWhatFits) {
    struct {
        const char* input;
        const char* taken;
    } const cases[] = {
        {R"({"text": "x"})", R"({"text":"x"})"},
        {R"({"text": ""})", R"({"text":""})"},
        {R"({"text": "x", "flag": null, "env": null})", R"({"text":"x"})"},
        {R"({"count": 10, "text": "x"})", R"({"text":"x","count":10})"},
        {R"({"text": "x", "count": 1e1})", R"({"text":"x","count":10})"},
        {R"({"text": "x", "count": -0})", R"({"text":"x","count":0})"},
        {R"({"text": "x", "ratio": 1.5})", R"({"text":"x","ratio":1.5})"},
        {R"({"text": "x", "env": {"A": "1", "B": null}})",
         R"({"text":"x","env":{"A":"1","B":null}})"},
        {R"({"text": "x", "hidden": 5})", R"({"text":"x","hidden":5})"},
        {R"({"text": "x", "inner": {"port": 5}})", R"({"text":"x","inner":{"port":5}})"},
        {R"({"text": "\u0000"})", R"({"text":"\u0000"})"},
    };
    for (const auto& one : cases) EXPECT_EQ(said(one.input), one.taken);
}

TEST(Schema, NamesWhatDoesNot) {
    struct {
        const char* input;
        const char* error;
    } const cases[] = {
        {R"({})", "! `text` is required"},
        {R"({"text": null})", "! `text` is required"},
        {R"({"text": 1})", "! `text` must be a string, not the number 1"},
        {R"({"txt": "x"})", "! there is no argument `txt`; use `text`"},
        {R"({"text": "x", "cuont": 1})", "! there is no argument `cuont`; did you mean `count`?"},
        {R"({"text": "x", "zzzzzz": 1})",
         "! there is no argument `zzzzzz`; there are `text`, `flag`, `count`, `ratio`, `choice`, "
         "`env`, `inner`"},
        {R"({"text": "x", "flag": "true"})", "! `flag` must be a boolean, not the string \"true\""},
        {R"({"text": "x", "count": 11})", "! `count` must be at most 10, not 11"},
        {R"({"text": "x", "count": -1})", "! `count` must be at least 0, not -1"},
        {R"({"text": "x", "count": 1.5})", "! `count` must be an integer, not the number 1.5"},
        {R"({"text": "x", "count": 1e30})", "! `count` must be an integer, not the number 1e+30"},
        {R"({"text": "x", "count": 18446744073709551615})",
         "! `count` must be an integer, not the number 18446744073709551615"},
        {R"({"text": "x", "choice": "c"})",
         "! `choice` must be one of \"a\", \"b\", not the string \"c\""},
        {R"({"text": "x", "env": {"A": 1}})",
         "! `env` must be an object of strings, not an object with the number 1 as `A`"},
        {R"({"text": "x", "inner": {"prot": 5}})",
         "! in `inner`: there is no argument `prot`; did you mean `port`?"},
        {R"({"text": "x", "inner": {"port": "5"}})",
         "! in `inner`: `port` must be an integer, not the string \"5\""},
        {R"({"text": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "flag": 0})",
         "! `flag` must be a boolean, not the number 0"},
    };
    for (const auto& one : cases) EXPECT_EQ(said(one.input), one.error);
}

TEST(Schema, BlankMayMeanNotGiven) {
    const Manner blank = {Unknown::Ignored, Blank::NotGiven};
    EXPECT_EQ(
        said(R"({"text": "", "count": 0, "flag": false, "choice": "", "env": {}, "x": 1})", blank),
        R"({"text":""})");
    EXPECT_EQ(said(R"({"text": "x", "choice": "c"})", blank),
              "! `choice` must be one of \"a\", \"b\", not the string \"c\"");
    EXPECT_EQ(said(R"({"text": "x", "flag": 0})", blank), R"({"text":"x"})");
}

TEST(Schema, HostileTextsAreErrors) {
    const std::string deep_list = R"({"text": "x", "y": )" + std::string(64, '[');
    struct {
        std::string input;
        std::string error;
    } const cases[] = {
        {R"({"text": "x", "text": "y"})", "! the key `text` stands twice"},
        {R"({"text": "x", "inner": {"port": 1, "port": 2}})", "! the key `port` stands twice"},
        {"{\"text\": \"\xc0\xaf\"}", "! the arguments are not valid UTF-8"},
        {deep_list, "! the arguments are nested more than 64 deep"},
        {std::string(1'000'000, '{'), "! the arguments are nested more than 64 deep"},
        {"[]", "! the arguments must be a JSON object, not a list"},
        {"true", "! the arguments must be a JSON object, not true"},
    };
    for (const auto& one : cases) EXPECT_EQ(said(one.input), one.error);
    for (const char* no_json :
         {"", " ", "{", "{\"text\"", "{\"text\": \"x\"} x", "{text: 1}", "{\"text\": \"\\ud800\"}",
          "{\"text\": NaN}", "\"", "{\"text\": 01}", "// {}", "{\"text\": \"a\nb\"}"})
        EXPECT_TRUE(said(no_json).starts_with("! this is not JSON: ")) << said(no_json);
    // Brackets in a text are no nesting.
    EXPECT_EQ(
        read_object(
            R"({"text": "\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["})")
            .has_value(),
        true);
    const std::string most = "{}" + std::string((8U << 20) - 2, ' ');
    EXPECT_TRUE(read_object(most));
    EXPECT_FALSE(read_object(most + " "));
}

TEST(Schema, ShowsTheTable) {
    const Json schema = input_schema(fields, Unknown::Refused);
    EXPECT_EQ(schema["type"], "object");
    EXPECT_EQ(schema["required"], Json::array({"text"}));
    EXPECT_FALSE(schema["properties"].contains("hidden"));
    EXPECT_FALSE(schema.contains("additionalProperties")) << "one is taken that is not shown";
    EXPECT_EQ(schema["properties"]["count"]["maximum"], 10);
    EXPECT_EQ(schema["properties"]["choice"]["enum"], Json::array({"a", "b"}));
    EXPECT_EQ(schema["properties"]["inner"]["additionalProperties"], false);
    EXPECT_EQ(input_schema(std::span(fields).first(1), Unknown::Refused)["additionalProperties"],
              false);
    EXPECT_EQ(input_schema({}, Unknown::Ignored).dump(), R"({"type":"object","properties":{}})");
}

}  // namespace
}  // namespace husk::schema
