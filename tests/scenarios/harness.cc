#include "harness.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Tests of `husk check` run with the program without the engine as well.
std::string tested_program() {
    const char* other = std::getenv("HUSK_TESTED_PROGRAM");
    return other == nullptr ? HUSK_BINARY : other;
}

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
    words.reserve(argv.size() + 1);
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
void exchange(std::string_view input, int& in, int& out, int& err, Ran& ran,
              Clock::time_point end) {
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
    exchange(input, in.write, out.read, err.read, ran, start + patient(60s));
    const bool hung = out.read >= 0 || err.read >= 0;
    if (hung) ::kill(pid, SIGKILL);
    int status = 0;
    ::waitpid(pid, &status, 0);
    ran.took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    for (int* fd : {&in.write, &out.read, &err.read}) close_fd(*fd);
    EXPECT_FALSE(hung) << "did not end in time: " << argv.back();
    return ran;
}

Husk::Husk(Who who, Unsaid unsaid) : who_(who), unsaid_(unsaid) {
    state_ = dir_.path() / "state";
    work_ = dir_.path() / "shipped";
    if (unsaid_ == Unsaid::AsShipped) fs::create_directory(work_);
    // An ordinary user needs a directory of its own; root may be root or play one.
    if (who_ == Who::OrdinaryUser && ::geteuid() == 0)
        for (const fs::path& own : {dir_.path(), work_})
            if (fs::exists(own)) ::chown(own.c_str(), ordinary_uid, ordinary_uid);
}

Husk::~Husk() {
    const Ran sessions = (*this)({"session", "list", "--json"});
    const auto listed = nlohmann::json::parse(sessions.out, nullptr, false);
    if (!listed.is_object()) return;
    for (const auto& session : listed["sessions"])
        if (session["nursery"] != 0) (*this)({"session", "end", session["id"].get<std::string>()});
}

std::vector<std::string> Husk::surroundings() const {
    std::vector<std::string> words;
    if (who_ == Who::OrdinaryUser && ::geteuid() == 0) {
        const std::string id = std::to_string(ordinary_uid);
        words = {"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", "--"};
    }
    // Whoever runs the tests may have a configuration that denies half of them.
    words.emplace_back("env");
    if (unsaid_ == Unsaid::AsShipped) words.push_back("--chdir=" + work_.string());
    words.insert(words.end(),
                 {"-u", "HUSK_CONFIG", "XDG_CONFIG_HOME=" + (dir_.path() / "config").string(),
                  "HUSK_STATE=" + state_.string()});
    return words;
}

std::vector<std::string> Husk::argv(std::vector<std::string> args) const {
    std::vector<std::string> words = surroundings();
    words.push_back(tested_program());
    const auto command = std::find(args.begin(), args.end(), "--");
    const bool says_no_mode =
        !args.empty() && args[0] == "run" && std::find(args.begin(), command, "--mode") == command;
    if (says_no_mode && unsaid_ == Unsaid::MeansOpen)
        args.insert(args.begin() + 1, {"--mode", "open"});
    words.insert(words.end(), args.begin(), args.end());
    return words;
}

Ran Husk::script(const std::string& text) const {
    std::vector<std::string> words = surroundings();
    words.insert(words.end(), {"HUSK=" + tested_program(), "bash", "-c", text});
    return run_program(words);
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
    const nlohmann::json list = (*this)({"shells", "--json", "--all"}).json();
    for (const auto& shell : list["shells"])
        if (shell["shell_id"] == id) return shell;
    ADD_FAILURE() << "no shell " << id;
    return nullptr;
}

Live::Live(const Husk& husk, std::vector<std::string> args) {
    Pipe out;
    int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    pid_ = spawn(husk.argv(std::move(args)), null, out.write, null);
    close_fd(null);
    close_fd(out.write);
    out_ = out.read;
}

