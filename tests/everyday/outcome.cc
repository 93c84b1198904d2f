#include "outcome.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace husk::everyday {
namespace {

namespace fs = std::filesystem;

struct Rule {
    std::regex pattern;
    std::string replacement;
};

const std::vector<Rule>& rules() {
    static const std::vector<Rule> all = {
        {std::regex("\r\n"), "\n"},
        {std::regex(R"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d+)?(Z| ?[+-]\d\d:?\d\d)?)"),
         "<date>"},
        {std::regex(R"(\b\d\d:\d\d:\d\d([.,]\d+)?\b)"), "<time>"},
        {std::regex(R"(\b\d+([.,]\d+)? ?(ms|s|sec|secs|seconds)\b)"), "<duration>"},
        {std::regex(R"(\b(pid|PID|process)([ =:]+)\d+)"), "$1$2<pid>"},
        {std::regex(R"(/tmp/[A-Za-z_.-]*[.-_][A-Za-z0-9_]{6,})"), "/tmp/<name>"},
        {std::regex(R"(\b0x[0-9a-f]{6,}\b)"), "<address>"},
    };
    return all;
}

// Contents that differ from run to run, whatever the case.
const std::vector<std::string>& always_unstable() {
    static const std::vector<std::string> patterns = {
        "*.pyc",
        "*.git/index",
        "*.git/modules/*/index",
        "*.git/worktrees/*/index",
        "*.git/objects/*",
        "*.git/modules/*/objects/*",
    };
    return patterns;
}

bool matches(const std::string& name, const std::vector<std::string>& patterns) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
        return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    });
}

std::string hash_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    std::ostringstream hash;
    hash << std::hex << std::hash<std::string>()(text.str());
    return hash.str();
}

std::string line_for(const fs::path& path, const std::string& name, const Case& one) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) return "gone " + name;
    std::ostringstream line;
    const char* type = S_ISDIR(status.st_mode)    ? "directory"
                       : S_ISLNK(status.st_mode)  ? "link"
                       : S_ISSOCK(status.st_mode) ? "socket"
                       : S_ISFIFO(status.st_mode) ? "pipe"
                                                  : "file";
    const bool stable = !matches(name, one.unstable) && !matches(name, always_unstable());
    line << type << " ";
    if (stable) line << std::oct << (status.st_mode & 07777) << " ";
    line << name;
    if (S_ISLNK(status.st_mode)) line << " -> " << fs::read_symlink(path).string();
    if (S_ISREG(status.st_mode) && stable) line << " " << hash_of(path);
    return line.str();
}

std::string sorted_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    std::ranges::sort(lines);
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
}

// The first line that differs, from both sides.
std::string first_difference(const std::string& what, const std::string& bare,
                             const std::string& walled) {
    std::istringstream left(bare), right(walled);
    std::string one, other;
    for (;;) {
        const bool more_left = static_cast<bool>(std::getline(left, one));
        const bool more_right = static_cast<bool>(std::getline(right, other));
        if (!more_left && !more_right) return what + " differs\n";
        if (more_left && more_right && one == other) continue;
        return what + ": bare: " + (more_left ? one : "(end)") + "\n" + what +
               ": walled: " + (more_right ? other : "(end)") + "\n";
    }
}

}  // namespace

std::string normalised(const std::string& text) {
    std::string result = text;
    for (const Rule& rule : rules())
        result = std::regex_replace(result, rule.pattern, rule.replacement);
    return result;
}

std::string files_below(const fs::path& root, const Case& one) {
    if (fs::is_regular_file(fs::symlink_status(root)))
        return line_for(root, root.filename(), one) + "\n";
    std::vector<std::string> lines;
    std::error_code ignored;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(root, options, ignored), end; at != end;
         at.increment(ignored)) {
        const std::string name = at->path().lexically_relative(root);
        if (matches(name, one.ignored)) {
            if (at->is_directory(ignored)) at.disable_recursion_pending();
            continue;
        }
        lines.push_back(line_for(at->path(), name, one));
    }
    std::ranges::sort(lines);
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
}

std::string difference(const Outcome& bare, const Outcome& walled, Output output) {
    std::string found;
    if (bare.status != walled.status)
        found += "exit status: bare: " + std::to_string(bare.status) +
                 ", walled: " + std::to_string(walled.status) + "\n";
    if (output != Output::Ignored) {
        const auto shown = [&](const std::string& text) {
            return output == Output::Sorted ? sorted_lines(normalised(text)) : normalised(text);
        };
        if (shown(bare.output) != shown(walled.output))
            found += first_difference("output", shown(bare.output), shown(walled.output));
    }
    if (bare.files != walled.files) found += first_difference("files", bare.files, walled.files);
    return found;
}

}  // namespace husk::everyday
