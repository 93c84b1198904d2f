// What the processes of a session may change below /proc: a few things about each other, and
// nothing about the machine.
#include <gmock/gmock.h>

#include "walled.h"

namespace husk::test {
namespace {

using testing::IsEmpty;

class ProcessFiles : public Walled, public testing::TestWithParam<Who> {
protected:
    ProcessFiles() : Walled(GetParam()) {}

    nlohmann::json script(const std::string& mode, const std::string& text) const {
        return report_in(mode, "exec 2>/dev/null; " + text);
    }
};

INSTANTIATE_TEST_SUITE_P(, ProcessFiles, both(), who_name);

TEST_P(ProcessFiles, OfTheSessionCanBeWritten) {
    for (const char* mode : {"workspace", "read-only"}) {
        const nlohmann::json report = script(
            mode,
            "echo 500 >/proc/self/oom_score_adj; printf renamed >/proc/$$/comm;"
            "printf 7 >>/proc/$$/task/$$/comm; echo 0x33 >/proc/self/coredump_filter;"
            "sleep 60 & echo 600 >/proc/$!/oom_score_adj; cat /proc/$!/oom_score_adj; kill $!;"
            "cat /proc/$$/oom_score_adj /proc/$$/comm; cat /proc/$$/coredump_filter");
        EXPECT_EQ(report["output"], "600\n500\n7\n00000033\n") << report;
        EXPECT_THAT(report["denials"], IsEmpty()) << report;
    }
}

TEST_P(ProcessFiles, OfTheKeeperAndTheNurseryCannot) {
    const nlohmann::json report =
        script("workspace",
               "for p in 1 $PPID; do for f in oom_score_adj comm clear_refs coredump_filter "
               "timerslack_ns mem; "
               "do { echo 1 >/proc/$p/$f; } && echo $p $f; done; done; cat /proc/1/oom_score_adj");
    EXPECT_EQ(report["output"], "0\n") << report;
}

TEST_P(ProcessFiles, CanBeOpenedAsPlainFilesAre) {
    write(work() / "try.c", R"(
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int made = creat("/proc/self/comm", 0600), own = open("/proc/self/comm", O_RDWR | O_CLOEXEC);
    printf("%d %d %d\n", (int)write(made, "x", 1), fcntl(made, F_GETFD), fcntl(own, F_GETFD));
})");
    const nlohmann::json report = script("workspace", "gcc try.c -o try && ./try");
    EXPECT_EQ(report["output"], "1 0 1\n") << report;
    EXPECT_THAT(report["denials"], IsEmpty()) << report;
}

// Of another process, the tracer has to be the one who writes: the kernel has asked the walls then.
TEST_P(ProcessFiles, OfMemoryAreForTheProcessItselfAndItsTracer) {
    write(work() / "try.py", R"(
import ctypes, os, signal
text = ctypes.create_string_buffer(b"hello")
def write_to(process):
    try: return os.pwrite(os.open("/proc/%s/mem" % process, os.O_RDWR), b"J", ctypes.addressof(text))
    except OSError as error: return error.strerror
child = os.fork()
if child == 0: signal.pause()
print(write_to("self"), text.value, write_to(child))
libc = ctypes.CDLL(None)
seize = 0x4206
print(libc.ptrace(seize, child, None, None), write_to(child))
os.kill(child, signal.SIGKILL)
)");
    const nlohmann::json report = script("workspace", "PATH=/usr/bin:$PATH python3 try.py");
    EXPECT_EQ(report["output"], "1 b'Jello' Read-only file system\n0 1\n") << report;
    ASSERT_EQ(report["denials"].size(), 1U) << report;
    EXPECT_EQ(report["denials"][0]["operation"], "write");
}

TEST_P(ProcessFiles, DoNotLeadToSettingsOfTheMachine) {
    const nlohmann::json report =
        script("workspace",
               "for f in sys/kernel/core_pattern sysrq-trigger self/../sys/kernel/core_pattern "
               "self/uid_map self/setgroups self/attr/current 1/root/proc/sysrq-trigger; "
               "do { : >>/proc/$f; } && echo $f; done; ln -s /proc/sysrq-trigger comm; { : >>comm; "
               "} && echo l");
    EXPECT_EQ(report["output"], "") << report;
}

}  // namespace
}  // namespace husk::test
