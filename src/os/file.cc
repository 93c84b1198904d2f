#include "os/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

namespace husk::os {

Result<Fd> open(const std::filesystem::path& path, int flags, mode_t mode) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    if (fd < 0) return failure("open", errno, path.string());
    return Fd(fd);
}

Result<Fd> open_at(const Fd& dir, const std::string& name, int flags, mode_t mode) {
    const int fd = ::openat(dir.get(), name.c_str(), flags | O_CLOEXEC, mode);
    if (fd < 0) return failure("openat", errno, name);
    return Fd(fd);
}

Result<void> make_directory(const std::filesystem::path& path) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return failure("mkdir", errno, path.string());
    return {};
}

Result<void> make_directory_at(const Fd& dir, const std::string& name) {
    if (::mkdirat(dir.get(), name.c_str(), 0700) != 0 && errno != EEXIST)
        return failure("mkdirat", errno, name);
    return {};
}

Result<std::string> read_file(const std::filesystem::path& path, size_t at_most) {
    const Fd file = TRY(open(path, O_RDONLY));
    std::string text;
    while (text.size() < at_most) {
        char buffer[16 * 1024];
        const ssize_t got =
            ::read(file.get(), buffer, std::min(sizeof buffer, at_most - text.size()));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failure("read", errno, path.string());
        if (got == 0) break;
        text.append(buffer, static_cast<size_t>(got));
    }
    return text;
}

Result<std::string> read_at(const Fd& file, uint64_t offset, size_t size) {
    std::string text(size, '\0');
    size_t have = 0;
    while (have < size) {
        const ssize_t got =
            ::pread(file.get(), text.data() + have, size - have, static_cast<off_t>(offset + have));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failure("pread", errno, "");
        const size_t wanted = size - have;
        have += static_cast<size_t>(got);
        if (static_cast<size_t>(got) < wanted) break;  // the end of the file
    }
    text.resize(have);
    return text;
}

Result<void> write_all(int fd, std::string_view data) {
    while (!data.empty()) {
        const ssize_t written = ::write(fd, data.data(), data.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return failure("write", errno, "");
        data.remove_prefix(static_cast<size_t>(written));
    }
    return {};
}

Result<void> replace_file(const std::filesystem::path& path, std::string_view content,
                          mode_t mode_of_new) {
    std::error_code failed;
    std::filesystem::path target = std::filesystem::canonical(path, failed);
    if (failed) target = path;
    struct stat before{};
    const bool exists = ::stat(target.c_str(), &before) == 0;
    std::string beside = target.string() + ".XXXXXX";
    const Fd file(::mkostemp(beside.data(), O_CLOEXEC));
    if (!file) return failure("mkostemp", errno, beside);
    const auto give_up = [&](const char* step) {
        const int code = errno;
        ::unlink(beside.c_str());
        return failure(step, code, target.string());
    };
    if (::fchmod(file.get(), exists ? before.st_mode & 07777 : mode_of_new) != 0)
        return give_up("fchmod");
    // Root may change what belongs to somebody else.
    const bool foreign = exists && before.st_uid != ::geteuid();
    if (foreign && ::fchown(file.get(), before.st_uid, before.st_gid) != 0)
        return give_up("fchown");
    if (!write_all(file.get(), content)) return give_up("write");
    if (::fsync(file.get()) != 0) return give_up("fsync");
    if (::rename(beside.c_str(), target.c_str()) != 0) return give_up("rename");
    return {};
}

Result<std::vector<std::string>> list(const Fd& dir) {
    // fdopendir takes its descriptor over, and shares the position of a duplicate.
    const int own = ::openat(dir.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own < 0) return failure("openat", errno, ".");
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(own), ::closedir);
    if (!stream) {
        ::close(own);
        return failure("fdopendir", errno, "");
    }
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(stream.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    return names;
}

uint64_t bytes_on_disk(const Fd& file) {
    struct stat info{};
    if (::fstat(file.get(), &info) != 0) return 0;
    return static_cast<uint64_t>(info.st_blocks) * 512;
}

}  // namespace husk::os
