#include "run/session.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "keeper/wire.h"
#include "os/cgroup.h"
#include "os/events.h"
#include "os/file.h"
#include "os/process.h"
#include "os/procfs.h"
#include "os/socket.h"
#include "run/spool.h"

extern "C" {
extern const char husk_keeper_image_begin[];
extern const char husk_keeper_image_end[];
}

namespace husk::run {
namespace {

constexpr auto hello_patience = std::chrono::seconds(10);

// The keeper program travels inside this library: no path to find, no other version to meet.
Result<const os::Fd*> keeper_program() {
    static const Result<os::Fd> program =
        os::program_file({husk_keeper_image_begin,
                          static_cast<size_t>(husk_keeper_image_end - husk_keeper_image_begin)});
    if (!program) return std::unexpected(program.error());
    return &*program;
}

// Where this process may make cgroups: its own of version 2, if that was delegated to it.
os::Fd own_cgroup() {
    const std::vector<os::Cgroup> all = os::own_cgroups();
    const auto own = std::ranges::find(all, "", &os::Cgroup::controllers);
    if (own == all.end() || ::access(own->directory.c_str(), W_OK) != 0) return {};
    return os::open(own->directory, O_RDONLY | O_DIRECTORY).value_or(os::Fd());
}

Error explain(int code) {
    if (code == EAGAIN) return {"session", code, "another nursery holds it"};
    if (code == ENOSYS)
        return {
            "session", 0,
            "/proc does not list our children (no CONFIG_PROC_CHILDREN, or the /proc of another "
            "pid namespace); see husk doctor"};
    if (code == EPERM) return {"session", code, "it belongs to another user"};
    return {"session", code, "its nursery refused"};
}

}  // namespace

Result<std::unique_ptr<Session>> Session::make_private(const StateDir& state) {
    auto session = std::make_unique<Session>();
    session->dir_ = TRY(make_private_session(state));
    CHECK(session->start_nursery(std::chrono::milliseconds(0), nullptr));
    return session;
}

Result<std::unique_ptr<Session>> Session::join(const StateDir& state, const std::string& name,
                                               std::chrono::milliseconds linger) {
    for (;;) {
        auto session = std::make_unique<Session>();
        session->dir_ = TRY(find_or_make_session(state, name));
        // Held while one of us looks and starts; whoever comes next finds the nursery.
        const SessionDir& dir = *session->dir_;
        if (::flock(dir.dir.get(), LOCK_EX) != 0) return failure("flock", errno, dir.path.string());
        struct stat info{};
        const bool cleared_away = ::fstat(dir.dir.get(), &info) != 0 || info.st_nlink == 0;
        const Result<void> joined = cleared_away ? Result<void>() : session->join_nursery(linger);
        ::flock(dir.dir.get(), LOCK_UN);
        if (cleared_away) continue;
        CHECK(joined);
        return session;
    }
}

Result<void> Session::join_nursery(std::chrono::milliseconds linger) {
    const os::Clock::time_point give_up = os::Clock::now() + hello_patience;
    Result<void> joined = find_or_start_nursery(linger);
    // An old nursery that is just ending answers with one of these, or not at all.
    while (!joined && (joined.error().code == EAGAIN || joined.error().code == EBUSY) &&
           os::Clock::now() < give_up) {
        std::ignore = os::wait_for({}, os::Clock::now() + std::chrono::milliseconds(10));
        joined = find_or_start_nursery(linger);
    }
    return joined;
}

Result<void> Session::find_or_start_nursery(std::chrono::milliseconds linger) {
    if (auto connected = os::connect_at(dir_->dir, "control", SOCK_SEQPACKET); connected) {
        nursery_ = std::move(*connected);
        const Result<void> welcome = hear_hello();
        if (welcome || welcome.error().code != ECONNRESET) return welcome;
    }
    ::unlinkat(dir_->dir.get(), "control", 0);
    const os::Fd listener = TRY(os::listen_at(dir_->dir, "control", SOCK_SEQPACKET));
    return start_nursery(linger, &listener);
}

Result<void> Session::start_nursery(std::chrono::milliseconds linger, const os::Fd* listener) {
    const os::Fd* program = TRY(keeper_program());
    const os::Fd null = TRY(os::open("/dev/null", O_RDWR));
    auto [ours, theirs] = TRY(os::socket_pair(SOCK_SEQPACKET));
    const os::Fd cgroup = own_cgroup();
    wire::Birth birth{};
    birth.magic = wire::magic;
    birth.version = wire::version;
    birth.linger_ms = static_cast<uint64_t>(linger.count());
    birth.mount_namespace = os::own_namespace("mnt");
    birth.network_namespace = os::own_namespace("net");
    const std::string name = cgroup_name(dir_->id);
    std::memcpy(birth.cgroup, name.data(), std::min(name.size(), sizeof birth.cgroup - 1));
    std::vector<int> fds = {dir_->lock.get()};
    if (listener != nullptr) {
        birth.flags |= wire::HasListener;
        fds.push_back(listener->get());
    }
    if (cgroup) {
        birth.flags |= wire::HasCgroup;
        fds.push_back(cgroup.get());
    }
    const std::string_view message(reinterpret_cast<const char*>(&birth), sizeof birth);
    CHECK(os::send_message(ours, message, fds));
    CHECK(os::start_detached(*program, "husk-nursery", null, theirs));
    theirs.reset();
    nursery_ = std::move(ours);
    return hear_hello();
}

Result<void> Session::hear_hello() {
    pollfd wanted{nursery_.get(), POLLIN, 0};
    if (TRY(os::wait_for(std::span(&wanted, 1), os::Clock::now() + hello_patience)) == 0)
        return failure("session", ETIMEDOUT, "its nursery does not answer");
    os::Message message = TRY(os::receive_message(nursery_, sizeof(wire::Hello)));
    wire::Hello hello{};
    if (message.data.size() != sizeof hello)
        return failure("session", ECONNRESET, "its nursery ended before it could answer");
    std::memcpy(&hello, message.data.data(), sizeof hello);
    if (hello.magic != wire::magic || hello.version != wire::version)
        return failure("session", 0, "it was made by another version of Husk; use another name");
    if (hello.error != 0) return std::unexpected(explain(hello.error));
    if (hello.mount_namespace != os::own_namespace("mnt") ||
        hello.network_namespace != os::own_namespace("net"))
        return failure("session", 0, "it belongs to another container; use another name");
    if (message.fds.size() != 1) return failure("session", 0, "its nursery gave no queue");
    queue_ = std::move(message.fds[0]);
    return {};
}

bool Session::nursery_is_gone() const {
    pollfd wanted{nursery_.get(), POLLRDHUP, 0};
    return ::poll(&wanted, 1, 0) > 0;
}

Result<void> Session::send(std::string_view plan, std::span<const int> fds) const {
    return os::send_message(queue_, plan, fds);
}

Result<std::pair<os::Fd, os::Fd>> Session::make_lifeline() {
    {
        const std::lock_guard lock(ahead_guard_);
        if (lifeline_ahead_) return *std::exchange(lifeline_ahead_, std::nullopt);
    }
    return os::socket_pair(SOCK_SEQPACKET);
}

void Session::make_ahead() {
    make_files_ahead(*dir_);
    auto lifeline = os::socket_pair(SOCK_SEQPACKET);
    const std::lock_guard lock(ahead_guard_);
    if (lifeline && !lifeline_ahead_) lifeline_ahead_ = std::move(*lifeline);
}

}  // namespace husk::run
