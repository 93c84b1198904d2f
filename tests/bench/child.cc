#include "child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace husk::bench {

Child::Child(std::vector<std::string> argv) {
    std::vector<char*> words;
    for (std::string& word : argv) words.push_back(word.data());
    words.push_back(nullptr);
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return;
    pid_ = ::vfork();
    if (pid_ == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        ::execv(words[0], words.data());
        ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
}

Child::~Child() {
    ::close(in_);
    if (pid_ > 0) {
        ::kill(pid_, SIGTERM);
        ::waitpid(pid_, nullptr, 0);
    }
    ::close(out_);
}

void Child::say(std::string_view text) const {
    if (::write(in_, text.data(), text.size()) < 0)
        std::fprintf(stderr, "bench: a program does not listen\n");
}

std::string Child::line() {
    for (;;) {
        if (const size_t end = read_.find('\n'); end != std::string::npos) {
            std::string line = read_.substr(0, end);
            read_.erase(0, end + 1);
            return line;
        }
        char piece[8192];
        const ssize_t got = ::read(out_, piece, sizeof piece);
        if (got <= 0) return "";
        read_.append(piece, static_cast<size_t>(got));
    }
}

void end_sessions(const std::filesystem::path& state) {
    Child list({HUSK_BINARY, "session", "list", "--json", "--state", state.string()});
    const auto listed = nlohmann::json::parse(list.line(), nullptr, false);
    if (!listed.is_object()) return;
    for (const auto& session : listed["sessions"]) {
        Child end({HUSK_BINARY, "session", "end", "--state", state.string(), session["id"]});
        while (!end.line().empty()) continue;
    }
}

double resident_mib(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
    double whole = 0;
    double resident = 0;
    file >> whole >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace husk::bench
