// The one message by which the proxy learns what it is for (docs/proxy.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "proxy/server.h"

namespace husk::proxy {

constexpr uint32_t birth_magic = 0x78505848;  // "HXPx"
constexpr uint32_t birth_version = 2;
constexpr uint32_t has_log = 1;
constexpr uint32_t has_http = 2;     // a listening socket for requests
constexpr uint32_t has_forward = 4;  // sockets for names and for preambles
constexpr uint32_t all_flags = 7;
constexpr uint32_t most_published = 8;
constexpr size_t longest_list = size_t{64} << 10;
constexpr char ready_byte = 'R';

// Before the published ports and the text of the allow list.
struct BirthHeader {
    uint32_t magic = birth_magic;
    uint32_t version = birth_version;
    uint32_t flags = 0;
    uint32_t list_size = 0;
    uint32_t published = 0;
    uint16_t ports[most_published] = {};
};

std::string encode_birth(BirthHeader header, std::string_view list);

// `fds`: the session's end; with their flags the log, the listening socket for requests, the socket
// for names and the listening one for preambles; and, if ports are published, the socket of the
// mason and a listening one for each of them.
Result<Estate> decode_birth(std::string_view message, std::vector<os::Fd> fds);

}  // namespace husk::proxy
