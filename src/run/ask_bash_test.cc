#include "run/ask_bash.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "os/file.h"
#include "os/process.h"
#include "run/reading_filter.h"
#include "temp_dir.h"

namespace husk::run {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(BashRejects, WhatBashWouldNotParse) {
    struct Case {
        const char* script;
        size_t line;
        const char* words;
    };
    const Case cases[] = {
        {"fi", 1, "syntax error near unexpected token `fi'"},
        {"echo hi\ndone", 2, "syntax error near unexpected token `done'"},
        {"echo \"x", 1, "unexpected EOF while looking for matching"},
        {"if true; then", 2, "unexpected end of file"},
        {"echo $(x", 2, "unexpected EOF while looking for matching"},
        {"[[ a ]", 1, "conditional binary operator expected"},
        {"ls !(x)", 1, "syntax error near unexpected token `('"},
        {"x=(", 1, "unexpected EOF"},
        {"shopt -s extglob; ls !(x)", 1, "syntax error near unexpected token `('"},
        {"shopt -s extglob &&\nls !(x)", 2, "syntax error near unexpected token `('"},
        {"if true; then shopt -s extglob\nls !(x)\nfi", 2, "unexpected token `('"},
        {"ls !(x)\nshopt -s extglob", 1, "syntax error near unexpected token `('"},
    };
    for (const auto& [script, line, words] : cases) {
        const auto error = bash_rejects(script);
        ASSERT_TRUE(error) << error.error().text();
        ASSERT_TRUE(*error) << script;
        EXPECT_EQ((*error)->line, line) << script;
        EXPECT_THAT((*error)->message, HasSubstr(words)) << script;
    }
}

TEST(BashRejects, NothingElse) {
    for (const char* script :
         {"", "\n", "echo hi", "# only a comment", "nonexistent-program --x", "exit 3", "false",
          "cat <<EOF\nnever closed", "shopt -s extglob\nls !(x)",
          "shopt -s extglob\nif true; then\nls !(x)\nfi", "{ shopt -s extglob\n}\nls !(x)",
          "f() { g; }; f", "((1+1))", "[[ a =~ ^(b|c)$ ]]", "echo 'line 3: syntax error'",
          "set +n; kill -9 $$"}) {
        const auto error = bash_rejects(script);
        ASSERT_TRUE(error) << error.error().text();
        EXPECT_FALSE(*error) << script << ": " << (*error)->message;
    }
}

TEST(BashRejects, ANul) {
    using namespace std::literals;
    const auto error = bash_rejects("echo \0"sv);
    ASSERT_TRUE(error && *error);
    EXPECT_EQ((*error)->message, "it contains a NUL byte");
}

class Untouched : public testing::Test {
protected:
    void TearDown() override { std::filesystem::remove_all(dir_); }

