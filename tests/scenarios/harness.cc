#include "harness.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Pipe {
    int read = -1;
    int write = -1;
    Pipe() {
        int fds[2];
        if (::pipe2(fds, O_CLOEXEC) == 0) read = fds[0], write = fds[1];
    }
};

void close_fd(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
}

pid_t spawn(const std::vector<std::string>& argv, int in, int out, int err) {
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(in, 0);
        ::dup2(out, 1);
        ::dup2(err, 2);
        ::execvp(words[0], words.data());
        ::_exit(127);
    }
    return pid;
}

// Feeds and reads until both outputs are closed or the time is over.
void exchange(std::string_view input, int& in, int& out, int& err, Ran& ran, Clock::time_point end) {
    while (out >= 0 || err >= 0) {
        if (input.empty()) close_fd(in);
        pollfd fds[] = {{in, POLLOUT, 0}, {out, POLLIN, 0}, {err, POLLIN, 0}};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0 || ::poll(fds, 3, static_cast<int>(left)) <= 0) return;
        if (fds[0].revents != 0) {
            const ssize_t sent = ::write(in, input.data(), std::min<size_t>(input.size(), 4096));
            if (sent > 0) input.remove_prefix(static_cast<size_t>(sent));
            if (sent < 0) input = {};
        }
        char buffer[65536];
        for (const int i : {1, 2}) {
            int& fd = i == 1 ? out : err;
            if (fds[i].revents == 0) continue;
            const ssize_t got = ::read(fd, buffer, sizeof buffer);
            if (got <= 0) close_fd(fd);
            if (got > 0) (i == 1 ? ran.out : ran.err).append(buffer, static_cast<size_t>(got));
        }
    }
}

}  // namespace

TempDir::TempDir() {
    std::string name = (fs::temp_directory_path() / "husk-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "mkdtemp: " << std::strerror(errno);
    path_ = name;
}

TempDir::~TempDir() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

nlohmann::json Ran::json() const {
    auto value = nlohmann::json::parse(out, nullptr, false);
    EXPECT_FALSE(value.is_discarded()) << "not JSON: " << out << "\nstderr: " << err;
    return value;
}

Ran run_program(const std::vector<std::string>& argv, const std::string& input) {
    std::signal(SIGPIPE, SIG_IGN);
    Pipe in, out, err;
    const auto start = Clock::now();
    const pid_t pid = spawn(argv, in.read, out.write, err.write);
    close_fd(in.read);
    close_fd(out.write);
    close_fd(err.write);
    Ran ran;
    exchange(input, in.write, out.read, err.read, ran, start + 60s);
    const bool hung = out.read >= 0 || err.read >= 0;
    if (hung) ::kill(pid, SIGKILL);
    int status = 0;
    ::waitpid(pid, &status, 0);
    ran.took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    for (int* fd : {&in.write, &out.read, &err.read}) close_fd(*fd);
    EXPECT_FALSE(hung) << "did not end within a minute: " << argv.back();
    return ran;
}

Husk::Husk(Who who) : who_(who) {
    // An ordinary user needs a directory of its own; root may be root or play one.
    if (who_ == Who::OrdinaryUser && ::geteuid() == 0)
        ::chown(dir_.path().c_str(), ordinary_uid, ordinary_uid);
    state_ = dir_.path() / "state";
}

Husk::~Husk() {
    const Ran sessions = (*this)({"session", "list", "--json"});
    const auto listed = nlohmann::json::parse(sessions.out, nullptr, false);
    if (!listed.is_object()) return;
    for (const auto& session : listed["sessions"])
        if (session["nursery"] != 0) (*this)({"session", "end", session["id"].get<std::string>()});
}

std::vector<std::string> Husk::argv(std::vector<std::string> args) const {
    std::vector<std::string> words;
    if (who_ == Who::OrdinaryUser && ::geteuid() == 0) {
        const std::string id = std::to_string(ordinary_uid);
        words = {"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", "--"};
    }
    words.insert(words.end(), {"env", "HUSK_STATE=" + state_.string(), HUSK_BINARY});
    words.insert(words.end(), args.begin(), args.end());
    return words;
}

Ran Husk::operator()(std::vector<std::string> args, const std::string& input) const {
    return run_program(argv(std::move(args)), input);
}

pid_t Husk::start(const std::vector<std::string>& args) const {
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const pid_t pid = spawn(argv(args), null, null, null);
    ::close(null);
    return pid;
}

nlohmann::json Husk::report(const std::string& command, std::vector<std::string> options) const {
    std::vector<std::string> args = {"run", "--json"};
    args.insert(args.end(), options.begin(), options.end());
    args.insert(args.end(), {"--", command});
    return (*this)(args).json();
}

std::string Husk::background(const std::string& command, std::vector<std::string> options) const {
    std::vector<std::string> args = {"run", "--background"};
    args.insert(args.end(), options.begin(), options.end());
    args.insert(args.end(), {"--", command});
    std::string id = (*this)(args).out;
    while (!id.empty() && id.back() == '\n') id.pop_back();
    EXPECT_FALSE(id.empty());
    return id;
}

nlohmann::json Husk::shell(const std::string& id) const {
    for (auto& shell : (*this)({"shells", "--json", "--all"}).json()["shells"])
        if (shell["shell_id"] == id) return shell;
    ADD_FAILURE() << "no shell " << id;
    return nullptr;
}

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds within) {
    for (const auto end = Clock::now() + within;;) {
        if (condition()) return true;
        if (Clock::now() >= end) return false;
        std::this_thread::sleep_for(5ms);
    }
}

bool is_alive(pid_t pid) {
    const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
    const size_t close = stat.rfind(')');
    return close != std::string::npos && close + 2 < stat.size() && stat[close + 2] != 'Z' &&
           stat[close + 2] != 'X';
}

std::vector<pid_t> processes_with(const std::string& text) {
    std::vector<pid_t> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        const pid_t pid = std::stoi(name);
        std::string line = read_text(entry.path() / "cmdline");
        std::ranges::replace(line, '\0', ' ');
        if (pid != ::getpid() && line.find(text) != std::string::npos && is_alive(pid))
            found.push_back(pid);
    }
    return found;
}

std::string unique_word() {
    std::random_device random;
    return "7" + std::to_string(100'000'000U + random() % 900'000'000U);
}

std::string read_text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string program(const std::string& name) {
    return std::string(HUSK_TEST_PROGRAMS_DIR) + "/" + name;
}

}  // namespace husk::test
