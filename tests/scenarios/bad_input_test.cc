// What cannot be done is refused in one line that says why, and leaves no trace.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

namespace husk::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr size_t longest_word = 131'071;  // that the kernel passes to a program

class BadInput : public testing::TestWithParam<Unsaid> {
protected:
    size_t shells() const { return husk({"shells", "--json", "--all"}).json()["shells"].size(); }

    // Refused, with these words, and nothing to be seen of it afterwards.
    void expect_refused(const std::vector<std::string>& words,
                        const std::string& because = "") const {
        const Ran ran = husk(words);
        std::string line;
        for (const std::string& word : words) line += word.substr(0, 60) + " ";
        EXPECT_TRUE(is_refusal(ran)) << line;
        EXPECT_THAT(ran.err.substr(0, 2000), HasSubstr(because)) << line;
        EXPECT_EQ(shells(), 0) << line;
    }

    std::string touch_proof() const { return "touch " + proof().string(); }
    std::filesystem::path proof() const {
        return (GetParam() == Unsaid::AsShipped ? husk.work() : husk.dir()) / "it-was-started";
    }
    void TearDown() override { EXPECT_FALSE(std::filesystem::exists(proof())); }

    std::string run() const {
        return GetParam() == Unsaid::AsShipped ? "$HUSK run" : "$HUSK run --mode open";
    }

    Husk husk{Who::OrdinaryUser, GetParam()};
};

std::string unsaid_name(const testing::TestParamInfo<Unsaid>& info) {
    return info.param == Unsaid::AsShipped ? "AsShipped" : "Open";
}
INSTANTIATE_TEST_SUITE_P(, BadInput, testing::Values(Unsaid::MeansOpen, Unsaid::AsShipped),
                         unsaid_name);

TEST_P(BadInput, OptionsThatDoNotExistOrMakeNoSense) {
    const std::string command = touch_proof();
    const std::vector<std::vector<std::string>> cases = {
        {},
        {"nosuch"},
        {"--nosuch"},
        {"run"},
        {"run", "--"},
        {"run", "--nosuch", "--", command},
        {"run", "--timeout", "abc", "--", command},
        {"run", "--timeout", "-1s", "--", command},
        {"run", "--timeout", "", "--", command},
        {"run", "--idle-timeout", "x", "--", command},
        {"run", "--patience", "x", "--", command},
        {"run", "--on-timeout", "explode", "--", command},
        {"run", "--leftovers", "eat", "--", command},
        {"run", "--streams", "three", "--", command},
        {"run", "--mode", "nosuch", "--", command},
        {"run", "--env", "=value", "--", command},
        {"run", "--keep-output", "lots", "--", command},
        {"run", "--max-output", "-1", "--", command},
        {"run", "--json", "--stream-json", "--", command},
        {"run", "--stdin", "/dev/null", "--stdin-text", "x", "--", command},
        {"run", "--stdin", "/no/such/file", "--", command},
        {"run", "--session", "a b", "--", command},
        {"run", "--session", "../x", "--", command},
        {"run", "--session", ".x", "--", command},
        {"run", "--session", std::string(65, 'x'), "--", command},
        {"output"},
        {"wait"},
        {"kill"},
        {"kill", "abc-1", "--signal", "NOSUCH"},
        {"kill", "abc-1", "--patience", "x"},
        {"session"},
        {"session", "end"},
        {"session", "end", "nosuch"},
        {"bench", "--rounds", "0"},
    };
    for (const auto& words : cases) expect_refused(words);
}

TEST_P(BadInput, WorkingDirectoriesThatCannotBeEntered) {
    const auto file = husk.dir() / "file";
    const auto closed = husk.dir() / "closed";
    write_text(file, "");
    std::filesystem::create_directory(closed);
    ASSERT_EQ(::chmod(closed.c_str(), 0), 0);
    for (const std::string& path :
         {std::string("/no/such/directory"), file.string(), closed.string(),
          closed.string() + "/below", std::string(5000, 'x')}) {
        expect_refused({"run", "--cwd", path, "--", touch_proof()}, path.substr(0, 100));
        expect_refused({"run", "--background", "--cwd", path, "--", touch_proof()});
    }
}

TEST_P(BadInput, DirectoriesThatAreGivenAndCannotBe) {
    if (GetParam() == Unsaid::MeansOpen) return;  // which gives all
    const std::string file = (husk.dir() / "file").string();
    write_text(file, "");
    const std::vector<std::tuple<const char*, std::string, const char*>> cases = {
        {"--write", "/no/such/root", "make this directory first"},
        {"--write", file, "Not a directory"},
        {"--read", "/no/such/secret", "--read"},
    };
    for (const auto& [option, path, because] : cases) {
        expect_refused({"run", option, path, "--", touch_proof()}, because);
        expect_refused({"run", option, path, "--", touch_proof()}, path);
    }
}

TEST_P(BadInput, AReportSaysItToo) {
    const Ran ran = husk({"run", "--json", "--cwd", "/no/such/directory", "--", touch_proof()});
    EXPECT_EQ(ran.code, 125);
    EXPECT_EQ(ran.err, "");
    const auto report = ran.json();
    EXPECT_EQ(report["status"], "not_started");
    EXPECT_EQ(report["shell_id"], nullptr);
    EXPECT_EQ(report["exit_code"], nullptr);
    EXPECT_EQ(report["error"],
              "working directory: No such file or directory: /no/such/directory; name another one "
              "with `working_directory` (--cwd)");
    EXPECT_EQ(shells(), 0);
}