    std::string dir_ = [] {
        std::string name = std::filesystem::temp_directory_path() / "ask-bash-XXXXXX";
        return std::string(::mkdtemp(name.data()));
    }();
};

TEST_F(Untouched, NeitherTheScriptNorTheEnvironmentIsRun) {
    const std::string mark = dir_ + "/mark";
    const std::string file = dir_ + "/env.sh";
    std::ofstream(file) << "echo x > " << mark << "\n";
    ::setenv("BASH_ENV", file.c_str(), 1);
    ::setenv("ENV", file.c_str(), 1);
    ::setenv("BASH_FUNC_f%%", ("() { :; }; echo x > " + mark).c_str(), 1);
    const auto error = bash_rejects("echo x > " + mark + "; $(echo x > " + mark +
                                    ")\ncat <<E\n`echo x > " + mark + "`\nE\nset +n\n: > " + mark);
    for (const char* name : {"BASH_ENV", "ENV", "BASH_FUNC_f%%"}) ::unsetenv(name);
    ASSERT_TRUE(error);
    EXPECT_FALSE(*error);
    EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST(BashRejects, NoProgramThatPathLeadsTo) {
    const test::TempDir dir;
    const fs::path mark = dir.path() / "mark";
    const fs::path planted = dir.path() / "bash";
    std::ofstream(planted) << "#!/bin/sh\n: > " << mark.string() << "\n";
    fs::permissions(planted, fs::perms::all);
    const std::string before = std::getenv("PATH");
    ::setenv("PATH", (dir.path().string() + ":.:" + before).c_str(), 1);
    const auto error = bash_rejects("echo (");
    ::setenv("PATH", before.c_str(), 1);
    ASSERT_TRUE(error && *error);
    EXPECT_THAT((*error)->message, HasSubstr("syntax error"));
    EXPECT_FALSE(fs::exists(mark));
}

// What the program says that is run in the place of bash.
std::string said_behind_the_filter(const std::string& program, std::vector<std::string> arguments) {
    const auto opened = os::open_program(program);
    const auto filter = reading_filter();
    const auto null = os::open("/dev/null", O_RDONLY);
    if (!opened || !filter || !null) return "cannot be tried";
    os::Question question;
    question.program = &*opened;
    question.filter = *filter;
    question.argv = std::move(arguments);
    question.argv.insert(question.argv.begin(), program);
    question.env = {"PATH=/usr/bin:/bin"};
    question.input = null->get();
    question.patience = std::chrono::seconds(5);
    question.most_output = 4096;
    const auto answer = os::ask_program(question);
    return answer ? answer->output : answer.error().text();
}

// bash -n runs nothing. If it did all the same, this is what it could do.
TEST(BashRejects, TheFilterLetsAProgramReadAndNothingElse) {
    const test::TempDir dir;
    const std::string file = dir.path() / "file";
    std::ofstream(file) << "content";
    EXPECT_EQ(said_behind_the_filter("/usr/bin/cat", {file}), "content");
    const auto bash = [](const std::string& script) {
        return said_behind_the_filter("/usr/bin/bash", {"--norc", "-c", script});
    };
    EXPECT_EQ(bash("echo ran"), "ran\n");
    EXPECT_THAT(bash("exec /usr/bin/true; echo not run"), HasSubstr("/usr/bin/true"));
    EXPECT_THAT(bash("(echo child)"), HasSubstr("fork"));
    EXPECT_THAT(bash(": > " + dir.path().string() + "/made"), HasSubstr("denied"));
    EXPECT_THAT(bash("echo more >> " + file), HasSubstr("denied"));
    EXPECT_THAT(bash(": > /dev/tcp/127.0.0.1/1"), HasSubstr("/dev/tcp"));
    EXPECT_THAT(bash("kill -9 $$; echo lives"), HasSubstr("lives"));
    EXPECT_THAT(bash("umask 0; ulimit -n 5; echo $?"), HasSubstr("1\n"));
    for (const char* tool : {"/usr/bin/rm", "/usr/bin/touch"}) said_behind_the_filter(tool, {file});
    said_behind_the_filter("/usr/bin/chmod", {"777", file});
    EXPECT_EQ(fs::status(file).permissions() & fs::perms::others_write, fs::perms::none);
    EXPECT_FALSE(fs::exists(dir.path() / "made"));
    std::ifstream kept(file);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), "content");
}

TEST(BashRejects, LeavesNoChildToWaitFor) {
    ASSERT_TRUE(bash_rejects("fi"));
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1);
    EXPECT_EQ(errno, ECHILD);
}

TEST(BashRejects, ALargeScriptToo) {
    std::string script;
    while (script.size() < 1'000'000) script += "echo some words in a line\n";
    const auto good = bash_rejects(script);
    ASSERT_TRUE(good) << good.error().text();
    EXPECT_FALSE(*good);
    const auto bad = bash_rejects(script + "fi");
    ASSERT_TRUE(bad && *bad);
    EXPECT_GT((*bad)->line, 38'000U);
}

}  // namespace
}  // namespace husk::run
