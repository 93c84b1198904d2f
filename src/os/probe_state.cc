// The file system of the state directory.
#include <fcntl.h>
#include <linux/falloc.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "base/id.h"
#include "os/file.h"
#include "os/probe.h"

namespace husk::os::probe {
namespace {

namespace fs = std::filesystem;

constexpr const char* elsewhere = "choose another state directory with --state or HUSK_STATE";
constexpr off_t block = 64 * 1024;

// The directory, or the nearest one above it in which it would be made.
Result<Fd> nearest_directory(fs::path path) {
    for (;;) {
        auto dir = open(path, O_RDONLY | O_DIRECTORY);
        if (dir || dir.error().code != ENOENT || path == path.parent_path()) return dir;
        path = path.parent_path();
    }
}

// A file that has no name, or no longer.
Result<Fd> scratch_file(const fs::path& state) {
    const fs::path path = fs::absolute(state);
    const Fd dir = TRY(nearest_directory(path));
    if (is_network_file_system(dir)) return failure("network file system", 0, path.string());
    const int nameless = ::openat(dir.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (nameless >= 0) return Fd(nameless);
    // Not every file system has such files.
    if (errno != EOPNOTSUPP && errno != EISDIR) return failure("open", errno, path.string());
    const std::string name = ".husk-probe-" + random_id(12);
    const int named =
        ::openat(dir.get(), name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (named < 0) return failure("open", errno, path.string());
    ::unlinkat(dir.get(), name.c_str(), 0);
    return Fd(named);
}

struct flock whole_file() {
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

// Whether another process sees who holds the lock, and does not get it: errno, or 0.
int meet_the_lock(int file, pid_t holder) {
    struct flock seen = whole_file();
    if (::fcntl(file, F_GETLK, &seen) != 0) return errno;
    if (seen.l_type != F_WRLCK || seen.l_pid != holder) return ENOLCK;
    struct flock wanted = whole_file();
    if (::fcntl(file, F_SETLK, &wanted) == 0) return ENOLCK;
    return errno == EAGAIN || errno == EACCES ? 0 : errno;
}

Outcome lock(int file) {
    struct flock held = whole_file();
    if (::fcntl(file, F_SETLK, &held) != 0) return failed_at("F_SETLK");
    const pid_t holder = ::getpid();
    const pid_t other = fork_bound();
    if (other < 0) return failed_at("fork");
    // A child does not inherit the lock of its parent, only the file.
    if (other == 0) ::_exit(meet_the_lock(file, holder));
    const int error = exit_code_of(other);
    return error == 0 ? well() : failed_at("F_GETLK from a second process", error > 0 ? error : 0);
}

Outcome map(int file) {
    constexpr size_t size = 4096;
    const char blank[size] = {};
    if (::pwrite(file, blank, size, 0) != size) return failed_at("pwrite");
    void* page = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) return failed_at("mmap");
    static_cast<volatile char*>(page)[0] = 'x';
    char seen = 0;
    if (::pread(file, &seen, 1, 0) != 1) return failed_at("pread");
    return seen == 'x' ? well() : failed_at("what is stored in the mapping is not in the file", 0);
}

Outcome punch(int file) {
    char data[block];
    std::memset(data, 'x', sizeof data);
    if (::pwrite(file, data, sizeof data, 0) != block) return failed_at("pwrite");
    if (::fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, block / 2) != 0)
        return failed_at("fallocate");
    if (::pread(file, data, sizeof data, 0) != block) return failed_at("pread");
    const bool right = data[0] == 0 && data[block / 2 - 1] == 0 && data[block / 2] == 'x';
    return right ? well() : failed_at("the hole is not where it was punched", 0);
}

Outcome watch(int file) {
    const Fd notices(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!notices) return failed_at("inotify_init1");
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    if (::inotify_add_watch(notices.get(), path.c_str(), IN_MODIFY) < 0)
        return failed_at("inotify_add_watch");
    if (::pwrite(file, "x", 1, 0) != 1) return failed_at("pwrite");
    pollfd wanted{notices.get(), POLLIN, 0};
    constexpr int one_second = 1000;
    return ::poll(&wanted, 1, one_second) == 1 ? well() : failed_at("no notice came", 0);
}

Capability tried_in(const fs::path& state, Outcome (*work)(int file), Capability description) {
    const Result<Fd> file = scratch_file(state);
    if (file) return judged(std::move(description), in_child([&] { return work(file->get()); }));
    description.remedy = elsewhere;
    return judged(std::move(description), std::unexpected(file.error()));
}

}  // namespace

Capability file_locks(const fs::path& state) {
    return tried_in(state, lock,
                    {.mechanism = "file locks",
                     .needed_for = "knowing which shells live",
                     .without = nothing_runs,
                     .remedy = elsewhere,
                     .required = true});
}

Capability shared_mapping(const fs::path& state) {
    return tried_in(state, map,
                    {.mechanism = "shared mapping",
                     .needed_for = "the quota of the state directory",
                     .without = nothing_runs,
                     .remedy = elsewhere,
                     .required = true});
}

Capability hole_punching(const fs::path& state) {
    return tried_in(state, punch,
                    {.mechanism = "hole punching",
                     .needed_for = "the end of output beyond the cap",
                     .without = "it is lost",
                     .remedy = "a state directory on ext4, XFS, Btrfs or tmpfs"});
}

Capability inotify(const fs::path& state) {
    return tried_in(state, watch,
                    {.mechanism = "inotify",
                     .needed_for = "seeing output as it comes",
                     .without = "looks every 50 ms",
                     .remedy = "sysctl fs.inotify.max_user_instances=1024 "
                               "fs.inotify.max_user_watches=65536"});
}

}  // namespace husk::os::probe
