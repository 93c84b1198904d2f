#include "os/procfs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <sstream>

#include "os/file.h"

namespace husk::os {
namespace {

std::string proc(pid_t pid, const std::string& rest) {
    return "/proc/" + std::to_string(pid) + rest;
}

std::vector<pid_t> children(pid_t pid) {
    std::vector<pid_t> found;
    std::error_code ignored;
    for (const auto& task : std::filesystem::directory_iterator(proc(pid, "/task"), ignored)) {
        const auto text = read_file(task.path() / "children");
        if (!text) continue;
        std::istringstream numbers(*text);
        for (pid_t child = 0; numbers >> child;) found.push_back(child);
    }
    return found;
}

bool listens(const std::string& table, int port) {
    std::istringstream lines(table);
    std::string line;
    std::getline(lines, line);  // the heading
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        std::string number, local, remote, state;
        fields >> number >> local >> remote >> state;
        const size_t colon = local.rfind(':');
        if (state != "0A" || colon == std::string::npos) continue;
        int value = 0;
        const char* end = local.data() + local.size();
        std::from_chars(local.data() + colon + 1, end, value, 16);
        if (value == port) return true;
    }
    return false;
}

// VmHWM, which /proc tells in KiB.
uint64_t peak_of(pid_t pid) {
    constexpr std::string_view label = "\nVmHWM:";
    const auto status = read_file(proc(pid, "/status"), 8192);
    const size_t at = status ? status->find(label) : std::string::npos;
    if (at == std::string::npos) return 0;
    uint64_t kibibytes = 0;
    std::istringstream(status->substr(at + label.size(), 64)) >> kibibytes;
    return kibibytes * 1024;
}

}  // namespace

std::string boot_id() {
    static std::mutex guard;
    static std::string id;
    const std::lock_guard lock(guard);
    if (id.empty()) {
        id = read_file("/proc/sys/kernel/random/boot_id").value_or("");
        while (!id.empty() && id.back() == '\n') id.pop_back();
    }
    return id;
}

std::optional<ProcessInfo> process_info(pid_t pid) {
    const auto stat = read_file(proc(pid, "/stat"));
    if (!stat) return std::nullopt;
    // "12 (name, which may hold anything) S ..."
    const size_t open = stat->find('(');
    const size_t close = stat->rfind(')');
    if (open == std::string::npos || close == std::string::npos || close + 2 >= stat->size())
        return std::nullopt;
    ProcessInfo info{pid, stat->substr(open + 1, close - open - 1), (*stat)[close + 2]};
    struct stat owner{};
    if (::stat(proc(pid, "").c_str(), &owner) == 0) info.uid = owner.st_uid;
    std::istringstream fields(stat->substr(close + 2));
    std::string skipped;
    constexpr int before_threads = 17;
    for (int i = 0; i < before_threads; ++i) fields >> skipped;
    fields >> info.threads;
    return info;
}

std::optional<ProcessUse> process_use(pid_t pid) {
    const auto stat = read_file(proc(pid, "/stat"));
    const auto statm = read_file(proc(pid, "/statm"));
    if (!stat || !statm) return std::nullopt;
    // Behind the name, which may hold anything: state, then numbers from the fourth field on.
    const size_t name_end = stat->rfind(')');
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream fields(stat->substr(name_end + 2));
    constexpr int before_times = 11;
    std::string skipped;
    for (int i = 0; i < before_times; ++i) fields >> skipped;
    int64_t user = 0, system = 0, reaped_user = 0, reaped_system = 0;
    fields >> user >> system >> reaped_user >> reaped_system;
    uint64_t size = 0, resident = 0, shared = 0;
    std::istringstream(*statm) >> size >> resident >> shared;
    if (!fields) return std::nullopt;
    const auto ticks = std::max(1L, ::sysconf(_SC_CLK_TCK));
    const auto page = static_cast<uint64_t>(std::max(1L, ::sysconf(_SC_PAGESIZE)));
    const auto time = [&](int64_t count) {
        constexpr int64_t ns_in_s = 1'000'000'000;
        return std::chrono::nanoseconds(count * (ns_in_s / ticks));
    };
    return ProcessUse{.user = time(user),
                      .system = time(system),
                      .reaped_user = time(reaped_user),
                      .reaped_system = time(reaped_system),
                      .memory = (resident - std::min(resident, shared)) * page,
                      .peak = peak_of(pid)};
}

std::vector<ProcessInfo> descendants(pid_t pid) {
    std::vector<ProcessInfo> found;
    std::vector<pid_t> queue = children(pid);
    std::set<pid_t> seen;  // one that changes its parent meanwhile is met twice
    for (size_t next = 0; next < queue.size(); ++next) {
        const pid_t current = queue[next];
        const auto info = process_info(current);
        if (!info || !seen.insert(current).second) continue;
        if (info->lives()) found.push_back(*info);
        for (const pid_t child : children(current)) queue.push_back(child);
    }
    return found;
}

pid_t number_inside(pid_t pid) {
    const auto status = read_file("/proc/" + std::to_string(pid) + "/status", 8192);
    constexpr std::string_view label = "\nNSpid:";
    const size_t at = status ? status->find(label) : std::string::npos;
    if (at == std::string::npos) return 0;
    const size_t end = status->find('\n', at + 1);
    const std::string line = status->substr(at, end - at);
    return std::atoi(line.c_str() + line.find_last_of("\t ") + 1);  // NOLINT(cert-err34-c)
}

uint64_t own_namespace(const char* kind) {
    struct stat info{};
    const std::string path = std::string("/proc/self/ns/") + kind;
    return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

unsigned own_umask() {
    constexpr unsigned usual = 022;
    const std::string status = read_file("/proc/self/status").value_or("");
    const size_t at = status.find("\nUmask:\t");
    if (at == std::string::npos) return usual;
    unsigned value = usual;
    const char* number = status.data() + at + std::strlen("\nUmask:\t");
    std::from_chars(number, status.data() + status.size(), value, 8);
    return value;
}

bool port_is_open(pid_t pid, int port) {
    constexpr size_t whole_table = 64 << 20;
    return listens(read_file(proc(pid, "/net/tcp"), whole_table).value_or(""), port) ||
           listens(read_file(proc(pid, "/net/tcp6"), whole_table).value_or(""), port);
}

}  // namespace husk::os
