// A file as it was when it was looked at, to tell later whether it is still the same.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <tuple>

namespace husk::confine {

// Only these two errors say that nothing is there. A file that cannot be seen may be there.
bool is_gone(int error);
bool is_gone(const std::error_code& error);
bool may_be_there(const std::filesystem::path& path);
bool is_link(const std::filesystem::path& path);

// Changes with every change of the file. All zero: there is no such file.
using FileIdentity = std::tuple<dev_t, ino_t, mode_t, off_t, int64_t, int64_t, int64_t, int64_t>;

enum class Extent {
    Itself,  // which object has the name: not its times, size or content
    Whole,   // also its times and size
    Target,  // the same of the file that a reader of the path gets: links are followed
};

struct SeenFile {
    std::string path;
    Extent extent = Extent::Whole;
    FileIdentity identity = {};
    // False if the file could not be seen, or was changed so recently that a further change might
    // not alter its times.
    bool is_certain = false;

    bool operator==(const SeenFile&) const = default;
};

SeenFile see(std::string path, Extent extent);
// The same from the result of a stat; `error` is its errno, or 0.
SeenFile seen_as(std::string path, Extent extent, int error, const struct stat& info);
bool is_unchanged(const SeenFile& seen);
// Returns true if the name belongs to another object now. File systems give the number of a removed
// file to the next one, so an object that was born after `since` (nanoseconds since 1970) is
// another one too.
bool is_another_object(const SeenFile& seen, uint64_t since);

// The same place by a name without links, as far as it exists.
std::filesystem::path without_links(const std::filesystem::path& path);

}  // namespace husk::confine
