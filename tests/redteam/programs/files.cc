// Writing to files by ways that a shell does not have.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

int write_mark(int fd, const std::string& what) {
    const std::string text = mark() + "\n";
    const bool written = ::write(fd, text.data(), text.size()) > 0;
    return written ? done : refused("write " + what);
}

int truncating_reader(Arguments a) {
    return ::open(a[0].c_str(), O_RDONLY | O_TRUNC) >= 0 ? done : refused("open O_TRUNC");
}

int truncating_call(Arguments a) {
    return ::truncate(a[0].c_str(), 1) == 0 ? done : refused("truncate");
}

int shared_map(Arguments a) {
    const int fd = ::open(a[0].c_str(), O_RDWR);
    if (fd < 0) return refused("open O_RDWR");
    void* at = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) return refused("mmap");
    std::memcpy(at, "X", 1);
    return ::msync(at, 4096, MS_SYNC) == 0 ? done : refused("msync");
}

int exchange(Arguments a) {
    return ::renameat2(AT_FDCWD, a[0].c_str(), AT_FDCWD, a[1].c_str(), RENAME_EXCHANGE) == 0
               ? done
               : refused("renameat2");
}

int whiteout(Arguments a) {
    return ::renameat2(AT_FDCWD, a[0].c_str(), AT_FDCWD, a[1].c_str(), RENAME_WHITEOUT) == 0
               ? done
               : refused("renameat2 whiteout");
}

int nameless(Arguments a) {
    const int fd = ::open(a[0].c_str(), O_TMPFILE | O_WRONLY, 0644);
    if (fd < 0) return refused("open O_TMPFILE");
    const std::string self = "/proc/self/fd/" + std::to_string(fd);
    const std::string name = a[0] + "/" + mark();
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0
               ? done
               : refused("linkat");
}

int openat2_write(Arguments a) {
    open_how how{.flags = O_WRONLY | O_APPEND, .mode = 0, .resolve = RESOLVE_NO_MAGICLINKS};
    const long fd = ::syscall(SYS_openat2, AT_FDCWD, a[0].c_str(), &how, sizeof how);
    return fd < 0 ? refused("openat2") : write_mark(static_cast<int>(fd), "openat2");
}

int legacy_creat(Arguments a) {
    const int fd = ::creat(a[0].c_str(), 0644);
    return fd < 0 ? refused("creat") : write_mark(fd, "creat");
}

int make_node(Arguments a) {
    // The number of /dev/null: worthless, but a device.
    const bool made = ::mknod(a[0].c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0;
    return made ? done : refused("mknod");
}

// A device of the kind of a disk, that has no medium.
int make_disk(Arguments a) {
    if (::mknod(a[0].c_str(), S_IFBLK | 0600, makedev(7, 0)) != 0) return refused("mknod");
    const int fd = ::open(a[0].c_str(), O_RDONLY);
    ::unlink(a[0].c_str());
    return fd < 0 ? refused("open") : reveal();
}

int write_descriptor(Arguments a) { return write_mark(number(a[0]), "descriptor " + a[0]); }

int write_below(Arguments a) {
    const int fd = ::openat(number(a[0]), a[1].c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    return fd < 0 ? refused("openat") : write_mark(fd, a[1]);
}

int copy_of_program(const std::string& path) {
    const int from = ::open(path.c_str(), O_RDONLY);
    const int to = ::memfd_create("copy", 0);
    struct stat status{};
    if (from < 0 || to < 0 || ::fstat(from, &status) != 0) return -1;
    const auto size = static_cast<size_t>(status.st_size);
    return ::sendfile(to, from, nullptr, size) == status.st_size ? to : -1;
}

int memory_program(Arguments a) {
    const int program = copy_of_program(a[0]);
    if (program < 0) return refused("memfd_create");
    std::vector<char*> words;
    for (const std::string& word : a) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::fexecve(program, words.data(), environ);
    return refused("fexecve");
}

// Opens a file and says nothing to it: for those whose reading or writing would do real harm.
int open_only(Arguments a) {
    const int flags = a[1] == "write" ? O_WRONLY : a[1] == "both" ? O_RDWR : O_RDONLY;
    const int fd = ::open(a[0].c_str(), flags | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ENODEV || errno == ENXIO)) return absent(a[0]);
    return fd < 0 ? refused(a[0]) : reveal();
}

int by_handle(Arguments a) {
    alignas(file_handle) std::array<char, sizeof(file_handle) + MAX_HANDLE_SZ> space{};
    auto* handle = reinterpret_cast<file_handle*>(space.data());
    handle->handle_bytes = MAX_HANDLE_SZ;
    int mount = 0;
    if (::name_to_handle_at(AT_FDCWD, a[0].c_str(), handle, &mount, 0) != 0)
        return refused("name_to_handle_at");
    if (a.size() == 1) return reveal();
    const int near = ::open(a[1].c_str(), O_RDONLY | O_DIRECTORY);
    const int fd = ::open_by_handle_at(near, handle, O_WRONLY | O_APPEND);
    return fd < 0 ? refused("open_by_handle_at") : write_mark(fd, "handle");
}

constexpr Verb verbs[] = {
    {"truncating-reader", truncating_reader},
    {"truncate", truncating_call},
    {"shared-map", shared_map},
    {"exchange", exchange},
    {"whiteout", whiteout},
    {"nameless", nameless},
    {"openat2-write", openat2_write},
    {"creat", legacy_creat},
    {"make-node", make_node},
    {"make-disk", make_disk},
    {"write-descriptor", write_descriptor},
    {"write-below", write_below},
    {"memory-program", memory_program},
    {"open-only", open_only},
    {"handle", by_handle},
};

}  // namespace

std::span<const Verb> file_verbs() { return verbs; }

}  // namespace probe
