// A denial is reported if and only if the kernel refuses the call because of a wall. The kernel
// itself is asked: by the same call in a session without a witness.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

enum class Cause : uint8_t {
    None,     // no wall: no denial, whatever the error is
    Wall,     // the error of the kernel is that of a wall
    Another,  // the wall's error hides another one, which counts: nothing has this name, or it is
              // of another kind
};
using enum Cause;

struct Row {
    const char* attempt;  // W: the workspace, O: a directory outside of it
    Cause cause;
};

constexpr Row rows_of_both_modes[] = {
    {"mkdir O", None},
    {"mkdir O/dir/", None},
    {"mkdir O/file", None},
    {"mkdir O/link", None},
    {"mkdir O/dangling", None},
    {"mkdir /", None},
    {"mkdir O/.", None},
    {"mkdir O/no/such", None},
    {"mkdir O/file/x", None},
    {"mkdir O/loop/x", None},
    {"mkdir O/LONG", None},
    {"mkdir O/closed/x", None},
    {"mkdir O/new", Wall},
    {"mkdir O/new/", Wall},
    {"mkdir O/dir/../new", Wall},
    {"mkdir O/to-dir/new", Wall},
    {"mkdir /proc/self/root/O/new", Wall},
    {"mkdir /proc/self/root", None},
    {"mkdir /proc/thread-self/cwd", None},
    {"mknod O/file", None},
    {"mknod O/new", Wall},
    {"mkfifo O/new", Wall},
    {"symlink x O/file", None},
    {"symlink x O/new/", None},
    {"symlink x O/new", Wall},
    {"link O/no O/new", None},
    {"link O/file O/dir", None},
    {"link O/file O/new", Wall},
    {"open CREAT,EXCL,WRONLY O/file", None},
    {"open CREAT,EXCL,WRONLY O/dangling", None},
    {"open CREAT,EXCL,WRONLY O/new", Wall},
    {"open CREAT,WRONLY O/new", Wall},
    {"open CREAT,WRONLY O/new/", None},
    {"open CREAT,WRONLY O/dir", None},
    {"open CREAT,WRONLY O/dangling", Wall},
    {"open CREAT,WRONLY,NOFOLLOW O/dangling", None},
    {"open CREAT,WRONLY,NOFOLLOW O/link", None},
    {"open CREAT,RDONLY O/file", None},
    {"open CREAT,RDONLY O/new", Wall},
    {"open WRONLY O/file", Wall},
    {"open WRONLY O/link", Wall},
    {"open WRONLY,TRUNC O/file", Wall},
    {"open RDONLY,TRUNC O/file", Wall},
    {"open RDWR O/file", Wall},
    {"open RDWR,APPEND O/file", Wall},
    {"open RDWR O/new", None},
    {"open RDWR O/dir", None},
    {"open RDWR O/loop", None},
    {"open WRONLY O/file/", None},
    {"open WRONLY,DIRECTORY O/file", None},
    {"open WRONLY,PATH O/file", None},
    {"open NOTHING O/file", None},
    {"open WRONLY,TMPFILE O", Wall},
    {"open WRONLY,NONBLOCK O/fifo", None},
    {"open RDWR,NONBLOCK O/fifo", None},
    {"open WRONLY O/mine-readable", None},
    {"open RDONLY O/file", None},
    {"open WRONLY,CREAT /dev/stderr", None},
    {"open WRONLY,TRUNC,CREAT /dev/stdout", None},
    {"open WRONLY /dev/fd/1", None},
    {"open WRONLY /proc/self/fd/1", None},
    {"open WRONLY /proc/thread-self/fd/1", None},
    {"open RDWR /proc/self/fd/7", None},
    {"open RDWR /dev/null", None},
    {"open RDWR,CREAT,TRUNC /dev/zero", None},
    {"open RDWR /dev/ptmx", None},
    {"open RDWR /dev/tty", None},
    {"open RDWR /proc/self/exe", None},
    {"open WRONLY /proc/self/uid_map", Wall},
    {"open WRONLY,CREAT /dev/new", Wall},
    {"creat O/new", Wall},
    {"creat O/file", Wall},
    {"creat O/dir", None},
    {"rename O/no O/new", Another},
    {"rename O/file O/new", Wall},
    {"rename O/file O/file", Wall},
    {"rename-new O/file O/mine-readable", Another},
    {"exchange O/file O/no", Another},
    {"truncate O/file", Wall},
    {"truncate O/dir", None},
    {"truncate O/no", None},
    {"truncate O/link", Wall},
    {"truncate O/mine-readable", None},
    {"mkdir /tmp", None},
    {"mkdir /tmp/inside", None},
    {"open CREAT,WRONLY /tmp/new", None},
    {"open CREAT,WRONLY /dev/shm/new", None},
};

