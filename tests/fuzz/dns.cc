// An answer of a name server, and the files that name hosts and servers. The first byte chooses the
// type of the question; the message follows.
#include "proxy/dns.h"

#include "proxy/target.h"
#include "target.h"

namespace husk::fuzz {
namespace of_dns {
namespace {

constexpr size_t most_addresses = 16;
constexpr size_t most_servers = 3;

void check_addresses(const std::vector<proxy::Address>& addresses, size_t most) {
    demand(addresses.size() <= most, "there are no more addresses than anybody tries");
    for (const proxy::Address& address : addresses)
        demand(proxy::parse_address(proxy::to_text(address)) == address,
               "an address is read as it is written");
}

// The question that the message claims to answer, as far as that can be seen.
proxy::Question question_for(std::string_view message) {
    proxy::Question question{.id = 0, .name = "example.org"};
    if (message.size() >= 2)
        question.id = static_cast<uint16_t>(static_cast<uint8_t>(message[0]) << 8 |
                                            static_cast<uint8_t>(message[1]));
    return question;
}

std::string answered(const proxy::Question& question, std::string_view answers, char count) {
    std::string message = encode(question);
    message[2] = '\x81';  // an answer
    message[3] = '\x80';
    message[7] = count;
    message += answers;
    return (question.type == proxy::RecordType::A ? "4" : "6") + message;
}

}  // namespace
}  // namespace of_dns

void dns(std::string_view bytes) {
    using namespace of_dns;
    if (bytes.empty()) return;
    const std::string_view message = bytes.substr(1);
    proxy::Question question = question_for(message);
    question.type = bytes[0] == '6' ? proxy::RecordType::Aaaa : proxy::RecordType::A;
    if (const auto found = proxy::decode(message, question))
        check_addresses(*found, most_addresses);
    ++question.id;
    const auto other = proxy::decode(message, question);
    demand(!other && other.error() == proxy::NoAnswer::NotOurs,
           "an answer with another number is not ours");

    check_addresses(proxy::find_in_hosts(message, "localhost"), most_addresses);
    const auto servers = proxy::name_servers(message);
    demand(!servers.empty(), "there is a name server");
    check_addresses(servers, most_servers);
    if (const auto name = proxy::parse_name(message)) {
        demand(proxy::parse_name(*name) == name, "a name is read as it is written");
        const proxy::Question own{.id = 7, .name = *name};
        const auto none = proxy::decode(answered(own, "", 0).substr(1), own);
        demand(none && none->empty(), "the answer to our own question is understood");
    }
}

std::vector<std::string> dns_seeds() {
    using namespace of_dns;
    using namespace std::string_literals;
    const proxy::Question v4{.id = 0x1234, .name = "example.org"};
    const proxy::Question v6{.id = 1, .name = "example.org", .type = proxy::RecordType::Aaaa};
    const std::string owner = "\xc0\x0c"s;
    const std::string address = owner + "\0\1\0\1\0\0\0\x3c\0\4\x01\x02\x03\x04"s;
    const std::string alias = owner + "\0\5\0\1\0\0\0\x3c\0\6\3www\xc0\x0c"s;
    const std::string behind_alias = "\xc0\x29\0\1\0\1\0\0\0\x3c\0\4\x08\x08\x08\x08"s;
    const std::string v6_address =
        owner + "\0\x1c\0\1\0\0\0\x3c\0\x10" + "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1"s;
    return {answered(v4, address, 1), answered(v4, alias + behind_alias, 2),
            answered(v6, v6_address, 1), answered(v4, "", 0)};
}

}  // namespace husk::fuzz
