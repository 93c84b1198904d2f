#include "snapshot.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "scenarios/harness.h"

namespace husk::redteam {
namespace {

namespace fs = std::filesystem;

std::string attributes_of(const fs::path& path) {
    char names[4096];
    const ssize_t size = ::llistxattr(path.c_str(), names, sizeof names);
    std::string result;
    for (ssize_t at = 0; at < size;) {
        const std::string name = names + at;
        at += static_cast<ssize_t>(name.size()) + 1;
        char value[1024];
        const ssize_t got = ::lgetxattr(path.c_str(), name.c_str(), value, sizeof value);
        result += " " + name + "=";
        for (ssize_t i = 0; i < got; ++i) result += std::to_string(value[i]) + ".";
    }
    return result;
}

// Flags and version of the file system; only files and directories have them.
std::string flags_of(const fs::path& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int flags = 0;
    int version = 0;
    ::ioctl(fd, FS_IOC_GETFLAGS, &flags);
    ::ioctl(fd, FS_IOC_GETVERSION, &version);
    ::close(fd);
    // Whether a directory has an index, and a file extents, is no business of ours.
    return " " + std::to_string(flags & FS_FL_USER_MODIFIABLE) + " " + std::to_string(version);
}

std::string content_of(const fs::path& path, const struct stat& status) {
    std::error_code ignored;
    if (S_ISLNK(status.st_mode)) return fs::read_symlink(path, ignored).string();
    if (!S_ISREG(status.st_mode)) return "";
    const std::string text = test::read_text(path);
    return std::to_string(text.size()) + ":" + std::to_string(std::hash<std::string>()(text));
}

std::string entry(const fs::path& path) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) return path.string() + " none\n";
    std::ostringstream line;
    line << path.string() << " " << status.st_mode << " " << status.st_uid << ":" << status.st_gid
         << " " << status.st_ino << " " << status.st_nlink << " " << status.st_blocks << " "
         << status.st_mtim.tv_sec << "." << status.st_mtim.tv_nsec << " ";
    constexpr time_t long_ago = 978307200;  // reading is allowed, and changes the time of reading
    line << (status.st_atim.tv_sec < long_ago ? "never read" : "read");
    if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) line << flags_of(path);
    if (struct statvfs mount{}; S_ISDIR(status.st_mode) && ::statvfs(path.c_str(), &mount) == 0)
        line << " mount " << mount.f_flag << " " << mount.f_fsid;
    line << attributes_of(path) << " " << content_of(path, status) << "\n";
    return line.str();
}

std::string line_with(const std::string& text, const std::string& start) {
    for (const std::string& line : test::lines_of(text))
        if (line.starts_with(start)) return line;
    return "";
}

// Programs that anybody would run with the rights of somebody else.
std::string lent_rights(const fs::path& workspace) {
    std::string result;
    std::error_code ignored;
    for (fs::recursive_directory_iterator at(workspace, ignored), end; at != end;
         at.increment(ignored)) {
        struct stat status{};
        if (::lstat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        if ((status.st_mode & (S_ISUID | S_ISGID)) != 0 ||
            attributes_of(at->path()).contains("security.capability"))
            result += at->path().string() + " lends rights\n";
    }
    return result;
}

}  // namespace

std::string tree_snapshot(const fs::path& root) {
    std::vector<std::string> entries = {entry(root)};
    std::error_code ignored;
    for (fs::recursive_directory_iterator at(root, ignored), end; at != end; at.increment(ignored))
        entries.push_back(entry(at->path()));
    std::ranges::sort(entries);
    std::string result;
    for (const std::string& one : entries) result += one;
    return result;
}

std::string protected_snapshot(const fs::path& workspace) {
    std::string result;
    // Not its times: that a file was made and taken away again harms nobody.
    for (const auto& one : {".git/config", ".git/hooks", ".git/modules/inner/config"}) {
        const fs::path path = workspace / one;
        struct stat status{};
        ::lstat(path.c_str(), &status);
        result += path.string() + " " + std::to_string(status.st_mode) + " " +
                  content_of(path, status) + "\n";
    }
    std::error_code ignored;
    std::vector<std::string> hooks;
    for (const auto& dir : {".git/hooks", ".git/modules/inner/hooks"})
        for (const auto& one : fs::directory_iterator(workspace / dir, ignored))
            hooks.push_back(entry(one.path()));
    std::ranges::sort(hooks);
    for (const std::string& one : hooks) result += one;
    for (const auto& one : {".claude/settings.json", ".vscode/tasks.json", ".envrc", ".mcp.json",
                            "husk.yaml", ".git/info/attributes", ".git/commondir",
                            ".git/modules/inner/commondir", ".github/copilot", ".bashrc", ".zshenv",
                            ".agents", ".agent", ".kiro", ".qwen", ".roo", ".continue", ".husky"})
        if (fs::exists(workspace / one, ignored)) result += std::string(one) + " exists\n";
    return result + lent_rights(workspace);
}

std::string process_snapshot(pid_t pid, unsigned long cell) {
    const std::string proc = "/proc/" + std::to_string(pid) + "/";
    const std::string status = test::read_text(proc + "status");
    const std::string state = line_with(status, "State:");
    std::ostringstream text;
    const bool waits =
        state.find("sleeping") != std::string::npos || state.find("running") != std::string::npos;
    text << (waits ? "waits" : state) << "\n" << line_with(status, "Cpus_allowed:") << "\n";
    if (!waits) return text.str();
    sched_param parameters{};
    ::sched_getparam(pid, &parameters);
    const std::string stat = test::read_text(proc + "stat");
    std::istringstream fields(stat.substr(stat.rfind(')') + 2));
    std::string field;
    constexpr int nice_field = 17;
    for (int i = 0; i < nice_field; ++i) fields >> field;
    text << "nice " << field << " policy " << ::sched_getscheduler(pid) << " io "
         << ::syscall(SYS_ioprio_get, 1, pid) << "\n"
         << test::read_text(proc + "limits") << test::read_text(proc + "oom_score_adj")
         << test::read_text(proc + "coredump_filter");
    char bytes[32] = {};
    const iovec to{bytes, sizeof bytes};
    const iovec from{reinterpret_cast<void*>(cell), sizeof bytes};
    ::process_vm_readv(pid, &to, 1, &from, 1, 0);
    text << std::string(bytes, sizeof bytes);
    return text.str();
}

}  // namespace husk::redteam
