// Names to addresses, as far as that is only text and bytes: messages of RFC 1035, /etc/hosts and
// /etc/resolv.conf.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/address.h"

namespace husk::proxy {

enum class RecordType : uint16_t { A = 1, Aaaa = 28 };

struct Question {
    uint16_t id = 0;
    std::string name;  // as parse_name gives it
    RecordType type = RecordType::A;
};

std::string encode(const Question& question);

enum class NoAnswer {
    NotOurs,    // not an answer to this question: go on waiting
    Truncated,  // ask over TCP
    Failed,     // this server does not know: ask another
};

// The addresses that the message gives to the name or to what it is an alias of; none if it
// has none.
std::expected<std::vector<Address>, NoAnswer> decode(std::string_view message,
                                                     const Question& question);

// What a hosts file says about a name, in its order.
std::vector<Address> find_in_hosts(std::string_view hosts, std::string_view name);

// The first three name servers of a resolv.conf; this machine if it names none.
std::vector<Address> name_servers(std::string_view resolv_conf);

}  // namespace husk::proxy
