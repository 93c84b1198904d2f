// The parts that src/PORTABLE lists do not depend on Linux: no header of Linux is within their
// reach, they call no function that only Linux has, and a program of them alone does what `husk
// check` does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "symbols.h"
#include "temp_dir.h"

namespace {

namespace fs = std::filesystem;
using architecture::Names;
using architecture::without;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

struct Ran {
    int code = -1;
    std::string output;  // standard output and standard error
};

std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return std::move(text).str();
}

class Portable : public testing::Test {
protected:
    Ran run(const std::string& command) const {
        const std::string log = dir_.path() / "log";
        const int status = std::system(("( " + command + " ) >'" + log + "' 2>&1").c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(log)};
    }

    // Compiles a source as the portable parts are compiled.
    Ran compile(const std::string& source, const fs::path& object = "/dev/null") const {
        const std::string path = dir_.path() / "source.cc";
        std::ofstream(path) << source;
        return run("'" HUSK_CXX "' -std=c++23 " HUSK_PORTABLE_FLAGS " -c -o '" + object.string() +
                   "' '" + path + "'");
    }

    // Runs the program that has only the portable parts, with no configuration.
    Ran portable(const std::string& arguments) const {
        const std::string home = dir_.path();
        return run("cd '" + home + "' && env -u HUSK_CONFIG -u XDG_CONFIG_HOME HOME='" + home +
                   "' HUSK_STATE='" + home + "/state' '" HUSK_PORTABLE_BINARY "' " + arguments);
    }

    husk::test::TempDir dir_;
};

// The words behind `kind` in src/PORTABLE.
Names listed(const std::string& kind) {
    Names names;
    std::ifstream file(HUSK_SOURCE_DIR "/src/PORTABLE");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string first;
        if (!(words >> first) || first != kind) continue;
        for (std::string name; words >> name;) names.insert(name);
    }
    return names;
}

// What the compiler, its run-time library and sanitizers call of their own accord.
bool is_of_the_compiler(const std::string& name) {
    static const std::regex own(
        "__(cxa|gxx|asan|ubsan|tsan|sanitizer|stack_chk|aarch64)_.*|_Unwind_.*|__dynamic_cast|"
        "__dso_handle|__tls_get_addr|_GLOBAL_OFFSET_TABLE_|__libc_single_threaded|__assert_fail");
    return std::regex_match(name, own);
}

// "strtol" for "__isoc23_strtol", "read" for "__read_chk": the same function, in the C library's
// form.
std::string function_of(const std::string& symbol) {
    if (symbol == "__errno_location") return "errno";
    if (symbol.starts_with("__libc_current_sigrtm")) return "signal";
    return std::regex_replace(symbol, std::regex("^__(isoc23_)?(.*?)(_chk)?$"), "$2");
}

// The functions that the objects call, are no C++, and are not listed.
Names unlisted_functions(const std::vector<std::string>& objects) {
    Names functions;
    for (const std::string& name : architecture::undefined_c_names(objects))
        if (!is_of_the_compiler(name)) functions.insert(function_of(name));
    return without(functions, listed("calls"));
}

TEST_F(Portable, HeadersOfLinuxAreRefused) {
    const std::vector<std::string> headers = {
        "linux/landlock.h",    "linux/limits.h", "linux/seccomp.h", "asm/unistd.h",
        "asm-generic/errno.h", "sys/epoll.h",    "sys/eventfd.h",   "sys/inotify.h",
        "sys/mount.h",         "sys/prctl.h",    "sys/random.h",    "sys/signalfd.h",
        "sys/statfs.h",        "sys/syscall.h",  "sys/timerfd.h",   "sys/vfs.h",
        "syscall.h",           "mntent.h"};
    std::string source;
    for (const std::string& header : headers) source += "#include <" + header + ">\n";
    const Ran compiled = compile(source);
    EXPECT_NE(compiled.code, 0);
    for (const std::string& header : headers)
        EXPECT_THAT(compiled.output, HasSubstr("<" + header + "> is refused")) << header;
}

TEST_F(Portable, AHeaderOfLinuxIsRefusedBehindOthersToo) {
    const Ran compiled = compile(
        "#include <limits.h>\n#include <unistd.h>\n#include <filesystem>\n#include "
        "<linux/limits.h>\n");
    EXPECT_NE(compiled.code, 0);
    EXPECT_THAT(compiled.output, HasSubstr("<linux/limits.h> is refused"));
}

TEST_F(Portable, HeadersOfPosixAndOfTheLanguageAreThere) {
    const Ran compiled = compile(
        "#include <fcntl.h>\n#include <limits.h>\n#include <signal.h>\n#include <sys/mman.h>\n"
        "#include <sys/socket.h>\n#include <sys/stat.h>\n#include <sys/wait.h>\n"
        "#include <unistd.h>\n#include <condition_variable>\n#include <filesystem>\n"
        "#include <fstream>\n#include <mutex>\n#include <random>\n#include <regex>\n"
        "#include <thread>\nint answer() { return 42; }\n");
    EXPECT_EQ(compiled.code, 0) << compiled.output;
}

