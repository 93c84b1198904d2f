#include "base/units.h"

#include <gtest/gtest.h>

#include <limits>

using namespace std::literals;

namespace husk::text {
namespace {

TEST(Units, ReadsNumbers) {
    EXPECT_EQ(parse_number("0"), 0);
    EXPECT_EQ(parse_number("0042"), 42);
    EXPECT_EQ(parse_number("18446744073709551615"), std::numeric_limits<uint64_t>::max());
    for (const std::string_view text :
         {"", "-1", "+1", " 1", "1 ", "1.0", "0x1", "1e3", "one", "18446744073709551616"})
        EXPECT_FALSE(parse_number(text)) << text;
}

TEST(Units, ReadsDurations) {
    struct Case {
        std::string_view text;
        std::chrono::milliseconds duration;
    };
    const Case cases[] = {
        {"30s", 30s},     {"500ms", 500ms}, {"2m", 2min},          {"2min", 2min},
        {"1.5s", 1500ms}, {"1h", 1h},       {"1d", 24h},           {"30", 30s},
        {"0", 0s},        {"0ms", 0s},      {"0.25", 250ms},       {"1.5h", 90min},
        {"007s", 7s},     {"0.0001s", 1ms}, {"1.000001s", 1001ms}, {"36500d", longest_duration},
    };
    for (const auto& [text, duration] : cases) EXPECT_EQ(parse_duration(text), duration) << text;
}

TEST(Units, RefusesWhatIsNoDuration) {
    for (const std::string_view text : {"",
                                        " ",
                                        "s",
                                        "-1s",
                                        "-0",
                                        "+1s",
                                        "1 s",
                                        " 1s",
                                        "1s ",
                                        "1S",
                                        "1w",
                                        "1ss",
                                        "1.s",
                                        ".5s",
                                        "1..5s",
                                        "1.5.5s",
                                        "1,5s",
                                        "1e3s",
                                        "0x10s",
                                        "inf",
                                        "nan",
                                        "36500.1d",
                                        "36501d",
                                        "18446744073709551615s",
                                        "18446744073709551616ms",
                                        "99999999999999999999999",
                                        "1.0000001s",
                                        "1.99999999999999999999999s",
                                        "½s"})
        EXPECT_FALSE(parse_duration(text)) << text;
    EXPECT_FALSE(parse_duration("1\0s"sv));
}

TEST(Units, ReadsSizes) {
    struct Case {
        std::string_view text;
        uint64_t bytes;
    };
    const Case cases[] = {
        {"0", 0},
        {"30000", 30'000},
        {"512B", 512},
        {"256K", 256 * 1024},
        {"256k", 256 * 1024},
        {"256KB", 256 * 1024},
        {"256KiB", 256 * 1024},
        {"64M", 64ULL << 20},
        {"64mb", 64ULL << 20},
        {"1GiB", 1ULL << 30},
        {"1.5G", 3ULL << 29},
        {"2T", 2ULL << 40},
        {"0.000001T", 1'099'512},
        {"18446744073709551615", std::numeric_limits<uint64_t>::max()},
        {"16777215T", 16'777'215ULL << 40},
    };
    for (const auto& [text, bytes] : cases) EXPECT_EQ(parse_size(text), bytes) << text;
}

TEST(Units, RefusesWhatIsNoSize) {
    for (const std::string_view text :
         {"", "K", "-1", "+1", "1.5", "1.5B", "1 K", "1KK", "1Ki", "1KiBs", "1P", "1bK", "ten",
          "18446744073709551616", "16777216T", "16777215.999999999T", "0x10", "1.K"})
        EXPECT_FALSE(parse_size(text)) << text;
    EXPECT_FALSE(parse_size("1\0"sv));
}

TEST(Units, WritesDurations) {
    struct Case {
        std::chrono::milliseconds duration;
        std::string_view text;
    };
    const Case cases[] = {
        {0ms, "0 ms"},
        {12ms, "12 ms"},
        {999ms, "999 ms"},
        {1000ms, "1 s"},
        {1234ms, "1.2 s"},
        {30s, "30 s"},
        {59'949ms, "59.9 s"},
        {59'950ms, "1 min"},
        {60s, "1 min"},
        {185s, "3 min 5 s"},
        {3'599'499ms, "59 min 59 s"},
        {3'599'500ms, "1 h"},
        {1h + 5min, "1 h 5 min"},
        {23h + 59min + 40s, "1 d"},
        {51h, "2 d 3 h"},
        {-5ms, "0 ms"},
        {std::chrono::milliseconds::min(), "0 ms"},
    };
    for (const auto& [duration, text] : cases) EXPECT_EQ(format_duration(duration), text);
    EXPECT_NE(format_duration(std::chrono::milliseconds::max()), "");
}

TEST(Units, WritesSizes) {
    struct Case {
        uint64_t bytes;
        std::string_view text;
    };
    const Case cases[] = {
        {0, "0 bytes"},
        {1, "1 byte"},
        {1023, "1023 bytes"},
        {1024, "1 KiB"},
        {1536, "1.5 KiB"},
        {30'000, "29.3 KiB"},
        {64ULL << 20, "64 MiB"},
        {(64ULL << 20) + 1, "64 MiB"},
        {(1ULL << 20) - 1, "1 MiB"},
        {812'331, "793.3 KiB"},
        {3ULL << 29, "1.5 GiB"},
        {1ULL << 40, "1 TiB"},
        {std::numeric_limits<uint64_t>::max(), "16 EiB"},
    };
    for (const auto& [bytes, text] : cases) EXPECT_EQ(format_size(bytes), text) << bytes;
}

TEST(Units, ReadsTheSizesThatItWrites) {
    for (uint64_t bytes = 1024; bytes < (uint64_t{1} << 44U); bytes *= 2) {
        std::string text = format_size(bytes);
        std::erase(text, ' ');
        EXPECT_EQ(parse_size(text), bytes);
    }
}

}  // namespace
}  // namespace husk::text
