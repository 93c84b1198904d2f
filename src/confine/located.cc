#include "confine/located.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string>

#include "os/file.h"

namespace husk::confine {

namespace fs = std::filesystem;

wire::Identity identity_in(const struct stat& info) {
    return {static_cast<uint64_t>(major(info.st_dev)) << 32 | minor(info.st_dev), info.st_ino,
            info.st_mode & S_IFMT, 1};
}

wire::Identity identity_of_nothing() { return {0, 0, 0, 1}; }

std::string name_of(const os::Fd& file) {
    std::array<char, PATH_MAX> name{};
    const std::string link = "/proc/self/fd/" + std::to_string(file.get());
    const ssize_t size = ::readlink(link.c_str(), name.data(), name.size());
    return {name.data(), static_cast<size_t>(std::max(size, ssize_t{0}))};
}

std::optional<Located> locate(const fs::path& path) {
    const auto object = os::open_for_all(path, O_PATH);
    if (!object) return std::nullopt;
    struct stat info{};
    if (::fstat(object->get(), &info) != 0) return std::nullopt;
    const std::string name = name_of(*object);
    if (!name.starts_with('/')) return std::nullopt;
    return Located{name, identity_in(info)};
}

std::optional<wire::Identity> seen_at(const fs::path& path) {
    struct stat info{};
    if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
    return identity_in(info);
}

}  // namespace husk::confine
