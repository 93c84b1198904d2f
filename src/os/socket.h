// Local sockets, and descriptors that travel over them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace husk::os {

Result<std::pair<Fd, Fd>> socket_pair(int type);

// A socket `name` in the directory `dir`, however long the directory's path is: the path is
// taken through /proc/self/fd, because an address holds 107 bytes.
Result<Fd> listen_at(const Fd& dir, const std::string& name, int type);
Result<Fd> connect_at(const Fd& dir, const std::string& name, int type);

// One message with descriptors; the kernel duplicates them.
Result<void> send_message(const Fd& socket, std::string_view data, std::span<const int> fds);

struct Message {
    std::string data;  // empty: the other side is gone
    std::vector<Fd> fds;
};
Result<Message> receive_message(const Fd& socket, size_t room);

}  // namespace husk::os
