// A limit that ends a process is named: in the answer, and for what a command left behind also
// later, by its shell.
#include <gmock/gmock.h>

#include <ostream>

#include "contract_calls.h"

namespace husk::test {
namespace {

using testing::HasSubstr;

struct Named {
    const char* name;
    const char* command;
    const char* limit = "";
    const char* note = "";
};

std::ostream& operator<<(std::ostream& out, const Named& one) { return out << one.name; }

std::string name_of(const testing::TestParamInfo<Named>& one) { return one.param.name; }

// The kernel's own limit of CPU time must not be the first stop: the shell would go on, as if
// nothing had happened.
class CpuLimit : public testing::TestWithParam<Named> {};

INSTANTIATE_TEST_SUITE_P(
    , CpuLimit,
    testing::Values(Named{"InAPipeline", "while :; do :; done | cat; echo rc=$?"},
                    Named{"InASubshell", "(while :; do :; done); echo after"},
                    Named{"OfAChild", "bash -c 'while :; do :; done'; echo after"},
                    Named{"AfterAPause", "sleep 2; (while :; do :; done); echo after"},
                    Named{"OfMain", "exec bash -c 'while :; do :; done'"}),
    name_of);

TEST_P(CpuLimit, IsNamedSoonAfterItIsPassed) {
    for (const Who who : {Who::Caller, Who::OrdinaryUser}) {
        const Husk husk(who);
        const auto report = husk.report(GetParam().command, {"--limit", "cpu=1s"});
        ASSERT_EQ(report["status"], "limit_exceeded") << report;
        EXPECT_EQ(report["limit"]["name"], "cpu") << report;
        EXPECT_EQ(report["limit"]["value"], 1000) << report;
        EXPECT_GT(report["limit"]["peak"], 1000) << report;
        EXPECT_LT(report["limit"]["peak"], 3000) << "the keeper looks before the kernel stops it";
        EXPECT_EQ(report["output"], "") << "nothing goes on: " << report;
    }
}

TEST(CpuLimitOfTheKernel, IsAboveTheLimitOfTheCall) {
    const Husk husk;
    const auto report = husk.report("ulimit -St; ulimit -Ht", {"--limit", "cpu=1500ms"});
    EXPECT_EQ(report["output"], "4\n9\n");
}

class LeftoverLimit : public testing::TestWithParam<Named> {};

INSTANTIATE_TEST_SUITE_P(
    , LeftoverLimit,
    testing::Values(Named{"Cpu", "(while :; do :; done) & echo left", "cpu=1s",
                          "Husk ended the processes that the command had left behind, at the cpu "
                          "limit of 1 s"},
                    Named{"CpuAfterAPause", "(sleep 2; while :; do :; done) & echo left", "cpu=1s",
                          "Husk ended the processes that the command had left behind, at the cpu "
                          "limit of 1 s"},
                    Named{"FileSize", "(sleep 1; exec head -c 3M /dev/zero > f) & echo left",
                          "file_size=1M",
                          "the kernel ended a process that the command had left behind, at the "
                          "file_size limit of 1 MiB"},
                    Named{"FileSizeOfAChild", "(sleep 1; head -c 3M /dev/zero > f) & echo left",
                          "file_size=1M",
                          "a process that the command had left behind exited 153, the code of "
                          "SIGXFSZ: a file may have reached the file_size limit"}),
    name_of);

TEST_P(LeftoverLimit, IsToldByTheShell) {
    for (const char* mode : {"open", "workspace"}) {
        const Husk husk;
        const std::filesystem::path work = husk.dir() / "work";
        std::filesystem::create_directory(work);
        const auto report = husk.report(
            GetParam().command, {"--mode", mode, "--cwd", work, "--limit", GetParam().limit});
        EXPECT_EQ(report["status"], "exited") << report;
        EXPECT_EQ(report["output"], "left\n") << report;
        const std::string id = report["shell_id"];
        const auto notes = [&] { return husk.shell(id)["notes"].dump(); };
        EXPECT_TRUE(eventually([&] { return notes().contains(GetParam().note); }, 20s)) << notes();
        EXPECT_EQ(husk.shell(id)["status"], "exited");
    }
}

TEST_P(LeftoverLimit, IsToldByBashOutput) {
    const Conversation limited("codegen", {"--limit", GetParam().limit});
    const Json started =
        limited.call("Bash", {{"command", GetParam().command}, {"description", "a test"}});
    EXPECT_EQ(text_of(started), "left\n");
    const std::string id = started["_meta"]["husk/shell_id"];
    const auto notes = [&] {
        return limited.call("BashOutput", {{"shell_id", id}})["_meta"]["husk/notes"].dump();
    };
    EXPECT_TRUE(eventually([&] { return notes().contains(GetParam().note); }, 20s)) << notes();
}

// A file is the affair of the process that wrote it.
TEST(LeftoverLimitInProcess, OfFileSizeEndsNothingElse) {
    const Husk husk;
    const Mark mark;
    const auto report = husk.report("cd " + husk.dir().string() + "; sleep " + mark.word() +
                                        " & (sleep 1; exec head -c 3M /dev/zero > f) & echo left",
                                    {"--limit", "file_size=1M"});
    const std::string id = report["shell_id"];
    ASSERT_TRUE(eventually([&] { return husk.shell(id)["notes"].size() == 1; }, 20s));
    EXPECT_EQ(mark.bearers().size(), 1U);
    EXPECT_EQ(husk({"kill", id}).code, 0);
}

// While they get their patience, they are not ended yet.
TEST(LeftoverLimitInProcess, IsToldWhileTheyAreBeingEnded) {
    const Husk husk;
    const auto report = husk.report("(trap '' TERM; sleep 1; while :; do :; done) & echo left",
                                    {"--limit", "cpu=300ms", "--patience", "3s"});
    const std::string id = report["shell_id"];
    const auto notes = [&] { return husk.shell(id)["notes"].dump(); };
    EXPECT_TRUE(eventually([&] { return notes().contains("Husk is ending the processes"); }, 20s));
    EXPECT_TRUE(eventually([&] { return notes().contains("Husk ended the processes"); }, 20s));
}

}  // namespace
}  // namespace husk::test
