#include "proxy/dns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace husk::proxy {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;

const Question question{.id = 0x1234, .name = "www.example.com", .type = RecordType::A};
const std::string asked = "\3www\7example\3com\0\0\1\0\1"s;
const std::string to_question = "\xc0\x0c"s;  // a pointer to the name at offset 12

std::string header(const std::string& flags, char answers) {
    return "\x12\x34"s + flags + "\0\1\0"s + answers + "\0\0\0\0"s;
}
const std::string good = "\x81\x80"s;

std::string record(const std::string& owner, char type, const std::string& data) {
    return owner + "\0"s + type + "\0\1\0\0\0\x3c\0"s + static_cast<char>(data.size()) + data;
}

std::vector<std::string> texts(const std::vector<Address>& addresses) {
    std::vector<std::string> all;
    for (const Address& each : addresses) all.push_back(to_text(each));
    return all;
}

TEST(Dns, AsksOneQuestion) {
    EXPECT_EQ(encode(question), "\x12\x34\1\0\0\1\0\0\0\0\0\0"s + asked);
    EXPECT_EQ(encode({.id = 0, .name = "a", .type = RecordType::Aaaa}),
              "\0\0\1\0\0\1\0\0\0\0\0\0\1a\0\0\x1c\0\1"s);
}

TEST(Dns, FindsTheAddressesOfTheName) {
    const std::string a1 = record(to_question, 1, "\1\2\3\4");
    const std::string a2 = record("\3WWW\7example\3com\0"s, 1, "\5\6\7\x08");
    EXPECT_THAT(texts(decode(header(good, 2) + asked + a1 + a2, question).value()),
                ElementsAre("1.2.3.4", "5.6.7.8"));
    EXPECT_THAT(decode(header(good, 0) + asked, question).value(), IsEmpty());
    EXPECT_THAT(decode(header("\x81\x83", 0) + asked, question).value(), IsEmpty());
    // An alias, and the address of the alias; records of others do not count.
    const std::string cname = record(to_question, 5, "\1b\xc0\x10");
    const std::string of_alias = record("\1b\7example\3com\0"s, 1, "\x09\x09\x09\x09");
    const std::string stranger = record("\4evil\0"s, 1, "\x08\x08\x08\x08");
    EXPECT_THAT(
        texts(decode(header(good, 3) + asked + stranger + cname + of_alias, question).value()),
        ElementsAre("9.9.9.9"));
    EXPECT_THAT(decode(header(good, 1) + asked + of_alias, question).value(), IsEmpty());
    const Question sixth{.id = 0x1234, .name = "a", .type = RecordType::Aaaa};
    EXPECT_THAT(texts(decode(header(good, 1) + "\1a\0\0\x1c\0\1"s +
                                 record("\1a\0"s, 28, std::string(15, '\0') + "\1"),
                             sixth)
                          .value()),
                ElementsAre("::1"));
    // Wrong sizes and wrong types are not addresses.
    EXPECT_THAT(
        decode(header(good, 1) + asked + record(to_question, 1, "\1\2\3"), question).value(),
        IsEmpty());
    EXPECT_THAT(
        decode(header(good, 1) + asked + record(to_question, 28, std::string(16, '\1')), question)
            .value(),
        IsEmpty());
}

TEST(Dns, DoesNotBelieveStrangers) {
    const auto why = [](const std::string& message) { return decode(message, question).error(); };
    const std::string a = record(to_question, 1, "\1\2\3\4");
    EXPECT_EQ(why(""), NoAnswer::NotOurs);
    EXPECT_EQ(why("\x12\x34"), NoAnswer::NotOurs);
    EXPECT_EQ(why("\x12\x35" + header(good, 1).substr(2) + asked + a), NoAnswer::NotOurs);
    EXPECT_EQ(why(encode(question)), NoAnswer::NotOurs);
    EXPECT_EQ(why(header(good, 1) + "\3www\7example\3net\0\0\1\0\1"s + a), NoAnswer::NotOurs);
    EXPECT_EQ(why(header(good, 1) + "\3www\7example\3com\0\0\x1c\0\1"s + a), NoAnswer::NotOurs);
    EXPECT_EQ(why("\x12\x34\x81\x80\0\0\0\1\0\0\0\0"s + a), NoAnswer::NotOurs);
    EXPECT_EQ(why(header("\x83\x80", 0) + asked), NoAnswer::Truncated);
    EXPECT_EQ(why(header("\x81\x82", 0) + asked), NoAnswer::Failed);
    EXPECT_EQ(why(header("\x81\x85", 0) + asked), NoAnswer::Failed);
}

TEST(Dns, SurvivesEveryCutAndEveryChangedByte) {
    const std::string whole = header(good, 2) + asked + record(to_question, 5, "\1b\xc0\x10") +
                              record("\1b\xc0\x10", 1, "\1\2\3\4");
    ASSERT_THAT(texts(decode(whole, question).value()), ElementsAre("1.2.3.4"));
    for (size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(decode(whole.substr(0, size), question)) << size;
    for (size_t at = 0; at < whole.size(); ++at)
        for (int value = 0; value < 256; ++value) {
            std::string changed = whole;
            changed[at] = static_cast<char>(value);
            const auto answer = decode(changed, question);
            EXPECT_LE(answer ? answer->size() : 0, 2U);
        }
    // Pointers that lead to themselves, forwards, and out of the message.
    const std::string before = header(good, 1) + asked;
    const char here = static_cast<char>(before.size());
    for (const std::string& name : {"\xc0"s + here, "\xc0"s + static_cast<char>(here + 2),
                                    "\xff\xff"s, "\1a\xc0"s + here, "\x40"s, "\x80"s})
        EXPECT_FALSE(decode(before + record(name, 1, "\1\2\3\4"), question));
}

TEST(HostsFile, NamesAddresses) {
    const std::string hosts =
        "# 9.9.9.9 box\n127.0.0.1 localhost\n\n10.0.0.1\tBox.corp  box # other\r\n::5 box.\n"
        "nonsense box\n10.0.0.2\n10.0.0.3 boxes";
    EXPECT_THAT(texts(find_in_hosts(hosts, "box")), ElementsAre("10.0.0.1", "::5"));
    EXPECT_THAT(texts(find_in_hosts(hosts, "box.corp")), ElementsAre("10.0.0.1"));
    EXPECT_THAT(texts(find_in_hosts(hosts, "other")), IsEmpty());
    EXPECT_THAT(texts(find_in_hosts("", "box")), IsEmpty());
}

TEST(ResolvConf, NamesServers) {
    EXPECT_THAT(
        texts(name_servers("search corp\nnameserver 10.0.0.53 # first\n;nameserver 9.9.9.9\n"
                           "nameserver fe80::1%eth0\nnameserver ::1\noptions ndots:5\n")),
        ElementsAre("10.0.0.53", "::1"));
    EXPECT_THAT(texts(name_servers("nameserver 1.1.1.1\nnameserver 1.1.1.2\nnameserver 1.1.1.3\n"
                                   "nameserver 1.1.1.4\n")),
                ElementsAre("1.1.1.1", "1.1.1.2", "1.1.1.3"));
    EXPECT_THAT(texts(name_servers("")), ElementsAre("127.0.0.1"));
}

}  // namespace
}  // namespace husk::proxy
