#include "crew.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "os/fd.h"
#include "os/file.h"
#include "run/call.h"
#include "scenarios/harness.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;

std::string comm_of(pid_t pid) {
    const auto lines = lines_of(read_text("/proc/" + std::to_string(pid) + "/comm"));
    return lines.empty() ? "" : lines[0];
}

std::vector<pid_t> all_processes() {
    std::vector<pid_t> pids;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") == std::string::npos && name != "self")
            pids.push_back(std::stoi(name));
    }
    std::erase(pids, ::getpid());
    return pids;
}

bool mentions(pid_t pid, const std::string& word) {
    const std::string proc = "/proc/" + std::to_string(pid);
    return read_text(proc + "/cmdline").find(word) != std::string::npos ||
           read_text(proc + "/environ").find(word) != std::string::npos;
}

bool has_open(pid_t pid, const std::string& dir) {
    std::error_code ignored;
    const fs::path fds = "/proc/" + std::to_string(pid) + "/fd";
    for (const auto& entry : fs::directory_iterator(fds, ignored))
        if (fs::read_symlink(entry.path(), ignored).string().starts_with(dir)) return true;
    return false;
}

// A proxy holds a pidfd of the nursery that it serves.
bool serves(pid_t proxy, pid_t nursery) {
    std::error_code ignored;
    const fs::path infos = "/proc/" + std::to_string(proxy) + "/fdinfo";
    for (const auto& entry : fs::directory_iterator(infos, ignored))
        for (const std::string& line : lines_of(read_text(entry.path())))
            if (line == "Pid:\t" + std::to_string(nursery)) return true;
    return false;
}

std::vector<pid_t> all_proxies() {
    std::vector<pid_t> proxies = all_processes();
    std::erase_if(proxies, [](pid_t pid) {
        return !read_text("/proc/" + std::to_string(pid) + "/cmdline").starts_with("husk-proxy");
    });
    return proxies;
}

}  // namespace

Crew crew_of(const fs::path& state) {
    Crew crew;
    std::error_code ignored;
    std::vector<pid_t> proxies;
    for (const auto& entry : fs::directory_iterator(state / "sessions", ignored)) {
        const auto lock = os::open(entry.path() / "lock", O_RDONLY);
        const pid_t nursery = lock ? run::keeper_of(*lock) : 0;
        if (nursery <= 1) continue;
        Crew::Session session{.id = entry.path().filename(), .nursery = nursery};
        const auto name = lines_of(read_text(entry.path() / "lock"));
        if (!name.empty()) session.name = name[0];
        const pid_t parent = parent_of(nursery);
        const std::string above = comm_of(parent);
        if (above == "husk-mason" || above == "husk-guard") session.mason = parent;
        const std::string number = std::to_string(nursery);
        std::istringstream children(read_text("/proc/" + number + "/task/" + number + "/children"));
        for (pid_t child = 0; children >> child;)
            if (comm_of(child) == "husk-keeper") session.keepers.push_back(child);
        if (session.mason != 0 && proxies.empty()) proxies = all_proxies();
        for (const pid_t proxy : proxies)
            if (session.mason != 0 && serves(proxy, nursery)) session.proxy = proxy;
        crew.sessions.push_back(std::move(session));
    }
    std::ranges::sort(crew.sessions, {}, &Crew::Session::id);
    return crew;
}

std::vector<pid_t> processes_marked(const std::string& word) {
    std::vector<pid_t> found = all_processes();
    std::erase_if(found, [&](pid_t pid) { return !mentions(pid, word) || !is_alive(pid); });
    return found;
}

std::vector<pid_t> processes_of(const fs::path& dir, const std::string& word) {
    std::vector<pid_t> found = all_processes();
    std::erase_if(found, [&](pid_t pid) {
        return !(mentions(pid, word) || has_open(pid, dir.string())) || !is_alive(pid);
    });
    return found;
}

std::string birth_of(pid_t pid) {
    const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
    // The name stands in parentheses and may have anything in it; then comes the third field.
    constexpr int field = 22;
    std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    std::string word;
    for (int at = 3; at <= field; ++at) rest >> word;
    return rest ? word : "";
}

std::string describe(pid_t pid) {
    const std::string proc = "/proc/" + std::to_string(pid);
    std::string line = read_text(proc + "/cmdline");
    std::ranges::replace(line, '\0', ' ');
    std::ranges::replace(line, '\n', ';');
    return std::to_string(pid) + " " + comm_of(pid) + " (child of " +
           std::to_string(parent_of(pid)) + "): " + line.substr(0, 200);
}

}  // namespace husk::test
