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

}  // namespace
}  // namespace husk::audit
