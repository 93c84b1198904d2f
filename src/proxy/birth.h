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
constexpr uint32_t birth_version = 1;
constexpr uint32_t has_log = 1;
constexpr size_t longest_list = size_t{64} << 10;
constexpr char ready_byte = 'R';

// Before the text of the allow list.
struct BirthHeader {
    uint32_t magic = birth_magic;
    uint32_t version = birth_version;
    uint32_t flags = 0;
    uint32_t list_size = 0;
};

std::string encode_birth(std::string_view list, bool with_log);

// `fds`: the listening socket, the session's end, and with the flag the log.
Result<Estate> decode_birth(std::string_view message, std::vector<os::Fd> fds);

}  // namespace husk::proxy
