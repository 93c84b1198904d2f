// The directories that a call may use, without links.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace husk::tool {

using Directories = std::vector<std::filesystem::path>;

// The lists that a call has to keep to. Absent: there is no such list.
struct AllowedLists {
    std::optional<Directories> call = {};
    // The user's. An entry that leads through a link in a writable place allows nothing: a command
    // could have made the link.
    std::optional<Directories> configured = {};
    std::optional<Directories> conversations = {};
};

// What lies in an entry of each list, once links are resolved. Absent if there is no list. An entry
// that is no directory allows nothing.
std::optional<Directories> allowed_by_all(const AllowedLists& lists,
                                          const Directories& writable_places);

}  // namespace husk::tool
