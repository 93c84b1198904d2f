#include "run/session.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "confine/located.h"
#include "confine/view.h"
#include "confine/withheld.h"
#include "keeper/wire.h"
#include "os/cgroup.h"
#include "os/events.h"
#include "os/file.h"
#include "os/process.h"
#include "os/procfs.h"
#include "os/socket.h"
#include "run/call.h"
#include "run/published.h"
#include "run/spool.h"

extern "C" {
extern const char husk_keeper_image_begin[];
extern const char husk_keeper_image_end[];
}

namespace husk::run {
namespace {

constexpr auto hello_patience = std::chrono::seconds(10);
constexpr auto mason_patience = std::chrono::seconds(30);
constexpr const char* walls_file = "walls";
// When nothing was left of a call, for the mason: sentry.h.
constexpr const char* settled_file = "settled";
// Start lines of it, behind what was asked for.
constexpr std::string_view holds = "\nroot ";
constexpr std::string_view lacks = "\nlacks ";

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

// A session has the workspace that it was made with; a call may start anywhere, unless it must not
// get at another one.
std::string without_workspace(std::string text) {
    const size_t at = text.find("\nworkspace ");
    if (at != std::string::npos) text.erase(at, text.find('\n', at + 1) - at);
    return text;
}

// "64769:1234 ": the device and inode of a root, as it was when the session was made.
std::string object_at(const confine::Wanted& wanted, const std::filesystem::path& root) {
    const wire::Identity identity = wanted.identity_of(root);
    return std::to_string(identity.device) + ":" + std::to_string(identity.inode) + " ";
}

// Until nobody holds the lock of this log, or patience is over.
void await_lock(const os::Fd& log) {
    const os::Clock::time_point give_up = os::Clock::now() + hello_patience;
    while (::flock(log.get(), LOCK_EX | LOCK_NB) != 0 && os::Clock::now() < give_up)
        std::ignore = os::wait_for({}, os::Clock::now() + std::chrono::milliseconds(2));
}

// The steps as a file for the nursery or the mason, neither of which takes a larger one.
Result<os::Fd> description_of(const confine::Steps& steps) {
    const std::string text = steps.encode();
    if (text.size() <= wire::max_walls) return os::text_file(text);
    return failure("walls", E2BIG,
                   "too many names are protected or withheld, or they lie too deep: the steps "
                   "that hold them have " +
                       std::to_string(text.size()) + " bytes, and " +
                       std::to_string(wire::max_walls) +
                       " are possible; take a smaller workspace, or protect whole directories");
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

Session::Session(std::unique_ptr<SessionDir> dir, const StateDir& state, confine::Wanted wanted)
    : dir_(std::move(dir)), wanted_(std::move(wanted)) {
    wanted_.state = state.path();
    wanted_.logs = dir_->path / "log";
    wanted_.root = ::geteuid() == 0;
    wanted_.scratch_dir = dir_->path / "scratch";
    wanted_.machine = confine::Machine::assumed();
    exact_ = closed() || !wanted_.protect.empty() ? confine::resolved(wanted_) : wanted_;
}

Result<std::unique_ptr<Session>> Session::make_private(const StateDir& state,
                                                       std::chrono::milliseconds linger,
                                                       const confine::Wanted& wanted) {
    auto dir = TRY(make_private_session(state));
    std::unique_ptr<Session> session(new Session(std::move(dir), state, wanted));
    CHECK(session->start_nursery({.empty = {}, .with_leftovers = linger}, nullptr));
    return session;
}

Result<std::unique_ptr<Session>> Session::join(const StateDir& state, const std::string& name,
                                               std::chrono::milliseconds linger,
                                               const confine::Wanted& wanted) {
    for (;;) {
        auto found = TRY(find_or_make_session(state, name));
        std::unique_ptr<Session> session(new Session(std::move(found), state, wanted));
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
        if (welcome) {
            CHECK(check_walls());
            return can_watch() ? open_settled() : Result<void>();
        }
        if (welcome.error().code != ECONNRESET) return welcome;
    }
    ::unlinkat(dir_->dir.get(), "control", 0);
    const os::Fd listener = TRY(os::listen_at(dir_->dir, "control", SOCK_SEQPACKET));
    return start_nursery({.empty = linger, .with_leftovers = linger}, &listener);
}

// What this user may do here shows when it is done: when a step fails that the mode can be without,
// it is built without. Where it cannot, or may not, planning says so.
Result<void> Session::start_nursery(const Lingers& lingers, const os::Fd* listener) {
    const os::Clock::time_point begun = os::Clock::now();
    std::string cause;
    // A file that somebody replaces between planning and building is looked at again.
    int attempts_left = 3;
    for (;;) {
        auto planned = confine::plan_walls(exact_);
        if (!planned && !cause.empty()) planned.error().detail += " (" + cause + ")";
        walls_ = TRY(std::move(planned));
        if (closed() && !exact_.machine.mount_namespace) CHECK(make_scratch());
        const Result<void> started = start_as_planned(lingers, listener);
        secrets_ = walls_.secrets;
        if (started) built_in_ = os::Clock::now() - begun;
        if (!started && failed_step_ != 0 && started.error().code == ESTALE && --attempts_left > 0)
            continue;
        if (started || !exact_.machine.take_away(walls_.mechanism_of(failed_step_))) return started;
        cause = Error{started.error().step, started.error().code, ""}.text();
    }
}

Result<void> Session::make_scratch() const {
    for (const auto& path :
         {exact_.scratch_dir, exact_.scratch_dir / "home", exact_.scratch_dir / "tmp"})
        CHECK(os::make_directory(path));
    return {};
}

// For those that join it.
Result<void> Session::write_down_walls() const {
    const os::Fd file = TRY(os::open_at(dir_->dir, walls_file, O_WRONLY | O_CREAT | O_TRUNC, 0600));
    std::string text = wanted_.fingerprint();
    text.pop_back();
    for (const auto& root : confine::held_roots(exact_))
        text.append(holds) += object_at(exact_, root) + root.string();
    for (const std::string& lacking : exact_.machine.lacks()) text.append(lacks) += lacking;
    return os::write_all(file.get(), text);
}

Result<void> Session::start_as_planned(const Lingers& lingers, const os::Fd* listener) {
    failed_step_ = 0;
    const os::Fd* program = TRY(keeper_program());
    const os::Fd null = TRY(os::open("/dev/null", O_RDWR));
    std::vector<os::Fd> published;
    if (publishes(exact_)) published = TRY(listen_for(exact_));
    auto [ours, theirs] = TRY(os::socket_pair(SOCK_SEQPACKET));
    const os::Fd cgroup = own_cgroup();
    wire::Birth birth{};
    birth.magic = wire::magic;
    birth.version = wire::version;
    birth.linger_ms = static_cast<uint64_t>(lingers.empty.count());
    birth.leftovers_linger_ms = static_cast<uint64_t>(lingers.with_leftovers.count());
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
    os::Fd walls;
    if (walls_.steps.size() > 0) {
        birth.flags |= wire::HasWalls;
        walls = TRY(description_of(walls_.steps));
        fds.push_back(walls.get());
    }
    os::Fd denials;
    if (confine::has_witness(exact_)) {
        birth.flags |= wire::HasDenials;
        denials = TRY(open_denials());
        CHECK(open_settled());
        // The clock in it may have been that of another start of the machine.
        if (::ftruncate(settled_.get(), 0) != 0) return failure("ftruncate", errno, settled_file);
        fds.push_back(denials.get());
        fds.push_back(settled_.get());
    }
    if (listener != nullptr) CHECK(write_down_walls());
    const std::string_view message(reinterpret_cast<const char*>(&birth), sizeof birth);
    CHECK(os::send_message(ours, message, fds));
    CHECK(os::start_detached(*program, "husk-nursery", null, theirs));
    theirs.reset();
    nursery_ = std::move(ours);
    CHECK(hear_hello());
    // The proxy of a nursery before this one ends soon, and must not be taken for ours.
    if (!ways_out_.empty() || !published.empty()) await_lock(TRY(open_denials()));
    return restore_proxy(std::move(published));
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
    failed_step_ = hello.wall_step;
    if (hello.wall_step != 0) return std::unexpected(walls_.explain(hello.wall_step, hello.error));
    if (hello.error != 0) return std::unexpected(explain(hello.error));
    if (hello.mount_namespace != os::own_namespace("mnt") ||
        hello.network_namespace != os::own_namespace("net"))
        return failure("session", 0, "it belongs to another container; use another name");
    if (message.fds.empty()) return failure("session", 0, "its nursery gave no queue");
    queue_ = std::move(message.fds[0]);
    if (message.fds.size() > 1) mason_ = std::move(message.fds[1]);
    ways_out_.clear();
    for (size_t i = 2; i < message.fds.size(); ++i) ways_out_.push_back(std::move(message.fds[i]));
    if (is_ending()) return failure("session", EBUSY, "its mason is gone");
    return {};
}

std::shared_ptr<const confine::Protected> Session::protection() const {
    const std::lock_guard lock(ahead_guard_);
    return protection_;
}

// A secret in a root is covered by a mount, which goes when the file is replaced from outside.
Result<void> Session::withhold_secrets() {
    if (!closed() || !mason_ || !exact_.machine.mount_namespace) return {};
    const std::lock_guard lock(ahead_guard_);
    if (!secrets_)
        secrets_ = confine::secrets_in_roots(
            exact_, confine::withheld_secrets(exact_, TRY(confine::mounted_trees_now())));
    confine::Steps steps;
    confine::cover(exact_, *secrets_, confine::Covering::Renewed, steps);
    return steps.size() == 0 ? Result<void>() : have_taken(steps);
}

Result<void> Session::restore_protection() {
    CHECK(withhold_secrets());
    const bool open = wanted_.mode == Mode::Open;
    if (exact_.mode == Mode::ReadOnly || (open && wanted_.protect.empty())) return {};
    const auto known = protection();
    if (known && confine::is_still_so(*known)) return {};
    auto now = std::make_shared<const confine::Protected>(
        TRY(confine::find_protected(exact_, known.get())));
    const std::lock_guard lock(ahead_guard_);
    confine::Steps steps;
    if (!protection_ || !confine::holds_the_same(*protection_, *now))
        confine::add_protection(exact_, now->names, steps);
    if (steps.size() != 0 && mason_ && exact_.machine.mount_namespace) CHECK(have_taken(steps));
    protection_ = std::move(now);
    return watch_absent();
}

Result<void> Session::watch_absent() {
    if (!can_watch()) return {};
    auto orders =
        confine::orders_about(protection_->names, confine::held_roots(exact_), wire::Watch);
    unwatched_ = TRY(carry_out(orders));
    return {};
}

Result<void> Session::have_taken(const confine::Steps& steps) {
    const os::Fd description = TRY(description_of(steps));
    const wire::MasonAnswer said = TRY(ask_mason("?", description));
    if (said.step != 0) {
        return failure(
            "walls: " + steps.all()[said.step - 1].name, said.error,
            "a file that is protected or withheld has changed, and this could not be renewed");
    }
    return {};
}

Result<wire::MasonAnswer> Session::ask_mason(std::string_view order, const os::Fd& file) const {
    auto [ours, theirs] = TRY(os::socket_pair(SOCK_SEQPACKET));
    CHECK(os::send_message(mason_, order, std::array{file.get(), theirs.get()}));
    theirs.reset();
    pollfd wanted{ours.get(), POLLIN, 0};
    if (TRY(os::wait_for(std::span(&wanted, 1), os::Clock::now() + mason_patience)) == 0)
        return failure("walls", ETIMEDOUT, "the session's mason does not answer");
    const os::Message answer = TRY(os::receive_message(ours, sizeof(wire::MasonAnswer)));
    wire::MasonAnswer said{};
    if (answer.data.size() != sizeof said)
        return failure("walls", ECONNRESET, "the session's mason is gone");
    std::memcpy(&said, answer.data.data(), sizeof said);
    return said;
}

bool Session::can_watch() const {
    return mason_ && exact_.mode == Mode::Workspace && confine::has_witness(exact_);
}

Result<int> Session::carry_out(std::span<confine::Order> orders) const {
    if (orders.empty()) return 0;
    if (!mason_) return failure("session", 0, "it has no mason");
    const std::string text = confine::encode_orders(orders, confine::held_roots(exact_));
    const bool are_sent = std::ranges::all_of(orders, [](const confine::Order& order) {
        return order.at || (order.flags & wire::Watch) == 0;
    });
    if (text.empty()) return are_sent ? 0 : E2BIG;
    const os::Fd file = TRY(os::text_file(text));
    const wire::MasonAnswer said = TRY(ask_mason("!", file));
    confine::read_results(TRY(os::read_at(file, 0, text.size())), orders);
    return are_sent ? said.error : E2BIG;
}

// What is protected belongs to the session, not to the directory that a call starts in: the roots
// are those that the session was made with.
// They are also the same objects: a directory that has come in the place of one is not in the
// session.
Result<void> Session::take_roots(std::string& standing) {
    std::vector<std::filesystem::path> roots;
    std::vector<std::string> objects;
    for (size_t at = 0; (at = standing.rfind(holds)) != std::string::npos; standing.resize(at)) {
        const std::string line = standing.substr(at + holds.size());
        const size_t path = line.find(' ') + 1;
        roots.insert(roots.begin(), line.substr(path));
        objects.insert(objects.begin(), line.substr(0, path));
    }
    if (exact_.mode != Mode::Workspace || roots.size() < 1 + exact_.writable.size()) return {};
    for (size_t i = 0; i < roots.size(); ++i) {
        const auto now = confine::seen_at(roots[i]);
        exact_.identities[roots[i]] = now.value_or(confine::identity_of_nothing());
        if (object_at(exact_, roots[i]) != objects[i])
            return failure("session", 0,
                           roots[i].string() + " is another directory than it was when " +
                               dir_->name + " was made; use another name");
    }
    const auto first_git_dir = roots.begin() + 1 + std::ssize(exact_.writable);
    exact_.workspace = roots.front();
    exact_.writable.assign(roots.begin() + 1, first_git_dir);
    exact_.git_dirs.assign(first_git_dir, roots.end());
    return {};
}

// A session cannot change its walls, and a call must not get others than it asked for.
Result<void> Session::check_walls() {
    if (exact_.refused) return std::unexpected(*exact_.refused);
    const os::Fd file = TRY(os::open_at(dir_->dir, walls_file, O_RDONLY));
    constexpr size_t longest = 1 << 20;
    std::string standing = TRY(os::read_at(file, 0, longest));
    for (size_t at = 0; (at = standing.rfind(lacks)) != std::string::npos; standing.resize(at))
        exact_.machine.take_away(standing.substr(at + lacks.size()));
    CHECK(take_roots(standing));
    standing += '\n';
    const std::string asked = wanted_.fingerprint();
    const bool alike = without_workspace(standing) == without_workspace(asked);
    if (alike && wanted_.same_workspace && standing != asked)
        return failure("session", 0,
                       dir_->name + " belongs to another workspace; use another name");
    if (alike) {
        walls_.standing = confine::standing(exact_);
        return {};
    }
    return failure("session", 0,
                   dir_->name + " stands with other walls (" +
                       standing.substr(0, standing.find('\n')) +
                       "); ask for the same mode, network and roots, or use another name");
}

Result<os::Fd> Session::open_denials() const {
    return os::open_at(dir_->dir, denials_file, O_WRONLY | O_CREAT | O_APPEND, S_IRUSR | S_IWUSR);
}

Result<void> Session::open_settled() {
    settled_ = TRY(os::open_at(dir_->dir, settled_file, O_RDWR | O_CREAT, S_IRUSR | S_IWUSR));
    return {};
}

void Session::note_settled(os::Clock::time_point when) const {
    if (!settled_) return;
    const auto time =
        static_cast<uint64_t>(std::chrono::nanoseconds(when.time_since_epoch()).count());
    std::ignore = ::pwrite(settled_.get(), &time, sizeof time, 0);
}

bool Session::is_ending() const {
    // poll passes over a descriptor of -1
    pollfd wanted[] = {{nursery_.get(), POLLRDHUP, 0}, {mason_.get(), POLLRDHUP, 0}};
    return ::poll(wanted, std::size(wanted), 0) > 0 || keeper_of(dir_->lock) == 0;
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
