#include "record/json_line.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace husk::audit {
namespace {

TEST(JsonLine, IsJsonOnOneLineWhateverIsInIt) {
    std::string every;
    for (int letter = 0; letter < 256; ++letter) every += static_cast<char>(letter);
    JsonLine line;
    line.text("text", every)
        .text("nothing", "")
        .texts("texts", std::vector<std::string>{"a\nb", "\"", ""})
        .flag("flag", true)
        .whole("whole", -3)
        .whole("no_whole", std::nullopt)
        .count("count", ~uint64_t{0})
        .milliseconds("ms", 1.23456)
        .milliseconds("no_ms", std::nullopt)
        .json("json", json_array(std::vector<std::string>{"1", "{}"}));
    const std::string text = line.done();
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const auto json = nlohmann::json::parse(text);
    EXPECT_EQ(json["text"].get<std::string>().substr(0, 128), every.substr(0, 128));
    EXPECT_TRUE(json["nothing"].is_null());
    EXPECT_EQ(json["texts"], (nlohmann::json{"a\nb", "\"", ""}));
    EXPECT_EQ(json["flag"], true);
    EXPECT_EQ(json["whole"], -3);
    EXPECT_TRUE(json["no_whole"].is_null());
    EXPECT_EQ(json["count"], ~uint64_t{0});
    EXPECT_EQ(json["ms"], 1.235);
    EXPECT_TRUE(json["no_ms"].is_null());
    EXPECT_EQ(json["json"].dump(), "[1,{}]");
    EXPECT_EQ(JsonLine().done(), "{}");
}

std::string written(const std::string& value, size_t most) {
    JsonLine line;
    line.text("t", value, most);
    return line.done();
}

TEST(JsonLine, CutsWhatIsLongAndSaysSo) {
    EXPECT_EQ(written("abc", 3), R"({"t":"abc"})");
    EXPECT_EQ(written("abcd", 3), R"({"t":"abc","cut":["t"]})");
    EXPECT_EQ(written("ab\u00e9", 3), R"({"t":"ab","cut":["t"]})");  // no half characters
    // What counts is what is written.
    EXPECT_EQ(written("\x7f\x7f", 6), R"({"t":"\u007f","cut":["t"]})");
    EXPECT_EQ(written("\x7f\x7f", 12), R"({"t":"\u007f\u007f"})");
    JsonLine line;
    line.text("short", "x").texts("many", std::vector<std::string>(30, "x")).text("long", "xy", 1);
    const auto json = nlohmann::json::parse(line.done());
    EXPECT_EQ(json["cut"], (nlohmann::json{"many", "long"}));
    EXPECT_EQ(json["many"].size(), 20U);
    EXPECT_TRUE(line.has_cut("long"));
    EXPECT_FALSE(line.has_cut("short"));
    JsonLine listed;
    listed.texts("list", std::vector<std::string>{"a", std::string(9000, '\x01')});
    EXPECT_LT(listed.done().size(), 1000U);
    EXPECT_EQ(nlohmann::json::parse(listed.done())["cut"], nlohmann::json{"list"});
}

TEST(JsonLine, HasNothingThatATerminalActsOn) {
    const std::pair<const char*, const char*> cases[] = {
        {"\u009b31m", R"("\u009b31m")"},        // a control sequence in one character
        {"\u0085", R"("\u0085")"},              // next line
        {"\u007f", R"("\u007f")"},              //
        {"\u202etxt", R"("\u202etxt")"},        // the rest is read from the right
        {"\u2066\u2069", R"("\u2066\u2069")"},  //
        {"\u200f\u061c", R"("\u200f\u061c")"},  //
        {"\u2028", R"("\u2028")"},              // a line to some
        {"\u00a0\u00e9\u2603", "\"\u00a0\u00e9\u2603\""},
    };
    for (const auto& [text, quoted] : cases) {
        EXPECT_EQ(written(text, 100), std::string("{\"t\":") + quoted + "}");
        EXPECT_EQ(inert("[\"" + std::string(text) + "\"]"), "[" + std::string(quoted) + "]");
    }
}

}  // namespace
}  // namespace husk::audit
