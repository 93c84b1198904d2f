// Every program that Husk executes, and where its path comes from. A command can write files and
// change PATH for later calls; whatever Husk found through such a path would run outside the walls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>
#include <vector>

#include "layers.h"

namespace {

struct Place {
    int count;           // of the matches in the file
    const char* origin;  // where the path of the program comes from
};
using Table = std::map<std::string, Place>;

const Table executions = {
    // Outside the walls.
    {"src/os/process.h", {2, "declares start_detached and ask_program, which take descriptors"}},
    {"src/os/process.cc",
     {4,
      "descriptors: a program of Husk's own in sealed memory, or one that open_program checked"}},
    {"src/os/probe_machine.cc", {1, "os::open_bash(): fixed paths that only root can change"}},
    {"src/os/probe_process.cc", {1, "a program of Husk's own in sealed memory"}},
    {"src/tool/measure.cc", {1, "os::open_bash()"}},
    {"src/run/reading_filter.cc", {1, "names the system call in a filter, and does not make it"}},
    {"src/run/ask_bash.cc", {1, "os::open_bash(), and a filter that only lets it read"}},
    {"src/run/session.cc", {1, "the keeper, an image inside this program"}},
    {"src/proxy/proxy.cc", {1, "the proxy, an image inside this program"}},
    // The command itself, behind whatever walls it has.
    {"src/keeper/sys.h", {1, "declares the system call"}},
    {"src/keeper/sys.cc", {2, "makes the system call"}},
    {"src/keeper/start.cc",
     {1, "the plan: the path of os::open_bash(), or the program that the call names (argv)"}},
    {"src/place/warden.cc",
     {2, "inside a container: fixed paths for bash, or the program that the call names (argv)"}},
};

// Programs are looked for in PATH only for a command, behind its walls.
const Table searches = {
    {"src/tool/plan_call.cc", {1, "for the program that a call names (argv)"}},
    {"src/tool/toolbox_run.cc", {1, "is passed on to the command"}},
};

bool is_product(const std::string& path) {
    return path.starts_with("src/") && !path.ends_with("_test.cc");
}

// Without what stands behind `//`.
std::string code_of(const std::string& text) {
    return std::regex_replace(text, std::regex("//[^\n]*"), "");
}

// The expressions take seconds for all sources, and few files have anything to do with them.
bool may_match(const std::string& text) {
    for (const char* part : {"exec", "spawn", "popen", "system(", "system (", "wordexp",
                             "ask_program", "detached", "PATH"})
        if (text.contains(part)) return true;
    return false;
}

std::map<std::string, int> matches(const std::regex& wanted) {
    std::map<std::string, int> found;
    for (const auto& [path, text] : architecture::read_tree(HUSK_SOURCE_DIR)) {
        if (!is_product(path) || !may_match(text)) continue;
        const std::string code = code_of(text);
        const auto count = std::distance(std::sregex_iterator(code.begin(), code.end(), wanted),
                                         std::sregex_iterator());
        if (count > 0) found[path] = static_cast<int>(count);
    }
    return found;
}

std::map<std::string, int> counts_of(const Table& table) {
    std::map<std::string, int> counts;
    for (const auto& [path, place] : table) counts[path] = place.count;
    return counts;
}

TEST(Programs, HuskExecutesOnlyThose) {
    const std::regex calls(
        R"(\b(execve|execveat|execv|execvp|execvpe|execl|execlp|execle|fexecve|posix_spawnp?|popen|)"
        R"(system|wordexp|ask_program|start_detached|SYS_execve(at)?|__NR_execve(at)?)\s*[(,])");
    EXPECT_EQ(matches(calls), counts_of(executions))
        << "Say in the table where the path of the program comes from. It must be fixed, or "
           "given by the configuration, and checked by os::open_program.";
}

TEST(Programs, AreLookedForInPathOnlyForCommands) {
    EXPECT_EQ(matches(std::regex(R"(getenv\("PATH"\))")), counts_of(searches));
}

}  // namespace
