// What a command gets as its standard input: its bytes, and no way to the file or the terminal that
// they come from.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

#include "at_a_terminal.h"
#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* closed_modes[] = {"read-only", "workspace"};

// Tries all that can be done to a file through a descriptor of it.
constexpr const char* meddle = R"(python3 -c '
import fcntl, os
def attempt(name, change):
    try:
        change()
        print(name, "done")
    except OSError as error:
        print(name, error.strerror)
attempt("fchmod", lambda: os.fchmod(0, 0o777))
attempt("fchown", lambda: os.fchown(0, os.getuid(), os.getgid()))
attempt("futimens", lambda: os.utime(0, (1, 1)))
attempt("fsetxattr", lambda: os.setxattr(0, "user.husk", b"x"))
attempt("ftruncate", lambda: os.ftruncate(0, 0))
attempt("flock", lambda: fcntl.flock(0, fcntl.LOCK_EX | fcntl.LOCK_NB))
attempt("reopen", lambda: os.write(os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK), b"x"))
attempt("chmod", lambda: os.chmod("/proc/self/fd/0", 0o777))
attempt("utime", lambda: os.utime("/proc/self/fd/0", (1, 1)))
')";

struct Seen {
    mode_t mode;
    uid_t owner;
    time_t changed;
    time_t status_changed;
    std::string text;
    ssize_t attribute;

    bool operator==(const Seen&) const = default;
};

Seen look_at(const fs::path& path) {
    struct stat info{};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    const bool is_file = S_ISREG(info.st_mode);
    return {info.st_mode,
            info.st_uid,
            info.st_mtime,
            info.st_ctime,
            is_file ? read_text(path) : "",
            ::getxattr(path.c_str(), "user.husk", nullptr, 0)};
}

