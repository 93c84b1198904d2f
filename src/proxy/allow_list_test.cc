#include "proxy/allow_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "proxy/denials.h"

namespace husk::proxy {
namespace {

using testing::HasSubstr;

AllowList list_of(std::string_view text) {
    auto list = AllowList::parse(text);
    EXPECT_TRUE(list) << text;
    return list ? *std::move(list) : AllowList();
}

TEST(Target, IsWhatWillBeConnectedTo) {
    const struct {
        std::string_view text;
        std::string_view is;
    } table[] = {
        {"example.com:443", "example.com:443"},
        {"EXAMPLE.Com:443", "example.com:443"},
        {"example.com.:443", "example.com:443"},
        {"a_b.xn--bcher-kva.example:1", "a_b.xn--bcher-kva.example:1"},
        {"localhost:65535", "localhost:65535"},
        {"1.2.3.4:80", "1.2.3.4:80"},
        {"[::1]:80", "[::1]:80"},
        {"[0:0::1]:80", "[::1]:80"},
        {"[::ffff:127.0.0.1]:80", "127.0.0.1:80"},
        {"1.2.3.4.example:80", "1.2.3.4.example:80"},
        {"0x7f.example:80", "0x7f.example:80"},
    };
    for (const auto& [text, is] : table) {
        const auto target = parse_target(text, std::nullopt);
        ASSERT_TRUE(target) << text;
        EXPECT_EQ(to_text(*target), is);
        EXPECT_EQ(parse_target(to_text(*target), std::nullopt), target);
    }
    EXPECT_EQ(to_text(parse_target("example.com", 80).value()), "example.com:80");
    EXPECT_EQ(to_text(parse_target("[::1]", 80).value()), "[::1]:80");
}

TEST(Target, IsNothingThatTwoReadersUnderstandInTwoWays) {
    using namespace std::string_view_literals;
    for (const std::string_view text :
         {""sv, ":80"sv, ".:80"sv, "..:80"sv, ".example.com:80"sv, "example..com:80"sv,
          "example.com..:80"sv, "example.com"sv, "example.com:"sv, "example.com:0"sv,
          "example.com:080"sv, "example.com:65536"sv, "example.com:99999999999"sv,
          "example.com:+80"sv, "example.com:80 "sv, "example.com:80:80"sv, "example.com:http"sv,
          "example.com:*"sv, "*.example.com:80"sv, "*:80"sv, "good.example@evil.example:80"sv,
          "good.example%00.evil.example:80"sv, "good.example%2eevil.example:80"sv,
          "good.example\0.evil.example:80"sv, "good.example\r\n:80"sv, "good.example\t:80"sv,
          "good example:80"sv, "good.example/:80"sv, "good.example\\evil.example:80"sv,
          "good.example,evil.example:80"sv, "good.example#:80"sv, "good.example?:80"sv,
          "b\xc3\xbc"
          "cher.example:80"sv,
          "good.example\xe3\x80\x82:80"sv, "\xef\xbd\x85xample.com:80"sv,
          // numbers that inet_aton would take for an address
          "127.1:80"sv, "2130706433:80"sv, "0x7f000001:80"sv, "0x7f.0.0.1:80"sv, "0177.0.0.1:80"sv,
          "127.0.0.01:80"sv, "1.2.3.4.5:80"sv, "1.2.3.4.:80"sv, "example.0x:80"sv, "example.1:80"sv,
          "::1:80"sv, "[::1:80"sv, "[::1]80"sv, "[::1]]:80"sv, "[::1%lo]:80"sv, "[1.2.3.4]:80"sv,
          "[example.com]:80"sv, "[]:80"sv})
        EXPECT_FALSE(parse_target(text, std::nullopt)) << text;
    EXPECT_FALSE(parse_target(std::string(64, 'a') + ".example:80", std::nullopt));
    std::string longest;
    while (longest.size() < 252) longest += "a.";
    EXPECT_TRUE(parse_target(longest + "b:80", std::nullopt));
    EXPECT_FALSE(parse_target(longest + "bc:80", std::nullopt));
}

TEST(AllowList, AllowsWhatItSays) {
    const struct {
        std::string_view list;
        std::string_view target;
        bool allowed;
    } table[] = {
        // Two ports if none is named, otherwise that one, or all.
        {"example.com", "example.com:443", true},
        {"example.com", "example.com:80", true},
        {"example.com", "example.com:8080", false},
        {"example.com:8080", "example.com:8080", true},
        {"example.com:8080", "example.com:443", false},
        {"example.com:*", "example.com:22", true},
        // Names are compared whole, and case does not matter.
        {"Example.COM.", "eXample.com:443", true},
        {"example.com", "example.com.:443", true},
        {"example.com", "www.example.com:443", false},
        {"example.com", "notexample.com:443", false},
        {"example.com", "example.com.evil:443", false},
        {"example.com", "example.co:443", false},
        {"xample.com", "example.com:443", false},
        // A star stands for one or more labels in front.
        {"*.example.com", "www.example.com:443", true},
        {"*.example.com", "a.b.example.com:443", true},
        {"*.example.com", "example.com:443", false},
        {"*.example.com", "notexample.com:443", false},
        {"*.example.com:*", "www.example.com:22", true},
        {"*.example.com:22", "www.example.com:443", false},
        // Addresses must be listed as such.
        {"1.2.3.4", "1.2.3.4:80", true},
        {"1.2.3.4:22", "1.2.3.4:22", true},
        {"1.2.3.4", "[::ffff:1.2.3.4]:80", true},
        {"::1", "[::1]:443", true},
        {"[::1]", "[::1]:443", true},
        {"[::1]:8080", "[0::1]:8080", true},
        {"[::1]:*", "[::1]:1", true},
        {"::1", "[::1]:8080", false},
        {"1.2.3.4", "1.2.3.5:80", false},
        {"*.example.com", "1.2.3.4:80", false},
        {"localhost", "127.0.0.1:80", false},
        {"127.0.0.1", "localhost:80", false},
        // One of several.
        {"a.example\nb.example:1\n", "b.example:1", true},
        {"a.example\n\nb.example:1", "b.example:80", false},
        // Nothing allows nothing.
        {"", "example.com:443", false},
        {"\n\n", "example.com:443", false},
    };
    for (const auto& [list, target, allowed] : table)
        EXPECT_EQ(list_of(list).allows(parse_target(target, std::nullopt).value()), allowed)
            << list << " / " << target;
}

TEST(AllowList, IsAnErrorWhereItCannotBeUnderstood) {
    using namespace std::string_view_literals;
    for (const std::string_view text : {"*"sv,
                                        "*:*"sv,
                                        "*."sv,
                                        "**.example.com"sv,
                                        "www.*.com"sv,
                                        "*example.com"sv,
                                        "https://example.com"sv,
                                        "example.com/path"sv,
                                        "example.com:"sv,
                                        "example.com:0"sv,
                                        "example.com:70000"sv,
                                        "example.com:80-90"sv,
                                        "user@example.com"sv,
                                        " example.com"sv,
                                        "example.com "sv,
                                        "# comment"sv,
                                        "127.1"sv,
                                        "10.0.0.0/8"sv,
                                        "*.1.2.3.4"sv,
                                        "*.::1"sv,
                                        "[1.2.3.4]"sv,
                                        "[::1"sv,
                                        "::1]"sv,
                                        "[example.com]"sv,
                                        "b\xc3\xbc"
                                        "cher.example"sv,
                                        "a\0b"sv,
                                        "good.example\nbad example"sv,
                                        "example.com\r"sv})
        EXPECT_FALSE(AllowList::parse(text)) << text;
    EXPECT_THAT(AllowList::parse("bad\x1b[2J").error().detail, HasSubstr("bad?[2J"));
}

TEST(AllowList, LetsNamesLeadOnlyWhereTheyMay) {
    const struct {
        std::string_view list;
        std::string_view target;
        std::string_view address;
        bool allowed;
    } table[] = {
        {"example.com", "example.com:80", "93.184.215.14", true},
        {"example.com", "example.com:80", "2606:4700::1111", true},
        // Somebody else's name server may say anything.
        {"example.com", "example.com:80", "127.0.0.1", false},
        {"example.com", "example.com:80", "::ffff:127.0.0.1", false},
        {"example.com", "example.com:80", "10.0.0.1", false},
        {"example.com", "example.com:80", "169.254.169.254", false},
        {"example.com", "example.com:80", "0.0.0.0", false},
        {"example.com", "example.com:80", "::1", false},
        {"example.com:*", "example.com:80", "64:ff9b::10.0.0.1", false},
        {"*.example.com:*", "a.example.com:80", "192.168.0.1", false},
        // The address is listed too, with the same port.
        {"git.corp\n10.0.0.1", "git.corp:443", "10.0.0.1", true},
        {"git.corp\n10.0.0.1:80", "git.corp:443", "10.0.0.1", false},
        {"git.corp\n10.0.0.2", "git.corp:443", "10.0.0.1", false},
        {"git.corp\n169.254.169.254", "git.corp:80", "169.254.169.254", true},
        // This machine, by its own name only.
        {"localhost", "localhost:80", "127.0.0.1", true},
        {"localhost:3000", "localhost:3000", "::1", true},
        {"localhost", "localhost:80", "10.0.0.1", false},
        {"localhost", "localhost:80", "169.254.169.254", false},
        {"a.localhost", "a.localhost:80", "127.0.0.1", false},
        {"*.localhost", "a.localhost:80", "127.0.0.1", false},
        // An address is itself and not another.
        {"127.0.0.1", "127.0.0.1:80", "127.0.0.1", true},
        {"127.0.0.1\n127.0.0.2", "127.0.0.1:80", "127.0.0.2", false},
        {"169.254.169.254", "169.254.169.254:80", "169.254.169.254", true},
        // What is not allowed leads nowhere.
        {"", "example.com:80", "93.184.215.14", false},
        {"93.184.215.14", "example.com:80", "93.184.215.14", false},
    };
    for (const auto& [list, target, address, allowed] : table)
        EXPECT_EQ(list_of(list).allows(parse_target(target, std::nullopt).value(),
                                       parse_address(address).value()),
                  allowed)
            << list << " / " << target << " / " << address;
}

TEST(Denial, SaysWhatWouldAllowIt) {
    const auto time =
        std::chrono::system_clock::time_point(std::chrono::milliseconds(1234567890123));
    const Denial name{parse_target("evil.example:443", std::nullopt).value(), std::nullopt};
    EXPECT_EQ(log_line(name, time),
              "{\"ns\":1234567890123000000,\"operation\":\"connect\","
              "\"address\":\"evil.example:443\",\"allow_with\":\"network: [evil.example:443]\"}\n");
    EXPECT_THAT(explanation(name), HasSubstr("evil.example:443"));
    EXPECT_THAT(explanation(name), HasSubstr("the list `network` of husk.yaml"));
    EXPECT_THAT(explanation(name), HasSubstr("--network"));
    const Denial literal{parse_target("[::1]:80", std::nullopt).value(), std::nullopt};
    EXPECT_EQ(allow_with(literal), "network: ['[::1]:80']");
    const Denial led{parse_target("git.corp:443", std::nullopt).value(), parse_address("10.0.0.1")};
    EXPECT_EQ(allow_with(led), "network: [10.0.0.1:443]");
    EXPECT_THAT(explanation(led), HasSubstr("leads to 10.0.0.1"));
}

}  // namespace
}  // namespace husk::proxy
