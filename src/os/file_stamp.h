// Whether a file may have changed since it was last read, and whether somebody is changing it now.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace husk::os {

// The file that a path leads to, as the kernel describes it. Equal stamps mean an unchanged file,
// unless the file changed twice within one tick of the file system's clock: see `is_older_than`.
struct FileStamp {
    int error = 0;  // of stat; ENOENT: there is no file
    dev_t device = 0;
    ino_t inode = 0;
    mode_t mode = 0;
    off_t size = 0;
    int64_t written_ns = 0;  // mtime
    int64_t changed_ns = 0;  // ctime, which no program can set

    bool operator==(const FileStamp&) const = default;
    bool exists() const { return error == 0; }
    bool is_regular() const;
    // Whether the last change was at least `age` ago. False if the change lies in the future.
    bool is_older_than(std::chrono::nanoseconds age) const;
};

FileStamp stamp_of(const std::filesystem::path& path);

// For reading. EINVAL for everything that is no regular file: a FIFO or a device would make the
// reader wait.
Result<Fd> open_regular_file(const std::filesystem::path& path);
Result<std::string> read_regular_file(const std::filesystem::path& path, size_t at_most);

// Whether a process has a file open for writing. The kernel does not tell an ordinary user about
// files of other users, and tells nobody on some file systems.
enum class FileWriter : uint8_t { None, Some, Unknown };
FileWriter writer_of(const std::filesystem::path& path);

}  // namespace husk::os