constexpr Row rows_of_workspace[] = {
    {"mkdir W/made", None},
    {"mkdir W/file", None},
    {"open CREAT,WRONLY,TRUNC W/file", None},
    {"open CREAT,WRONLY W/to-outside", Wall},
    {"open WRONLY W/.git/config", Wall},
    {"open RDONLY W/.git/config", None},
    {"mkdir W/.git/hooks/x", Wall},
    {"rename W/.git/fresh W/.git/config", Wall},
    {"rename-new W/.git/fresh W/.git/config", None},
    {"rename W/.git/objects W/.git/config", None},
    {"rename W/.git/config W/.git/x", Wall},
    {"rename W/.git/config W/x", None},
    {"rename W/.git W/x", Wall},
    {"rename W/no W/.git/config", None},
    {"rename W/.git/config W/.git/config", None},
    {"exchange W/.git/fresh W/.git/config", Wall},
    {"link W/file W/.git/config", None},
    {"rename W/file O/new", None},
    {"link W/file O/new", Wall},
    {"open WRONLY W/readable", None},
    {"exchange W/shut/a W/shut/b", None},
};

constexpr Row rows_of_read_only[] = {
    {"mkdir W/new", Wall},          {"open WRONLY W/file", Wall}, {"unlink O/no", Another},
    {"unlink O/dir", Another},      {"rmdir O/file", Another},    {"unlink O/file", Wall},
    {"unlink O/dangling", Wall},    {"unlink O/fifo", Wall},      {"rmdir O/dir", Wall},
    {"rmdir O/no", Another},        {"rmdir /", Another},         {"rmdir O", Another},
    {"chmod O/no", None},           {"chmod O/file", Wall},       {"chmod O/fifo", Wall},
    {"chmod O/dangling", None},     {"touch O/no", None},         {"touch O/dir", Wall},
    {"lchown O/dangling", Wall},    {"chmod /dev/null", Wall},    {"unlink /tmp/no", None},
    {"chmod /proc/self/exe", Wall},
};

class Truth : public testing::TestWithParam<Who>, protected Walled {
protected:
    Truth() : Walled(GetParam()) {
        write(work() / ".git" / "config", "");
        write(work() / ".git" / "hooks" / "one", "");
        write(work() / ".git" / "fresh", "");
        write(work() / ".git" / "objects" / "one", "");
        write(work() / "dir" / "file", "");
        write(work() / "readable", "");
        write(work() / "shut" / "a", "");
        write(work() / "shut" / "b", "");
        write_text(ground() / "file", "of somebody else\n");
        write_text(ground() / "mine-readable", "");
        fs::create_directory(ground() / "closed");
        fs::create_directory(ground() / "dir");
        fs::permissions(ground(), fs::perms{0755});
        fs::create_symlink("file", ground() / "link");
        fs::create_symlink("nowhere", ground() / "dangling");
        fs::create_symlink("loop", ground() / "loop");
        fs::create_symlink("dir", ground() / "to-dir");
        fs::create_symlink(ground() / "to-make", work() / "to-outside");
        ::mkfifo((ground() / "fifo").c_str(), 0600);
        for (const char* name : {"", "file", "mine-readable", "closed", "dir", "fifo", "link",
                                 "dangling", "loop", "to-dir"})
            EXPECT_EQ(::lchown((ground() / name).c_str(), uid(), uid()), 0);
        fs::permissions(ground() / "mine-readable", fs::perms{0444});
        fs::permissions(ground() / "closed", fs::perms{0});
        fs::permissions(work() / "readable", fs::perms{0444});
        fs::permissions(work() / "shut", fs::perms{0555});
        program_ = program_in(ground(), "attempt");
    }

    std::string command_of(const std::string& attempt) const {
        std::string command;
        for (size_t at = 0; at <= attempt.size();) {
            const size_t end = std::min(attempt.find(' ', at), attempt.size());
            std::string word = attempt.substr(at, end - at);
            at = end + 1;
            const size_t place = word.starts_with("/proc/self/root/O") ? 16 : 0;
            if (word.substr(place) == "O" || word.substr(place).starts_with("O/"))
                word.replace(place, 1, ground().string().substr(place == 0 ? 0 : 1));
            if (word == "W" || word.starts_with("W/")) word.replace(0, 1, work().string());
            if (const size_t name = word.find("LONG"); name != std::string::npos)
                word.replace(name, 4, std::string(300, 'x'));
            command += " '" + word + "'";
        }
        return "'" + program_ + "'" + command + " 7>'/tmp/seven'";
    }

