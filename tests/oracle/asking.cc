#include "asking.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace husk::test {
namespace {

namespace fs = std::filesystem;

struct Answer {
    int status = -1;
    std::string out;
    std::string err;
};

int file_with(const std::string& text) {
    const int fd = ::memfd_create("script", MFD_CLOEXEC);
    size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
        if (written <= 0) break;
        done += static_cast<size_t>(written);
    }
    ::lseek(fd, 0, SEEK_SET);
    return fd;
}

std::string content_of(int fd) {
    std::string text;
    char buffer[64 * 1024];
    ::lseek(fd, 0, SEEK_SET);
    for (ssize_t got = 0; (got = ::read(fd, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<size_t>(got));
    ::close(fd);
    return text;
}

// The program with `text` as its standard input.
Answer ask(std::vector<const char*> argv, const std::string& text) {
    argv.push_back(nullptr);
    // What \u00e9 becomes depends on it, and whoever runs the tests may have none.
    ::setenv("LC_ALL", "C.UTF-8", 1);
    const int in = file_with(text);
    const int out = file_with("");
    const int err = file_with("");
    const pid_t child = ::vfork();
    if (child == 0) {
        ::dup2(in, 0);
        ::dup2(out, 1);
        ::dup2(err, 2);
        ::execvp(argv[0], const_cast<char* const*>(argv.data()));
        ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(in);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(out), content_of(err)};
}

void count_commands(const nlohmann::json& node, size_t& count) {
    if (node.is_object()) {
        const std::string type = node.value("Type", "");
        if (type == "CallExpr" || type == "DeclClause" || type == "LetClause") ++count;
    }
    if (node.is_structured())
        for (const auto& child : node) count_commands(child, count);
}

bool is_script(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string first;
    char letter = 0;
    while (first.size() < 64 && file.get(letter) && letter != '\n') first += letter;
    if (!first.starts_with("#!")) return false;
    return first.ends_with("/sh") || first.find("/bash") != std::string::npos ||
           first.find("/sh ") != std::string::npos || first.find("/dash") != std::string::npos ||
           first.ends_with("env bash") || first.ends_with("env sh");
}

}  // namespace

bool bash_accepts(const std::string& text) {
    const Answer answer = ask({"bash", "--norc", "-n"}, text);
    // Of an error in [[ ]] bash speaks, and exits 0 all the same.
    return answer.status == 0 && answer.err.find("syntax error") == std::string::npos &&
           answer.err.find("unexpected") == std::string::npos;
}

std::vector<std::string> bash_words(const std::string& words) {
    const Answer answer =
        ask({"bash", "--norc"}, "set -f\nHOME=/home/me\nprintf '%s\\0' " + words + "\n");
    std::vector<std::string> result;
    std::istringstream text(answer.out);
    for (std::string word; std::getline(text, word, '\0');) result.push_back(word);
    return result;
}

std::optional<size_t> shfmt_commands(const std::string& text) {
    const Answer answer = ask({"shfmt", "-ln", "bash", "--to-json"}, text);
    if (answer.status != 0) return std::nullopt;
    const auto tree = nlohmann::json::parse(answer.out, nullptr, false);
    if (tree.is_discarded()) return std::nullopt;
    size_t count = 0;
    count_commands(tree, count);
    return count;
}

std::string bash_output(const std::string& text) { return ask({"bash", "--norc"}, text).out; }

std::vector<std::string> cases_in(const std::string& name) {
    std::istringstream text(read_file(HUSK_SOURCE_DIR "/tests/oracle/" + name));
    std::vector<std::string> cases(1);
    for (std::string line; std::getline(text, line);) {
        if (line == "--") {
            cases.emplace_back();
            continue;
        }
        if (!cases.back().empty()) cases.back() += '\n';
        cases.back() += line;
    }
    return cases;
}

std::vector<std::string> script_cases() { return cases_in("scripts.txt"); }

std::vector<std::string> scripts_of_this_machine() {
    std::vector<std::string> found;
    for (const char* root : {"/usr/bin", "/usr/sbin", "/etc", "/usr/lib", "/usr/share", "/opt"}) {
        std::error_code failed;
        fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied,
                                            failed);
        for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
            std::error_code ignored;
            if (!at->is_regular_file(ignored) || at->is_symlink(ignored)) continue;
            const auto size = at->file_size(ignored);
            constexpr uintmax_t largest = 1 << 20;
            if (ignored || size == 0 || size > largest) continue;
            if (is_script(at->path())) found.push_back(at->path().string());
        }
    }
    return found;
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace husk::test
