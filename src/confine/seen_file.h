// A file as it was when it was looked at, to tell later whether it still is.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>

namespace husk::confine {

// What cannot be seen may be there: only these two errors say that there is nothing.
bool is_gone(int error);
bool is_gone(const std::error_code& error);
bool may_be_there(const std::filesystem::path& path);

// Another one for another file, and for the same one after each change.
using FileIdentity = std::tuple<dev_t, ino_t, mode_t, off_t, int64_t, int64_t, int64_t, int64_t>;

FileIdentity identity_of(const struct stat& info);

// A file that has just been changed can be changed again without its times showing it.
bool has_settled(const struct stat& info);

struct SeenFile {
    std::string path;
    std::optional<FileIdentity> identity;  // none if there was no such file
    bool itself_only = false;              // whatever becomes of its times and of what it holds

    bool is_link() const;
    bool operator==(const SeenFile&) const = default;
};
// As it is now.
SeenFile see(const std::string& path, bool itself_only);
bool is_unchanged(const SeenFile& seen);

}  // namespace husk::confine
