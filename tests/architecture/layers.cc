#include "layers.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

namespace architecture {
namespace {

namespace fs = std::filesystem;

constexpr size_t longest_file = 500;

const std::set<std::string, std::less<>> forbidden_names = {
    "util", "utils", "helper", "helpers", "manager", "managers", "core", "common", "misc"};

// The headers of C and POSIX that lie in no folder. Any other <name.h> is a third party's.
const std::set<std::string, std::less<>> system_headers = {
    "assert.h",  "ctype.h",   "dirent.h",  "dlfcn.h",  "elf.h",     "endian.h",   "errno.h",
    "fcntl.h",   "float.h",   "fnmatch.h", "getopt.h", "glob.h",    "grp.h",      "inttypes.h",
    "limits.h",  "link.h",    "locale.h",  "math.h",   "netdb.h",   "poll.h",     "pthread.h",
    "pty.h",     "pwd.h",     "sched.h",   "signal.h", "spawn.h",   "stdarg.h",   "stddef.h",
    "stdint.h",  "stdio.h",   "stdlib.h",  "string.h", "strings.h", "sysexits.h", "syslog.h",
    "termios.h", "threads.h", "time.h",    "unistd.h", "utime.h",   "wchar.h",    "wordexp.h"};

const std::array<std::string_view, 7> system_folders = {"sys/",  "linux/",   "asm/", "asm-generic/",
                                                        "arpa/", "netinet/", "net/"};

// What a program without a C library may include besides its own headers.
const std::set<std::string, std::less<>> freestanding_headers = {"stddef.h", "stdint.h", "stdarg.h",
                                                                 "cstddef", "cstdint"};

struct Include {
    size_t line;
    bool quoted;
    std::string header;
};

// Where an include leads: exactly one of the three is set.
struct Target {
    std::string module;         // one of ours
    std::string public_header;  // of include/husk/
    std::string outside;        // the standard library's, the system's or a third party's
};

std::vector<Include> includes_of(const std::string& text) {
    static const std::regex pattern(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)re");
    std::vector<Include> found;
    std::istringstream lines(text);
    std::string line;
    for (size_t number = 1; std::getline(lines, line); ++number) {
        std::smatch match;
        if (!std::regex_match(line, match, pattern)) continue;
        found.push_back({.line = number, .quoted = match[1] == "\"", .header = match[2]});
    }
    return found;
}

std::string first_folder(std::string_view path) {
    return std::string(path.substr(0, path.find('/')));
}

// "base" for "src/base/text.h", "" for a file of no module.
std::string module_of(std::string_view path) {
    constexpr std::string_view src = "src/";
    if (!path.starts_with(src) || path.find('/', src.size()) == path.npos) return "";
    return first_folder(path.substr(src.size()));
}

bool is_test(std::string_view path) {
    return path.ends_with("_test.cc") || path.starts_with("tests/");
}

bool is_public_header(std::string_view path) { return path.starts_with("include/"); }

bool is_freestanding(std::string_view path) {
    return module_of(path) == "keeper" && !is_test(path);
}

bool is_standard_library(std::string_view header) {
    return header.find_first_of("/.") == header.npos;
}

bool is_system(std::string_view header) {
    const auto leads_to = [&](std::string_view folder) { return header.starts_with(folder); };
    return system_headers.contains(header) || std::ranges::any_of(system_folders, leads_to);
}

// The file that an include means, as a path in the tree; "" if it is not one of ours.
std::string path_of(const SourceFile& file, const Include& include, const Layers& layers) {
    if (include.header.starts_with("husk/")) return "include/" + include.header;
    if (!include.quoted) return "";
    if (include.header.find('/') == std::string::npos)
        return file.path.substr(0, file.path.rfind('/') + 1) + include.header;
    const bool is_ours = std::ranges::count(layers.modules, first_folder(include.header)) != 0;
    return is_ours ? "src/" + include.header : "";
}

Target target_of(const SourceFile& file, const Include& include, const Layers& layers) {
    const std::string path = path_of(file, include, layers);
    if (path.empty()) return {.module = "", .public_header = "", .outside = include.header};
    if (is_public_header(path)) return {.module = "", .public_header = path, .outside = ""};
    return {.module = module_of(path), .public_header = "", .outside = ""};
}

std::optional<std::string> wrong_in_public_header(const Target& target) {
    if (!target.public_header.empty()) return std::nullopt;
    if (!target.outside.empty() && is_standard_library(target.outside)) return std::nullopt;
    return "a public header includes only the standard library and public headers";
}

std::optional<std::string> wrong_in_keeper(const Target& target) {
    if (target.module == "keeper") return std::nullopt;
    if (freestanding_headers.contains(target.outside)) return std::nullopt;
    if (target.outside.starts_with("linux/") || target.outside.starts_with("asm/"))
        return std::nullopt;
    return "the keeper includes only its own, the kernel's and freestanding headers";
}

std::optional<std::string> wrong_outside(const std::string& path, const std::string& header,
                                         const Layers& layers) {
    if (is_standard_library(header) || is_system(header)) return std::nullopt;
    if (is_test(path) && (header.starts_with("gtest/") || header.starts_with("gmock/")))
        return std::nullopt;
    for (const auto& [prefix, modules] : layers.owners) {
        if (!header.starts_with(prefix)) continue;
        if (modules.contains(module_of(path))) return std::nullopt;
        return "is not an owner of " + prefix;
    }
    return "leads to no module, and no module owns it in src/LAYERS";
}

std::optional<std::string> wrong_direction(const std::string& from, const std::string& to,
                                           const Layers& layers) {
    const auto height = [&](const std::string& module) {
        return std::ranges::find(layers.modules, module) - layers.modules.begin();
    };
    if (height(to) <= height(from)) return std::nullopt;
    return from + " is below " + to;
}

std::optional<std::string> wrong_include(const SourceFile& file, const Include& include,
                                         const Layers& layers) {
    const Target target = target_of(file, include, layers);
    if (is_public_header(file.path)) return wrong_in_public_header(target);
    if (is_freestanding(file.path)) return wrong_in_keeper(target);
    if (!target.public_header.empty()) return std::nullopt;
    if (!target.outside.empty()) return wrong_outside(file.path, target.outside, layers);
    return wrong_direction(module_of(file.path), target.module, layers);
}

using ByPath = std::map<std::string, const SourceFile*, std::less<>>;

// The way from `file` to a header of os/, " -> x.h -> os/fd.h", or "" if there is none.
std::string way_to_os(const SourceFile& file, const ByPath& files, const Layers& layers,
                      std::set<std::string>& seen) {
    for (const Include& include : includes_of(file.text)) {
        const std::string path = path_of(file, include, layers);
        const std::string step = " -> " + include.header;
        if (module_of(path) == "os") return step;
        const auto next = files.find(path);
        if (next == files.end() || !seen.insert(path).second) continue;
        const std::string rest = way_to_os(*next->second, files, layers, seen);
        if (!rest.empty()) return step + rest;
    }
    return "";
}

std::vector<std::string> breaches_of_includes(const SourceFile& file, const ByPath& files,
                                              const Layers& layers) {
    std::vector<std::string> found;
    for (const Include& include : includes_of(file.text)) {
        const auto wrong = wrong_include(file, include, layers);
        if (!wrong) continue;
        found.push_back(file.path + ":" + std::to_string(include.line) + ": includes " +
                        include.header + ": " + *wrong);
    }
    if (!layers.pure.contains(module_of(file.path)) || is_test(file.path)) return found;
    std::set<std::string> seen;
    const std::string way = way_to_os(file, files, layers, seen);
    if (!way.empty()) found.push_back(file.path + ": is pure but reaches os" + way);
    return found;
}

// "string_util.cc" is as forbidden as "util/".
bool has_forbidden_name(const fs::path& path) {
    return std::ranges::any_of(path, [](const fs::path& part) {
        const std::string name = part.stem();
        const size_t last_word = name.rfind('_') + 1;
        return forbidden_names.contains(name.substr(last_word));
    });
}

std::vector<std::string> breaches_of_form(const SourceFile& file, const Layers& layers) {
    std::vector<std::string> found;
    const auto lines = static_cast<size_t>(std::ranges::count(file.text, '\n'));
    if (lines > longest_file && !is_test(file.path))
        found.push_back(file.path + ": has " + std::to_string(lines) + " lines, more than " +
                        std::to_string(longest_file));
    if (has_forbidden_name(file.path))
        found.push_back(file.path + ": has a name that says nothing");
    const std::string module = module_of(file.path);
    if (!module.empty() && std::ranges::count(layers.modules, module) == 0)
        found.push_back(file.path + ": src/LAYERS does not list the module " + module);
    return found;
}

std::string read_file(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return std::move(text).str();
}

}  // namespace

Layers parse_layers(std::string_view text) {
    Layers layers;
    std::istringstream lines{std::string(text)};
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string name;
        if (!(words >> name)) continue;
        std::set<std::string> rest;
        for (std::string word; words >> word;) rest.insert(word);
        if (name.find_first_of("/.") != std::string::npos) {
            layers.owners.emplace(name, rest);
            continue;
        }
        layers.modules.push_back(name);
        if (rest.contains("pure")) layers.pure.insert(name);
    }
    return layers;
}

Tree read_tree(const fs::path& root) {
    Tree tree;
    for (const char* folder : {"src", "include", "tests", "examples"}) {
        if (!fs::exists(root / folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const fs::path extension = entry.path().extension();
            if (extension != ".cc" && extension != ".h" && extension != ".S") continue;
            tree.push_back(
                {.path = entry.path().lexically_relative(root), .text = read_file(entry.path())});
        }
    }
    return tree;
}

std::vector<std::string> breaches(const Tree& tree, const Layers& layers) {
    ByPath files;
    for (const SourceFile& file : tree) files.emplace(file.path, &file);
    std::vector<std::string> found;
    for (const auto& [path, file] : files) {
        std::ranges::move(breaches_of_form(*file, layers), std::back_inserter(found));
        if (!path.starts_with("src/") && !is_public_header(path)) continue;
        std::ranges::move(breaches_of_includes(*file, files, layers), std::back_inserter(found));
    }
    return found;
}

}  // namespace architecture
