#include "confine/seen_file.h"

#include <chrono>

namespace husk::confine {

FileIdentity identity_of(const struct stat& info) {
    return {info.st_dev,          info.st_ino,         info.st_size,        info.st_mtim.tv_sec,
            info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec};
}

bool has_settled(const struct stat& info) {
    using namespace std::chrono;
    const auto changed = seconds(info.st_ctim.tv_sec) + nanoseconds(info.st_ctim.tv_nsec);
    return system_clock::now().time_since_epoch() - changed > milliseconds(100);
}

SeenFile see(const std::string& path, bool itself_only) {
    struct stat info{};
    const bool there = ::lstat(path.c_str(), &info) == 0;
    return {path, there ? std::optional(identity_of(info)) : std::nullopt, itself_only};
}

bool is_unchanged(const SeenFile& seen) {
    struct stat info{};
    if (::lstat(seen.path.c_str(), &info) != 0) return !seen.identity;
    const FileIdentity now = identity_of(info);
    if (!seen.identity || !seen.itself_only) return seen.identity == now;
    return std::get<0>(*seen.identity) == std::get<0>(now) &&
           std::get<1>(*seen.identity) == std::get<1>(now);
}

}  // namespace husk::confine
