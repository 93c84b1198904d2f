// Makes one system call about paths, and prints the name of the error that the kernel gives:
// `attempt open WRONLY,CREAT PATH`, `attempt rename OLD NEW`. 0 if it succeeds.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

int open_flags(const std::string& words) {
    const std::map<std::string, int> known = {
        {"RDONLY", O_RDONLY},    {"WRONLY", O_WRONLY},     {"RDWR", O_RDWR},
        {"CREAT", O_CREAT},      {"EXCL", O_EXCL},         {"TRUNC", O_TRUNC},
        {"APPEND", O_APPEND},    {"NOFOLLOW", O_NOFOLLOW}, {"DIRECTORY", O_DIRECTORY},
        {"PATH", O_PATH},        {"TMPFILE", O_TMPFILE},   {"NOTHING", O_ACCMODE},
        {"NONBLOCK", O_NONBLOCK}};
    int flags = 0;
    for (size_t at = 0; at <= words.size();) {
        const size_t end = std::min(words.find(',', at), words.size());
        flags |= known.at(words.substr(at, end - at));
        at = end + 1;
    }
    return flags;
}

long make(const std::vector<std::string>& words) {
    const std::string& call = words.at(0);
    const auto path = [&](size_t i) { return words.at(i).c_str(); };
    if (call == "open") return ::open(path(2), open_flags(words.at(1)), 0644);
    if (call == "creat") return ::creat(path(1), 0644);
    if (call == "mkdir") return ::mkdir(path(1), 0755);
    if (call == "mknod") return ::mknod(path(1), S_IFREG | 0644, 0);
    if (call == "mkfifo") return ::mknod(path(1), S_IFIFO | 0644, 0);
    if (call == "symlink") return ::symlink(path(1), path(2));
    if (call == "link") return ::link(path(1), path(2));
    if (call == "rename") return ::rename(path(1), path(2));
    if (call == "rename-new")
        return ::syscall(SYS_renameat2, AT_FDCWD, path(1), AT_FDCWD, path(2), RENAME_NOREPLACE);
    if (call == "exchange")
        return ::syscall(SYS_renameat2, AT_FDCWD, path(1), AT_FDCWD, path(2), RENAME_EXCHANGE);
    if (call == "unlink") return ::unlink(path(1));
    if (call == "rmdir") return ::rmdir(path(1));
    if (call == "truncate") return ::truncate(path(1), 0);
    if (call == "chmod") return ::chmod(path(1), 0600);
    if (call == "lchown") return ::lchown(path(1), ::geteuid(), ::getegid());
    if (call == "touch") return ::utimensat(AT_FDCWD, path(1), nullptr, 0);
    std::fprintf(stderr, "attempt: no such call: %s\n", call.c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    errno = 0;
    const long result = make(words);
    std::printf("%s\n", result < 0 ? ::strerrorname_np(errno) : "0");
    return 0;
}