class StandardInput : public testing::TestWithParam<Who>, protected Walled {
protected:
    StandardInput() : Walled(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(, StandardInput, both(), who_name);

TEST_P(StandardInput, AFileCannotBeChangedThroughIt) {
    for (const fs::path& dir : {outside(), work()}) {
        const fs::path file = dir / "given";
        write(file, "of the user\n");
        fs::permissions(file, static_cast<fs::perms>(0640));
        const Seen before = look_at(file);
        for (const char* mode : closed_modes) {
            for (const char* machine : {"", "landlock=2", "landlock=no", "mountns=no"}) {
                const std::vector<std::string> given = {"--stdin", file.string()};
                const Ran ran = *machine == '\0' ? in(mode, meddle, given)
                                                 : pretending(machine, mode, meddle, given);
                EXPECT_TRUE(look_at(file) == before) << mode << " " << machine << ran.out;
            }
        }
    }
}

TEST_P(StandardInput, AFileThatIsRedirectedCannotBeChangedEither) {
    const fs::path file = outside() / "given";
    write(file, "of the user\n");
    const Seen before = look_at(file);
    for (const char* mode : closed_modes) {
        const Ran ran = husk().script(
            "cd " + work().string() + "\n\"$HUSK\" run --checks off --mode " + mode +
            " --stdin - -- " + "'" + "cat; chmod 777 /dev/stdin" + "' < " + file.string());
        EXPECT_THAT(ran.out, HasSubstr("of the user\n")) << ran.err;
        EXPECT_TRUE(look_at(file) == before) << mode;
    }
}

// It is one file for the whole machine.
TEST_P(StandardInput, NorCanTheNullDevice) {
    struct stat before{};
    ASSERT_EQ(::stat("/dev/null", &before), 0);
    for (const char* mode : closed_modes) {
        const Ran ran = in(mode, R"(python3 -c '
import os
for name, change in (("fchmod", lambda: os.fchmod(0, 0o666)), ("futimens", lambda: os.utime(0))):
    try:
        change()
        print(name, "done")
    except OSError as error:
        print(name, "refused")
'; readlink /proc/self/fd/0)");
        EXPECT_EQ(ran.out, "fchmod refused\nfutimens refused\n/dev/null\n") << mode << ran.err;
    }
}

// As a command could have planted it: what it leads to is not the workspace's.
TEST_P(StandardInput, NoLinkLeadsOutOfTheWorkspace) {
    write(home() / ".ssh" / "id", "the key\n");
    write(work() / "plain", "of the workspace\n");
    for (const char* command :
         {"ln -s ~/.ssh/id link; ln -s ~/.ssh dir; ln -s plain inside", "true"}) {
        ASSERT_EQ(in("workspace", command).code, 0);
        for (const char* mode : closed_modes) {
            for (const fs::path& path : {work() / "link", work() / "dir" / "id"})
                EXPECT_THAT(in(mode, "cat", {"--stdin", path}).err,
                            HasSubstr("leads through a link to " + home().string()))
                    << mode << path;
            EXPECT_EQ(in(mode, "cat", {"--stdin", work() / "inside"}).out, "of the workspace\n");
        }
    }
    EXPECT_EQ(in("workspace", "cat", {"--stdin", home() / ".ssh" / "id"}).out, "the key\n");
}

TEST_P(StandardInput, AFifoIsNotWaitedFor) {
    ASSERT_EQ(in("workspace", "mkfifo fifo").code, 0);
    for (const char* mode : {"workspace", "read-only", "open"})
        EXPECT_THAT(in(mode, "cat", {"--stdin", work() / "fifo"}).err, HasSubstr("it is a FIFO"));
}

TEST_P(StandardInput, ALargeFileComesWhole) {
    const fs::path file = outside() / "large";
    write(file, "");
    fs::resize_file(file, 200 << 20);
    for (const char* mode : closed_modes)
        EXPECT_EQ(in(mode, "wc -c", {"--stdin", file.string()}).out, "209715200\n") << mode;
}

TEST_P(StandardInput, ACommandNeedNotReadIt) {
    const fs::path file = outside() / "large";
    write(file, "");
    fs::resize_file(file, 1 << 20);
    for (const char* mode : closed_modes) {
        EXPECT_EQ(in(mode, "echo ran", {"--stdin", file.string()}).out, "ran\n");
        EXPECT_EQ(in(mode, "head -c 3 | wc -c", {"--stdin", file.string()}).out, "3\n");
        EXPECT_EQ(in(mode, "exec <&-; sleep 0.1; echo ran", {"--stdin", file.string()}).out,
                  "ran\n");
    }
}

TEST_P(StandardInput, ABackgroundCommandReadsAFileToItsEnd) {
    const fs::path file = outside() / "large";
    write(file, "");
    fs::resize_file(file, 10 << 20);
    const Ran started = in("workspace", "sleep 0.5; wc -c", {"--background", "--stdin", file});
    const std::string id = lines_of(started.out).at(0);
    EXPECT_THAT(husk()({"wait", id}).out, HasSubstr("10485760\n"));
}

TEST_P(StandardInput, OtherKindsOfFilesWorkToo) {
    const Ran zero = in("workspace", "head -c 5 | od -An -c", {"--stdin", "/dev/zero"});
    EXPECT_THAT(zero.out, HasSubstr(R"(\0  \0  \0  \0  \0)")) << zero.err;
    const Ran pipe = husk().script("cd " + work().string() +
                                   "\n\"$HUSK\" run --checks off --mode workspace --stdin <(echo "
                                   "through a pipe) -- cat");
    EXPECT_EQ(pipe.out, "through a pipe\n") << pipe.err;
    EXPECT_EQ(in("workspace", "cat", {"--stdin-text", "a text"}).out, "a text");
}

TEST_P(StandardInput, WhatIsTypedReachesTheCommand) {
    for (const char* mode : {"workspace", "open"}) {
        AtATerminal terminal(husk(), {"run", "--checks", "off", "--mode", mode, "--cwd", work(),
                                      "--stdin", "-", "--", "read -r line; echo got $line; cat"});
        terminal.type("first\n");
        EXPECT_TRUE(terminal.shows("got first")) << mode << terminal.shown();
        terminal.type("second\n\x04");
        EXPECT_EQ(terminal.end(), 0) << mode;
    }
}

TEST_P(StandardInput, ATerminalIsNeverGivenToACommand) {
    for (const char* mode : {"read-only", "workspace", "open"}) {
        AtATerminal terminal(
            husk(),
            {"run", "--checks", "off", "--mode", mode, "--cwd", work(), "--stdin", "-", "--",
             "for fd in 0 1 2; do test -t $fd && echo terminal $fd; done; stty -echo; "
             "readlink /proc/self/fd/0; echo end"});
        EXPECT_TRUE(terminal.shows("end")) << mode;
        EXPECT_EQ(terminal.end(), 0);
        EXPECT_THAT(terminal.shown(), HasSubstr("pipe:"));
        EXPECT_FALSE(terminal.shown().contains("terminal")) << mode << terminal.shown();
        EXPECT_TRUE(terminal.has_settings(ECHO)) << mode;
    }
}

TEST_P(StandardInput, WhatIsTypedLaterIsNotForLeftovers) {
    const Mark mark;
    for (const char* mode : {"workspace", "open"}) {
        const fs::path typed = work() / ("typed-" + std::string(mode));
        AtATerminal terminal(
            husk(),
            {"run", "--checks", "off", "--mode", mode, "--cwd", work(), "--stdin", "-", "--",
             "(exec -a " + mark.word() + " cat > " + typed.string() + ") <&0 & echo started"});
        EXPECT_TRUE(terminal.shows("started"));
        EXPECT_EQ(terminal.end(), 0);
        terminal.type("secret\n");
        // The pipe is closed, so whoever reads it comes to its end.
        EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); })) << mode;
        EXPECT_EQ(read_text(typed), "") << mode;
    }
}

}  // namespace
}  // namespace husk::test