    void compare(const char* mode, const Row& row) const {
        SCOPED_TRACE(std::string(mode) + ": " + row.attempt);
        const std::string command = command_of(row.attempt);
        const std::string session = std::string("--session=") + mode;
        const nlohmann::json bare =
            report_in(mode, command, {"--denials", "off", session + "-bare"});
        fs::remove(work() / "made");
        const nlohmann::json told = report_in(mode, command, {session + "-told"});
        const std::string error = bare["output"];
        const bool of_a_wall = error == "EROFS\n" || error == "EBUSY\n";
        // Root may write what the mode of a file forbids, but not in read-only, where it has no
        // capabilities: that is a wall, too.
        const std::string attempt = row.attempt;
        const bool depends = attempt.find("mine-readable") != std::string::npos ||
                             attempt.find("closed") != std::string::npos;
        if (depends && uid() == 0 && row.cause == None) {
            EXPECT_EQ(told["denials"].empty(), error != "EROFS\n" && error != "EACCES\n") << told;
            return;
        }
        EXPECT_EQ(told["output"], error) << told;
        if (row.cause != Another) {
            EXPECT_EQ(row.cause == Wall, of_a_wall) << error;
        }
        EXPECT_EQ(told["denials_total"], row.cause == Wall ? 1 : 0) << told;
    }

    const fs::path& ground() const { return ground_.path(); }

    // Outside of every private place: beside the program, which sessions see too.
    TempDir ground_{fs::path(HUSK_BINARY).parent_path()};
    std::string program_;
};

INSTANTIATE_TEST_SUITE_P(, Truth, both(), who_name);

TEST_P(Truth, ADenialIsWhatTheKernelRefusedBecauseOfAWallInWorkspace) {
    for (const Row& row : rows_of_both_modes) compare("workspace", row);
    for (const Row& row : rows_of_workspace) compare("workspace", row);
}

TEST_P(Truth, ADenialIsWhatTheKernelRefusedBecauseOfAWallInReadOnly) {
    for (const Row& row : rows_of_both_modes) compare("read-only", row);
    for (const Row& row : rows_of_read_only) compare("read-only", row);
}

// In scripts, as people write them.
TEST_P(Truth, NothingThatSucceedsIsADenial) {
    for (const char* command :
         {"mkdir -p /usr /tmp/a/b "
          "&& mkdir -p /tmp/a/b",
          "echo x >/dev/stderr", "echo x >/dev/stdout", "echo x >/dev/fd/1",
          "echo x >/proc/self/fd/1", "echo x | tee /dev/stderr", "exec 3>&1; echo x >/dev/fd/3",
          "echo x >/dev/tty || true", "rm -f /usr/no-such-file",
          "cd /tmp && mkdir -p a/b && mkdir -p a/b"})
        for (const char* mode : {"workspace", "read-only"}) {
            const nlohmann::json report = report_in(mode, command);
            SCOPED_TRACE(std::string(mode) + ": " + command + "\n" + report.dump());
            EXPECT_EQ(report["exit_code"], 0);
            EXPECT_THAT(report["denials"], IsEmpty());
        }
}

// The witness gives the error itself, so that nothing can come between its look and the call.
TEST_P(Truth, WhatIsMadeMeanwhileFromOutsideIsNoDenialThatSucceeds) {
    const fs::path made = ground() / "meanwhile";
    const std::string attempt = "'" + program_ + "' mkdir '" + made.string() + "'";
    const Mark mark;
    Live outsider(husk(), {"run", "--mode", "open", "--checks", "off", "--",
                           ": " + mark.word() + "; while :; do mkdir " + made.string() +
                               "; rmdir " + made.string() + "; done 2>/dev/null"});
    const nlohmann::json report =
        report_in("workspace", "for i in {1..300}; do " + attempt + "; done | sort | uniq -c");
    outsider.signal(SIGTERM);
    const std::string output = report["output"];
    const size_t refused = output.find(" EROFS");
    const int count = refused == std::string::npos
                          ? 0
                          : std::stoi(output.substr(output.rfind('\n', refused) + 1));
    // A name that the outsider removes just after the look is refused and not noted.
    EXPECT_GT(report["denials_total"], 0) << output;
    EXPECT_LE(report["denials_total"], count) << output;
}

}  // namespace
}  // namespace husk::test