TEST_F(Portable, EverySourceIsCompiledThatWay) {
    std::ifstream file(HUSK_BUILD_DIR "/compile_commands.json");
    int seen = 0;
    for (const auto& entry : nlohmann::json::parse(file)) {
        const std::string command = entry["command"];
        static const std::regex portable(
            "-o [^ ]*/(husk_portable|husk_portable_objects|husk_check|"
            "husk_main|husk-portable)\\.dir/");
        bool concerned = std::regex_search(command, portable);
        for (const std::string& module : listed("module"))
            concerned = concerned || command.contains("/" + module + "_test.dir/");
        if (!concerned) continue;
        ++seen;
        EXPECT_THAT(command, HasSubstr(HUSK_PORTABLE_FLAGS));
    }
    EXPECT_GT(seen, 20);
}

TEST_F(Portable, ListsTheModulesAndTheCheck) {
    const Names modules = listed("module");
    EXPECT_THAT(modules, IsSupersetOf({"base", "parse", "decide", "render", "contract"}));
    EXPECT_THAT(listed("program"), Contains("cli/check.cc"));
    for (const char* kind : {"source", "program", "instead"})
        for (const std::string& source : listed(kind))
            EXPECT_TRUE(fs::exists(fs::path(HUSK_SOURCE_DIR) / "src" / source)) << source;
}

TEST_F(Portable, ObjectsCallOnlyListedFunctions) {
    const auto objects = architecture::paths_in(HUSK_PORTABLE_OBJECTS);
    ASSERT_GT(objects.size(), 5U);
    for (const std::string& object : objects) ASSERT_TRUE(fs::exists(object)) << object;
    EXPECT_THAT(unlisted_functions(objects), IsEmpty())
        << "src/PORTABLE does not list them; use a function of POSIX, or move the source";
}

TEST_F(Portable, ACallOfLinuxIsFound) {
    const fs::path object = dir_.path() / "object.o";
    const Ran compiled = compile(
        "extern \"C\" int epoll_create1(int);\n"
        "extern \"C\" long syscall(long, ...);\n"
        "extern \"C\" int close(int);\n"
        "int wait_for_it() { return epoll_create1(0) + static_cast<int>(syscall(1)) + close(3); "
        "}\n",
        object);
    ASSERT_EQ(compiled.code, 0) << compiled.output;
    EXPECT_EQ(unlisted_functions({object}), (Names{"epoll_create1", "syscall"}));
}

// What these modules know comes from their callers: so no path that only Linux has, such as
// /proc/self, is read there.
TEST_F(Portable, ModulesOpenNoFiles) {
    std::vector<std::string> found;
    for (const std::string& module : listed("module"))
        for (const auto& entry : fs::directory_iterator(HUSK_SOURCE_DIR "/src/" + module)) {
            const std::string name = entry.path().filename();
            const bool is_source = name.ends_with(".cc") || name.ends_with(".h");
            if (!is_source || name.ends_with("_test.cc") || name == "everyday.h") continue;
            const std::string text = text_of(entry.path());
            for (const char* opens : {"fstream", "fopen(", "::open(", "openat(", "opendir("})
                if (text.contains(opens)) found.push_back(name + ": " + opens);
        }
    EXPECT_THAT(found, IsEmpty());
}

TEST_F(Portable, REQ_BASH_009_ChecksWorkWithoutLinux) {
    EXPECT_EQ(portable("check 'git status'").code, 0);
    const Ran denied = portable("check --json 'cd x && sudo git push --force'");
    EXPECT_EQ(denied.code, 1);
    EXPECT_EQ(nlohmann::json::parse(denied.output)["decision"], "deny");
    std::ofstream(dir_.path() / "rules.yaml") << "permissions: {ask: [\"Bash(make:*)\"]}\n";
    EXPECT_EQ(portable("check --config rules.yaml 'make all'").code, 2);
    EXPECT_EQ(portable("check --rules rules.yaml").code, 0);
}

// Without bash, what the parser does not understand is never allowed, and the answer says why.
TEST_F(Portable, CheckSaysThatBashIsNotAsked) {
    const Ran ran = portable("check 'if true; then'");
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.output,
                HasSubstr("bash could not be asked: bash -n: Husk asks bash only on Linux"));
}

TEST_F(Portable, REQ_BASH_009_CommandsRunOnLinuxOnly) {
    for (const char* words :
         {"run -- 'touch ran'", R"(call bash '{"command": "touch ran"}')", "mcp", "run --help"}) {
        const Ran ran = portable(words);
        EXPECT_EQ(ran.code, 125) << words;
        EXPECT_THAT(ran.output, HasSubstr("commands on Linux only, because its sandbox is made of "
                                          "parts of Linux such as Landlock"))
            << words;
    }
    EXPECT_FALSE(fs::exists(dir_.path() / "ran"));
    EXPECT_THAT(portable("--help").output, HasSubstr("commands on Linux only"));
}

#ifdef HUSK_BINARY
// A new subcommand of husk works there too, or says that it does not.
TEST_F(Portable, EverySubcommandIsKnown) {
    std::istringstream help(architecture::output_of("'" HUSK_BINARY "' --help"));
    static const std::regex entry("  ([a-z]+) +[A-Z].*");
    const Names working = {"check", "hook", "help", "version"};
    Names seen;
    std::smatch match;
    for (std::string line; std::getline(help, line);) {
        if (!std::regex_match(line, match, entry)) continue;
        const std::string name = match[1];
        seen.insert(name);
        const Ran ran = portable(name + " --help </dev/null");
        EXPECT_EQ(ran.code, working.contains(name) ? 0 : 125) << name << ": " << ran.output;
    }
    EXPECT_THAT(seen, IsSupersetOf(working));
    EXPECT_GT(seen.size(), 15U);
}
#endif

}  // namespace
