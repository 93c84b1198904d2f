#include "collect/shell_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <tuple>

#include "os/procfs.h"

namespace husk::collect {
namespace {

// A shell whose record is this page, and whose session is nowhere.
ShellFiles files_with(const record::Record& page) {
    ShellFiles files;
    files.id = "k3f9-2";
    files.record = os::Fd(::memfd_create("record", MFD_CLOEXEC));
    files.log_path = "/nonexistent/log/2.log";
    EXPECT_EQ(::pwrite(files.record.get(), &page, sizeof page, 0), ssize_t{sizeof page});
    return files;
}

record::Record prepared() {
    record::Record page{};
    page.magic = record::magic;
    page.version = record::version;
    page.state = record::State::Prepared;
    std::strcpy(page.shell_id, "k3f9-2");
    os::boot_id().copy(page.boot_id, sizeof page.boot_id - 1);
    return page;
}

TEST(ShellFiles, ATextThatFillsItsFieldEndsThere) {
    record::Record page = prepared();
    // Without a NUL from the ids to the end of the record.
    std::memset(page.boot_id, 'x', sizeof page - offsetof(record::Record, boot_id));
    ShellFiles files = files_with(page);
    files.id = std::string(sizeof page.shell_id, 'x');
    const auto seen = look(files);
    ASSERT_TRUE(seen) << seen.error().text();
    EXPECT_TRUE(std::holds_alternative<Lost>(seen->ending));
}

TEST(ShellFiles, ARecordFromAnImpossibleTimeIsNotBeingStarted) {
    record::Record page = prepared();
    for (const uint64_t created : {uint64_t{1} << 63, ~uint64_t{0}, uint64_t{0}}) {
        page.created = created;
        const auto seen = look(files_with(page));
        ASSERT_TRUE(seen) << seen.error().text();
        EXPECT_TRUE(std::holds_alternative<Lost>(seen->ending)) << created;
    }
}

// Takes the record as a keeper does, and says after a moment that SIGKILL ended the command.
[[noreturn]] void keep_for(std::chrono::microseconds moment, int record, record::Record page) {
    struct flock lock{};
    lock.l_type = F_WRLCK;
    if (::fcntl(record, F_SETLK, &lock) != 0) ::_exit(1);
    page.keeper = static_cast<uint32_t>(::getpid());  // its number inside
    page.flags |= record::Enrolled;
    page.state = record::State::Running;
    std::ignore = ::pwrite(record, &page, sizeof page, 0);
    const auto end = std::chrono::steady_clock::now() + moment;
    while (std::chrono::steady_clock::now() < end) {
    }
    page.wait_status = SIGKILL;
    page.state = record::State::Gone;
    std::ignore = ::pwrite(record, &page, sizeof page, 0);
    ::_exit(0);
}

// Starts such a keeper in a PID namespace of its own: its number there is not the one that the
// lock names.
pid_t start_keeper(std::chrono::microseconds moment, int record, const record::Record& page) {
    const pid_t session = ::fork();
    if (session != 0) return session;
    if (::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) ::_exit(2);
    const pid_t keeper = ::fork();
    if (keeper == 0) keep_for(moment, record, page);
    int status = 0;
    ::waitpid(keeper, &status, 0);
    ::_exit(WEXITSTATUS(status));
}

// A keeper may publish the ending and let go of the lock at any moment of the look.
TEST(ShellFiles, AnEndingIsNotLostBecauseTheKeeperLetsGoDuringTheLook) {
    for (int round = 0; round < 600; ++round) {
        record::Record page = prepared();
        // The rounds together may take longer than a plan may wait for its keeper.
        page.created = static_cast<uint64_t>(
            std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
        const ShellFiles files = files_with(page);
        const pid_t keeper =
            start_keeper(std::chrono::microseconds(round / 2), files.record.get(), page);
        for (;;) {
            const auto seen = look(files);
            ASSERT_TRUE(seen) << seen.error().text();
            if (std::holds_alternative<Running>(seen->ending)) continue;
            ASSERT_TRUE(std::holds_alternative<Signaled>(seen->ending)) << "round " << round;
            break;
        }
        int status = 0;
        ASSERT_EQ(::waitpid(keeper, &status, 0), keeper);
        ASSERT_EQ(status, 0);
    }
}

}  // namespace
}  // namespace husk::collect
