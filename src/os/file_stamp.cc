#include "os/file_stamp.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/file.h"

namespace husk::os {
namespace {

constexpr int64_t nanoseconds(const timespec& time) {
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

bool FileStamp::is_regular() const { return exists() && S_ISREG(mode); }

bool FileStamp::is_older_than(std::chrono::nanoseconds age) const {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return nanoseconds(now) - changed_ns >= age.count();
}

FileStamp stamp_of(const std::filesystem::path& path) {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) return {.error = errno};
    return {.device = info.st_dev,
            .inode = info.st_ino,
            .mode = info.st_mode,
            .size = info.st_size,
            .written_ns = nanoseconds(info.st_mtim),
            .changed_ns = nanoseconds(info.st_ctim)};
}

// O_NONBLOCK: opening a FIFO does not wait for its other end, and opening a device has no effect.
Result<Fd> open_regular_file(const std::filesystem::path& path) {
    Fd file = TRY(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
    struct stat info{};
    if (::fstat(file.get(), &info) != 0) return failure("fstat", errno, path.string());
    if (!S_ISREG(info.st_mode)) return failure("open", EINVAL, path.string());
    return file;
}

Result<std::string> read_regular_file(const std::filesystem::path& path, size_t at_most) {
    const Fd file = TRY(open_regular_file(path));
    std::string text;
    while (text.size() < at_most) {
        constexpr size_t piece = size_t{64} * 1024;
        const std::string more =
            TRY(read_at(file, text.size(), std::min(piece, at_most - text.size())));
        if (more.empty()) break;
        text += more;
    }
    return text;
}

}  // namespace husk::os