TEST_P(BadInput, CommandsLongerThanTheKernelTakes) {
    const std::string half(100'000, 'x');
    expect_refused({"run", "--", touch_proof() + ";", half, half}, "write it to a file");
}

TEST_P(BadInput, AnEnvironmentThatDoesNotFit) {
    const Ran ran = husk.script("for i in {1..9}; do export BIG$i=$(printf '%0100000d' 0); done; " +
                                run() + " -- '" + touch_proof() + "'");
    EXPECT_TRUE(is_refusal(ran));
    EXPECT_THAT(ran.err, HasSubstr("environment"));
    EXPECT_EQ(shells(), 0);
}

TEST_P(BadInput, StateDirectoriesThatCannotBeMade) {
    const auto file = husk.dir() / "file";
    write_text(file, "");
    for (const std::string& state :
         {file.string(), file.string() + "/below", std::string("/proc/husk"),
          std::string("/no-such-root/husk"), std::string(5000, 'x')}) {
        const Ran ran = husk({"run", "--state", state, "--", touch_proof()});
        EXPECT_TRUE(is_refusal(ran)) << state;
        EXPECT_THAT(ran.err, AllOf(HasSubstr(state), HasSubstr("--state"))) << state;
    }
}

TEST(BadPlace, IsToldWhenAServerStarts) {
    const Husk husk;
    const Ran state = husk({"mcp", "--state", "/dev/null"});
    EXPECT_EQ(state.code, 125);
    EXPECT_THAT(state.err, HasSubstr("/dev/null; choose another state directory"));
    const Ran session = husk({"mcp", "--session", "bad/name"});
    EXPECT_EQ(session.code, 125);
    EXPECT_THAT(session.err, HasSubstr("\"bad/name\": use up to 64 letters"));
}

TEST(GoodInput, TheLongestCommandRuns) {
    const Husk husk;
    std::string command = "echo in time; : ";
    command += std::string(longest_word - command.size(), 'x');
    EXPECT_EQ(husk({"run", "--", command}).out, "in time\n");
    const auto report = husk.report(command);
    EXPECT_EQ(report["command"], command);
    EXPECT_EQ(husk.shell(report["shell_id"])["command"], command);
}

TEST(GoodInput, ALargeEnvironmentReachesTheCommand) {
    const Husk husk;
    const Ran ran =
        husk.script("export BIG=$(printf '%0100000d' 0); $HUSK run --mode open -- 'echo ${#BIG}'");
    EXPECT_EQ(ran.out, "100000\n");
}

TEST(GoodInput, AnEmptyCommandDoesNothing) {
    const Husk husk;
    for (const char* command : {"", " ", "\n", "# only a comment"})
        EXPECT_EQ(husk({"run", "--", command}).code, 0) << command;
}

TEST(GoodInput, ACommandIsNeverTakenForAnOption) {
    const Husk husk;
    EXPECT_EQ(husk({"run", "--", "--help"}).code, 127);
    EXPECT_EQ(husk({"run", "--", "-c"}).code, 127);
}

// Through the library everything can be asked for.
class BadRequest : public testing::Test {
protected:
    void expect_not_started(const Request& request, const std::string& because,
                            const ToolContext& context = {}) {
        const Report report = bash.run(request, context);
        const auto* failed = std::get_if<NotStarted>(&report.ending);
        ASSERT_NE(failed, nullptr) << status_word(report.ending) << ", wanted: " << because;
        EXPECT_THAT(failed->cause.text(), HasSubstr(because));
        EXPECT_EQ(report.shell_id, "") << because;
        EXPECT_TRUE(listed(Shells(husk.settings())).empty()) << because;
        EXPECT_EQ(report.command, request.command);
    }

    Husk husk;
    Bash bash{husk.settings()};
};

TEST_F(BadRequest, IsNotStarted) {
    expect_not_started({.command = std::string("echo a\0b", 8)}, "NUL");
    expect_not_started({.command = std::string(3 << 20, 'x')}, "3145728 bytes");
    expect_not_started({.command = std::string(longest_word + 1, 'x')}, "131072 bytes");
    expect_not_started({.command = "true", .working_dir = "/no/such/directory"},
                       "/no/such/directory");
    expect_not_started({.command = "true", .working_dir = "/etc/passwd"}, "/etc/passwd");
    expect_not_started({.command = "true", .input = InputFile{"/no/such/file"}}, "/no/such/file");
    expect_not_started({.command = "true", .input = InputDescriptor{987}}, "987");
    expect_not_started({.command = "true", .env = {{"BIG", std::string(200'000, 'x')}}}, "131071");
    expect_not_started({.command = "true", .env = {{"NUL", std::string("a\0b", 3)}}}, "NUL");
    std::map<std::string, std::optional<std::string>> many;
    for (int i = 0; i < 9000; ++i) many["V" + std::to_string(i)] = "x";
    expect_not_started({.command = "true", .env = many}, "8192");
    expect_not_started({.command = "true"}, "session name", {.session = "no such name"});
    // And the tool is as good as new.
    EXPECT_EQ(bash.run({.command = "echo fine"}).output, "fine\n");
}

}  // namespace
}  // namespace husk::test
