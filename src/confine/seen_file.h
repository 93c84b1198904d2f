// A file as it was when it was looked at, to tell later whether it is still the same.
#pragma once

#include <sys/stat.h>

#include <compare>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

namespace husk::confine {

// Only these two errors say that nothing is there. A file that cannot be seen may be there.
bool is_gone(int error);
bool is_gone(const std::error_code& error);
bool may_be_there(const std::filesystem::path& path);
bool is_link(const std::filesystem::path& path);

struct FileIdentity {
    // Which object it is. File systems give the number of a removed file to the next one, so the
    // time of its birth belongs to it, where that is known.
    dev_t device = 0;
    uint64_t inode = 0;
    mode_t type = 0;  // S_IFMT; 0: there is no such file
    int64_t born = 0;
    // Changes with every change of the file. Not of Extent::Itself.
    mode_t mode = 0;
    uint64_t size = 0;
    int64_t modified = 0;
    int64_t changed = 0;

    FileIdentity itself() const { return {device, inode, type, born}; }
    auto operator<=>(const FileIdentity&) const = default;
};

enum class Extent {
    Itself,  // which object has the name: not its times, size or content
    Whole,   // also its times and size
    Target,  // the same of the file that a reader of the path gets: links are followed
};

struct SeenFile {
    std::string path;
    Extent extent = Extent::Whole;
    FileIdentity identity = {};
    int error = 0;  // errno, if it could not be seen
    // False if nobody knows whether it is there, or if it was changed so recently that a further
    // change might not alter its times.
    bool is_certain = false;

    auto operator<=>(const SeenFile&) const = default;
};

SeenFile see(const std::string& path, Extent extent);
// The same; the last part of the path is looked up in an open directory.
SeenFile see_in(int directory, const std::string& path, Extent extent);
bool is_unchanged(const SeenFile& seen);
// Returns true if the name belongs to another object now.
bool is_another_object(const SeenFile& seen);

// The same place by a name without links, as far as it exists.
std::filesystem::path without_links(const std::filesystem::path& path);

}  // namespace husk::confine
