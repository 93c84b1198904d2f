#include "confine/seen_file.h"

#include <cerrno>
#include <chrono>

namespace husk::confine {

bool is_gone(int error) { return error == ENOENT || error == ENOTDIR; }
bool is_gone(const std::error_code& error) {
    return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

bool may_be_there(const std::filesystem::path& path) {
    struct stat info{};
    return ::lstat(path.c_str(), &info) == 0 || !is_gone(errno);
}

FileIdentity identity_of(const struct stat& info) {
    return {info.st_dev,         info.st_ino,          info.st_mode,        info.st_size,
            info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec};
}

bool has_settled(const struct stat& info) {
    using namespace std::chrono;
    const auto changed = seconds(info.st_ctim.tv_sec) + nanoseconds(info.st_ctim.tv_nsec);
    return system_clock::now().time_since_epoch() - changed > milliseconds(100);
}

bool SeenFile::is_link() const { return identity && S_ISLNK(std::get<2>(*identity)); }

SeenFile see(const std::string& path, bool itself_only) {
    struct stat info{};
    const bool there = ::lstat(path.c_str(), &info) == 0;
    return {path, there ? std::optional(identity_of(info)) : std::nullopt, itself_only};
}

bool is_unchanged(const SeenFile& seen) {
    struct stat info{};
    if (::lstat(seen.path.c_str(), &info) != 0) return !seen.identity && is_gone(errno);
    const FileIdentity now = identity_of(info);
    if (!seen.identity || !seen.itself_only) return seen.identity == now;
    // A number is given again at once: what was a directory can be a link with the same one.
    const auto kind = [](const FileIdentity& one) { return std::get<2>(one) & S_IFMT; };
    return std::get<0>(*seen.identity) == std::get<0>(now) &&
           std::get<1>(*seen.identity) == std::get<1>(now) && kind(*seen.identity) == kind(now);
}

}  // namespace husk::confine