Live::~Live() {
    close_fd(out_);
    if (!code_ && pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

bool Live::read_more(std::chrono::milliseconds within) {
    pollfd wanted{out_, POLLIN, 0};
    if (::poll(&wanted, 1, static_cast<int>(within.count())) <= 0) return false;
    char bytes[65536];
    const ssize_t got = ::read(out_, bytes, sizeof bytes);
    if (got <= 0) return false;
    buffer_.append(bytes, static_cast<size_t>(got));
    return true;
}

std::optional<std::string> Live::line(std::chrono::milliseconds within) {
    const auto end = Clock::now() + patient(within);
    for (;;) {
        if (const size_t newline = buffer_.find('\n'); newline != std::string::npos) {
            std::string line = buffer_.substr(0, newline);
            buffer_.erase(0, newline + 1);
            return line;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
        if (left < 0ms || !read_more(left)) return std::nullopt;
    }
}

bool Live::skip(std::chrono::milliseconds within) {
    buffer_.clear();
    return read_more(within);
}

void Live::signal(int number) const { ::kill(pid_, number); }

std::optional<int> Live::code(std::chrono::milliseconds within) {
    if (code_) return code_;
    eventually(
        [&] {
            int status = 0;
            if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
            code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            return true;
        },
        within);
    return code_;
}

Load::Load(int processes) {
    for (int i = 0; i < processes; ++i) {
        const pid_t pid = ::fork();
        if (pid == 0) {
            ::alarm(30);
            for (volatile bool forever = true; forever;) {
            }
        }
        pids_.push_back(pid);
    }
}

Load::~Load() {
    for (const pid_t pid : pids_) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
}

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds within) {
    for (const auto end = Clock::now() + patient(within);;) {
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

void write_text(const fs::path& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    EXPECT_TRUE(file.good()) << path;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

testing::AssertionResult is_refusal(const Ran& ran) {
    const bool one_line = std::ranges::count(ran.err, '\n') == 1 && ran.err.ends_with('\n');
    if (ran.code == 125 && ran.out.empty() && ran.err.starts_with("husk: ") && one_line)
        return testing::AssertionSuccess() << ran.err;
    return testing::AssertionFailure()
           << "exit " << ran.code << ", stdout: " << ran.out << ", stderr: " << ran.err;
}

std::string numbered(uint64_t from, uint64_t to) {
    constexpr uint64_t width = 16;
    std::string text;
    char line[width + 1];
    for (uint64_t number = from / width + 1; (number - 1) * width < to; ++number) {
        std::snprintf(line, sizeof line, "%015llu\n", static_cast<unsigned long long>(number));
        text.append(line, width);
    }
    return text.substr(from % width, to - from);
}

int exit_code_of(pid_t child, std::chrono::milliseconds within) {
    int status = 0;
    if (!eventually([&] { return ::waitpid(child, &status, WNOHANG) != 0; }, within)) {
        ADD_FAILURE() << "process " << child << " did not end in time";
        ::kill(child, SIGKILL);
        ::waitpid(child, &status, 0);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

pid_t parent_of(pid_t pid) {
    const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
    const size_t close = stat.rfind(')');  // "12 (name) S 1 ..."
    if (close == std::string::npos || close + 4 >= stat.size()) return 0;
    return std::stoi(stat.substr(close + 4));
}

pid_t nursery_of(const Husk& husk, const std::string& name_or_id) {
    const auto listed = husk({"session", "list", "--json"}).json();
    for (const auto& session : listed["sessions"]) {
        const bool wanted =
            name_or_id.empty() || session["name"] == name_or_id || session["id"] == name_or_id;
        if (wanted && session["nursery"] != 0) return session["nursery"].get<pid_t>();
    }
    return 0;
}

Mark::~Mark() {
    for (const pid_t pid : bearers()) ::kill(pid, SIGKILL);
}

Witness::Witness(const fs::path& dir) : path_(dir / ("witness-" + unique_word())) {
    if (::mkfifo(path_.c_str(), 0600) != 0 || ::chmod(path_.c_str(), 0666) != 0)
        ADD_FAILURE() << "mkfifo: " << std::strerror(errno);
    fd_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

Witness::~Witness() { close_fd(fd_); }

bool Witness::read_all() {
    char buffer[4096];
    ssize_t got = 0;
    while ((got = ::read(fd_, buffer, sizeof buffer)) > 0)
        heard_.append(buffer, static_cast<size_t>(got));
    return got != 0;
}

bool Witness::hears(const std::string& text, std::chrono::milliseconds within) {
    return eventually(
        [&] {
            read_all();
            return heard_.find(text) != std::string::npos;
        },
        within);
}

bool Witness::is_alone(std::chrono::milliseconds within) {
    return eventually([&] { return !read_all(); }, within);
}

std::string program(const std::string& name) {
    return std::string(HUSK_TEST_PROGRAMS_DIR) + "/" + name;
}

std::string program_in(const fs::path& dir, const std::string& name) {
    fs::copy_file(program(name), dir / name, fs::copy_options::overwrite_existing);
    return (dir / name).string();
}

std::vector<Report> listed(const Shells& shells) {
    const auto answer = shells.list();
    if (const auto* error = std::get_if<Error>(&answer)) {
        ADD_FAILURE() << error->text();
        return {};
    }
    return std::get<std::vector<Report>>(answer);
}

}  // namespace husk::test
