#include "run/call.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>

#include "keeper/wire.h"
#include "os/process.h"
#include "os/procfs.h"
#include "os/socket.h"

namespace husk::run {
namespace {

// This process, for keepers to watch: a lifeline alone is held open by any child that the
// embedding program forks.
Result<int> own_pidfd() {
    static thread_local pid_t owner = 0;  // a child that was forked meanwhile is another caller
    static thread_local os::Fd own;
    if (owner != ::getpid()) {
        own = TRY(os::open_process(::getpid()));
        owner = ::getpid();
    }
    return own.get();
}

}  // namespace

Result<Call> Call::start(Session& session, const LaunchPlan& plan, const std::string& message,
                         Belongings belongings, CallFiles files) {
    auto [ours, theirs] = TRY(session.make_lifeline());
    std::vector<int> fds = {belongings.directory.get(), belongings.input.get(), files.record.get(),
                            theirs.get(), files.log.get()};
    if (plan.streams == Streams::Split) fds.push_back(files.error_log.get());
    if (!plan.background) fds.push_back(TRY(own_pidfd()));
    if (belongings.cgroup) {
        const CeilingFiles files_to_enter = files_of(*belongings.cgroup);
        fds.insert(fds.end(), files_to_enter.fds.begin(), files_to_enter.fds.end());
    }
    CHECK(session.send(message, fds));
    Call call;
    call.cgroup_ = std::move(belongings.cgroup);
    call.files_ = std::move(files);
    call.lifeline_ = std::move(ours);
    return call;
}

News Call::hear() const {
    News news = News::None;
    for (;;) {
        char word = 0;
        const ssize_t got = ::recv(lifeline_.get(), &word, 1, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return news;
        if (got <= 0) return news == News::None ? News::Dropped : news;
        if (word == wire::said_gone) return News::Gone;
        if (word == wire::said_ended) news = News::Ended;
        if (word == wire::said_background) news = News::Background;
        if (word == wire::said_started) news = News::Started;
    }
}

void Call::detach() const {
    const char word = wire::said_detach;
    ::send(lifeline_.get(), &word, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool Call::take_back() const {
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    // Whoever holds the lock has the plan. It is let go when the record is closed, and by then
    // the record tells a keeper that comes late to leave it alone.
    if (::fcntl(files_.record.get(), F_SETLK, &lock) != 0) return false;
    record::State state{};
    constexpr off_t at = offsetof(record::Record, state);
    if (::pread(files_.record.get(), &state, sizeof state, at) != sizeof state) return false;
    if (state != record::State::Prepared) return false;  // it has been and gone
    state = record::State::Abandoned;
    return ::pwrite(files_.record.get(), &state, sizeof state, at) == sizeof state;
}

pid_t keeper_of(const os::Fd& record) {
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    if (::fcntl(record.get(), F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return 0;
    return lock.l_pid;
}

std::optional<bool> has_signed(pid_t holder, const record::Record& page) {
    const auto signature = static_cast<pid_t>(page.keeper);
    if (holder == signature) return true;
    const pid_t inside = os::number_inside(holder);
    if (inside == 0) return std::nullopt;
    return inside == signature;
}

Result<void> stop(const os::Fd& file, const record::Record& page, record::Reason reason,
                  const StopLadder& ladder) {
    const pid_t keeper = keeper_of(file);
    if (keeper <= 0) return failure("stop", ESRCH, "it has no keeper any more");
    // One that has not signed yet may be whoever: the caller that made the plan tries again.
    if (page.state < record::State::Running || !has_signed(keeper, page).value_or(false))
        return failure("stop", EPERM, "its record is locked by a process that is not its keeper");
    const auto process = os::open_process(keeper);
    if (!process) return std::unexpected(process.error());
    // The number was the keeper's when we asked; is it still, now that we hold the process?
    if (keeper_of(file) != keeper) return failure("stop", ESRCH, "it has no keeper any more");
    const auto patience =
        static_cast<uint32_t>(std::clamp<int64_t>(ladder.patience.count(), 0, 0xffffff));
    return os::send_signal(*process, SIGTERM,
                           wire::stop_value(page.number, static_cast<uint32_t>(reason),
                                            static_cast<uint32_t>(ladder.signal), patience));
}

}  // namespace husk::run
