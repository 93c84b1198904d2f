#include "proxy/birth.h"

#include <cstring>

namespace husk::proxy {

std::string encode_birth(std::string_view list, bool with_log) {
    BirthHeader header;
    header.flags = with_log ? has_log : 0;
    header.list_size = static_cast<uint32_t>(list.size());
    std::string message(sizeof header, '\0');
    std::memcpy(message.data(), &header, sizeof header);
    message += list;
    return message;
}

Result<Estate> decode_birth(std::string_view message, std::vector<os::Fd> fds) {
    BirthHeader header;
    if (message.size() < sizeof header) return failure("birth", 0, "too short");
    std::memcpy(&header, message.data(), sizeof header);
    if (header.magic != birth_magic || header.version != birth_version)
        return failure("birth", 0, "of another version");
    const std::string_view list = message.substr(sizeof header);
    const size_t expected = header.flags == has_log ? 3 : 2;
    if (header.flags > has_log || list.size() != header.list_size || fds.size() != expected)
        return failure("birth", 0, "not what its header says");
    Estate estate{.allow = TRY(AllowList::parse(list)),
                  .listener = std::move(fds[0]),
                  .session_end = std::move(fds[1]),
                  .log = {}};
    if (header.flags == has_log) estate.log = std::move(fds[2]);
    return estate;
}

}  // namespace husk::proxy
