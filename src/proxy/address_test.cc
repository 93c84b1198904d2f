#include "proxy/address.h"

#include <gtest/gtest.h>

namespace husk::proxy {
namespace {

Address address(std::string_view text) {
    const auto parsed = parse_address(text);
    EXPECT_TRUE(parsed) << text;
    return parsed.value_or(Address());
}

TEST(Address, IsReadInOneSpellingOnly) {
    for (const char* text : {"1.2.3.4", "255.255.255.255", "::", "::1", "2606:4700::1111"})
        EXPECT_EQ(to_text(address(text)), text);
    EXPECT_EQ(to_text(address("0:0:0:0:0:0:0:1")), "::1");
    EXPECT_EQ(to_text(address("::FFFF:1.2.3.4")), "1.2.3.4");
    EXPECT_EQ(address("::ffff:102:304"), address("1.2.3.4"));
    for (const char* text : {"",
                             "1",
                             "127.1",
                             "1.2.3",
                             "1.2.3.4.5",
                             "1.2.3.256",
                             "01.2.3.4",
                             "0x7f.0.0.1",
                             "1.2.3.4 ",
                             " 1.2.3.4",
                             "1.2.3.4.",
                             "[::1]",
                             "::1%lo",
                             "::1%1",
                             "1::2::3",
                             ":::",
                             "fe80::1%eth0",
                             "0000:0000:0000:0000:0000:0000:0000:0000:0000",
                             "2130706433",
                             "localhost"})
        EXPECT_FALSE(parse_address(text)) << text;
    EXPECT_FALSE(parse_address(std::string_view("1.2.3.4\0", 8)));
    EXPECT_FALSE(parse_address(std::string(10'000, '1')));
}

TEST(Address, IsPublicOrNot) {
    for (const char* text :
         {"1.1.1.1",         "8.8.8.8",          "9.255.255.255",        "11.0.0.0",
          "100.63.255.255",  "100.128.0.0",      "126.255.255.255",      "128.0.0.0",
          "169.253.255.255", "169.255.0.0",      "172.15.255.255",       "172.32.0.0",
          "192.167.255.255", "192.169.0.0",      "198.17.255.255",       "198.20.0.0",
          "223.255.255.255", "2606:4700::1111",  "2001:4860:4860::8888", "2a00::",
          "3ffe::1",         "64:ff9b::8.8.8.8", "2002:808:808::1",      "::ffff:8.8.8.8"})
        EXPECT_TRUE(is_public(address(text))) << text;
    for (const char* text :
         {"0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
          "127.0.0.1", "127.255.255.255", "169.254.169.254", "169.254.0.0", "172.16.0.0",
          "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.0.1", "198.18.0.1", "198.19.255.255",
          "198.51.100.7", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
          "255.255.255.255",
          // IPv6 of its own
          "::", "::1", "::2", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fdff::1", "ff02::1",
          "100::1", "2001::1", "2001:db8::1", "3fff::1", "4000::1", "fd00:ec2::254",
          // IPv4 inside of IPv6
          "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
          "64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b:1::8.8.8.8",
          "2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:a00:1::1"})
        EXPECT_FALSE(is_public(address(text))) << text;
}

TEST(Address, IsLoopbackOrNot) {
    for (const char* text : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"})
        EXPECT_TRUE(is_loopback(address(text))) << text;
    for (const char* text : {"126.0.0.1", "::", "::2", "1::1", "0.0.0.0", "::100"})
        EXPECT_FALSE(is_loopback(address(text))) << text;
}

TEST(Address, IsWrittenWithAPort) {
    EXPECT_EQ(to_text(address("1.2.3.4"), 80), "1.2.3.4:80");
    EXPECT_EQ(to_text(address("::1"), 443), "[::1]:443");
}

}  // namespace
}  // namespace husk::proxy
