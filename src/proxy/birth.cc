#include "proxy/birth.h"

#include <cstring>

namespace husk::proxy {

std::string encode_birth(BirthHeader header, std::string_view list) {
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
    const auto has = [&](uint32_t flag) -> size_t { return (header.flags & flag) != 0 ? 1 : 0; };
    const size_t expected = 1 + has(has_log) + has(has_http) + 2 * has(has_forward) +
                            (header.published > 0 ? 1 + header.published : 0);
    if (header.flags > all_flags || header.published > most_published ||
        list.size() != header.list_size || fds.size() != expected)
        return failure("birth", 0, "not what its header says");
    auto next = fds.begin();
    Estate estate;
    estate.allow = TRY(AllowList::parse(list));
    estate.session_end = std::move(*next++);
    if (has(has_log)) estate.log = std::move(*next++);
    if (has(has_http)) estate.listener = std::move(*next++);
    if (has(has_forward)) estate.names = std::move(*next++);
    if (has(has_forward)) estate.raw_listener = std::move(*next++);
    if (header.published > 0) estate.mason = std::move(*next++);
    for (uint32_t i = 0; i < header.published; ++i)
        estate.published.push_back({header.ports[i], std::move(*next++)});
    return estate;
}

}  // namespace husk::proxy
