#include "run/ask_bash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace husk::run {
namespace {

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
          "cat <<EOF\nnever closed", "shopt -s extglob\nls !(x)", "f() { g; }; f", "((1+1))",
          "[[ a =~ ^(b|c)$ ]]", "echo 'line 3: syntax error'", "set +n; kill -9 $$"}) {
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
