#include "collect/shell_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>

#include "os/events.h"
#include "os/file.h"
#include "os/procfs.h"
#include "os/shortage.h"
#include "run/call.h"
#include "run/limit_name.h"

namespace husk::collect {
namespace {

using record::Reason;
using record::State;

constexpr auto nursery_patience = std::chrono::seconds(5);
constexpr auto look_again = std::chrono::milliseconds(10);

const char* name_of(record::Step step) {
    switch (step) {
        case record::Step::None: return "start";
        case record::Step::ReadPlan: return "read the plan";
        case record::Step::MakePipe: return "pipe2";
        case record::Step::OpenInput: return "standard input";
        case record::Step::Fork: return "fork";
        case record::Step::NewSession: return "setsid";
        case record::Step::WireDescriptors: return "dup3";
        case record::Step::EnterDirectory: return "enter the working directory";
        case record::Step::SetLimits: return "set the limits";
        case record::Step::Execute: return "execute";
    }
    return "start";
}

Ending kernel_word(int status) {
    if (WIFEXITED(status)) return Exited{WEXITSTATUS(status)};
    if (WIFSIGNALED(status)) return Signaled{WTERMSIG(status)};
    return Cancelled{"it was asked to end, and could not be killed"};
}

// A text that fills its field has no NUL.
template <size_t size>
std::string_view text_in(const char (&field)[size]) {
    return {field, ::strnlen(field, size)};
}

// Where the id of either boot could not be read, the lock on the record tells whether it has a
// keeper.
bool is_of_this_boot(const record::Record& page) {
    const std::string now = os::boot_id();
    const std::string_view then = text_in(page.boot_id);
    return now.empty() || then.empty() || now == then;
}

Result<record::Record> read_record(const ShellFiles& files, std::string* call) {
    constexpr size_t usual_call = 4096;
    constexpr uint64_t longest_call = 4 << 20;
    const std::string bytes =
        TRY(os::read_at(files.record, 0, call != nullptr ? usual_call : sizeof(record::Record)));
    record::Record page{};
    if (bytes.size() < sizeof page) return failure("record", 0, files.id + " is half-written");
    std::memcpy(&page, bytes.data(), sizeof page);
    if (page.magic != record::magic) return failure("record", 0, files.id + " is not a record");
    if (page.version != record::version) {
        return failure("record", 0,
                       files.id + " was written by another version of Husk (format " +
                           std::to_string(page.version) + ", this is " +
                           std::to_string(record::version) + "); its log can be read as a file");
    }
    // Its file may have been given to another shell while this one was looked at.
    if (files.id != text_in(page.shell_id)) return std::unexpected(no_such_shell(files.id));
    if (call == nullptr) return page;
    *call =
        sizeof page + page.call_bytes <= bytes.size()
            ? bytes.substr(sizeof page, page.call_bytes)
            : TRY(os::read_at(files.record, sizeof page, std::min(page.call_bytes, longest_call)));
    return page;
}

bool is_open(const record::Record& page) {
    return page.state == State::Running || page.state == State::Prepared;
}

bool is_young(const record::Record& page) {
    using namespace std::chrono;
    const auto since_1970 = duration_cast<nanoseconds>(system_clock::now().time_since_epoch());
    const auto now = static_cast<uint64_t>(since_1970.count());
    constexpr uint64_t ten_seconds = 10'000'000'000;
    // The clock may have been set back meanwhile, but a record may say anything.
    return now - page.created < ten_seconds || page.created - now < ten_seconds;
}

// Anybody may lock a file; a keeper has signed the record, in this boot of the machine, or is
// about to.
bool is_keeper(pid_t holder, const os::Fd& file, const record::Record& page) {
    if (holder == 0 || !is_of_this_boot(page)) return false;
    if (page.state == State::Prepared) return is_young(page);
    // A process that cannot be looked at lives as long as it holds the lock, and nothing says that
    // it is not the keeper.
    return run::has_signed(holder, page).value_or(run::keeper_of(file) == holder);
}

// A record that says it runs, and nobody who keeps it.
Ending ending_without_keeper(const record::Record& page) {
    if (!is_of_this_boot(page)) return Lost{"the machine was restarted"};
    if (page.state == State::Running) return Lost{"its keeper was killed"};
    return Lost{"it is not known whether it was started"};
}

}  // namespace

Error no_such_shell(const std::string& id) {
    return {"shell", 0, id + " is not known here; `husk shells` lists those that are"};
}

Ending ending_of(const record::Record& page) {
    switch (page.reason) {
        case Reason::Itself:
        case Reason::Killed: return kernel_word(page.wait_status);
        case Reason::NotStarted:
            return NotStarted{{name_of(page.step), static_cast<int>(page.error), ""}};
        case Reason::Deadline:
            return TimedOut{std::chrono::milliseconds(page.deadline_ms),
                            std::chrono::milliseconds(page.peak)};
        case Reason::Idle: return LimitExceeded{"idle", page.limit, page.peak};
        case Reason::Limit:
            return LimitExceeded{run::name_of(page.resource), page.limit, page.peak};
        case Reason::Lifetime: return LimitExceeded{"lifetime", page.limit, page.peak};
        case Reason::Cancelled: return Cancelled{"cancelled"};
        case Reason::CallerGone: return Cancelled{"its caller died"};
        case Reason::SessionEnded: return Cancelled{"its session was ended"};
        case Reason::KeeperKilled: return Lost{"its keeper was killed"};
        case Reason::TreeOfAnother:
            return Lost{"a command of its session could not be killed but by ending the session"};
        case Reason::KeeperStopped: return Lost{"its keeper was stopped, and killed for that"};
    }
    return Lost{"its record gives a reason that this version does not know"};
}

std::optional<Ending> end_of_main(const record::Record& page) {
    if (page.ended == 0) return std::nullopt;
    Ending ending = kernel_word(page.wait_status);
    return std::holds_alternative<Cancelled>(ending) ? std::nullopt : std::optional(ending);
}

std::optional<LimitExceeded> end_of_leftovers(const record::Record& page) {
    if ((page.flags & record::LeftoversOverLimit) == 0) return std::nullopt;
    return LimitExceeded{run::name_of(page.resource), page.limit, page.peak};
}

Result<std::vector<std::string>> shell_ids(const run::StateDir& state) {
    std::vector<std::string> ids;
    if (!state.sessions()) return ids;
    for (const std::string& session : TRY(os::list(state.sessions()))) {
        const auto records =
            os::open_at(state.sessions(), session + "/rec", O_RDONLY | O_DIRECTORY);
        if (!records) continue;  // being made, or being cleared away
        for (const std::string& number : os::list(*records).value_or(std::vector<std::string>()))
            ids.push_back(session + "-" + number);
    }
    return ids;
}

Result<ShellFiles> open_shell(const run::StateDir& state, const std::string& id) {
    const size_t dash = id.rfind('-');
    const bool well_formed = dash != std::string::npos && dash > 0 && dash + 1 < id.size() &&
                             id.find('/') == std::string::npos && id[0] != '.';
    if (!well_formed || !state.sessions()) return std::unexpected(no_such_shell(id));
    const std::string session = id.substr(0, dash);
    const std::string number = id.substr(dash + 1);
    ShellFiles files;
    files.id = id;
    // Readers write one thing, how far they were told; a read-only directory does without it.
    auto record = os::open_at(state.sessions(), session + "/rec/" + number, O_RDWR);
    if (!record) record = os::open_at(state.sessions(), session + "/rec/" + number, O_RDONLY);
    if (!record && record.error().code == ENOENT) return std::unexpected(no_such_shell(id));
    files.record = TRY(std::move(record));
    ::flock(files.record.get(), LOCK_SH);  // in use: not to be emptied under a reader
    const std::filesystem::path logs = state.path() / "sessions" / session / "log";
    files.log_path = logs / (number + ".log");
    files.error_log_path = logs / (number + ".err");
    const std::string log = session + "/log/" + number;
    files.log = TRY(os::open_at(state.sessions(), log + ".log", O_RDONLY));
    uint32_t flags = 0;
    const ssize_t got =
        ::pread(files.record.get(), &flags, sizeof flags, offsetof(record::Record, flags));
    if (got == sizeof flags && (flags & record::SplitStreams) != 0)
        files.error_log = TRY(os::open_at(state.sessions(), log + ".err", O_RDONLY));
    return files;
}

bool ShellFiles::nursery_lives() const {
    const auto lock = os::open(log_path.parent_path().parent_path() / "lock", O_RDONLY);
    return lock ? run::keeper_of(*lock) != 0 : os::is_shortage(lock.error().code);
}

namespace {

// A keeper has it soon, or nobody ever will.
bool is_being_started(const record::Record& page) {
    return page.state == State::Prepared && is_young(page) && is_of_this_boot(page);
}

// Nobody is expected to write how it ended: it is written already, or it is too early or too late.
bool is_settled(const Snapshot& now) {
    return !is_open(now.record) || now.keeper != 0 || !is_of_this_boot(now.record) ||
           is_being_started(now.record);
}

void judge(Snapshot& now) {
    if (now.record.state == State::Abandoned) {
        now.ending = NotStarted{{"start", 0, "its session ended before a keeper had it"}};
    } else if (!is_open(now.record)) {
        now.ending = ending_of(now.record);
        now.tree_lives = now.record.state == State::Ended && now.keeper != 0;
    } else if (now.keeper != 0 || is_being_started(now.record)) {
        now.ending = Running{};
        now.tree_lives = true;
    } else {
        now.ending = ending_without_keeper(now.record);
    }
}

}  // namespace

Result<Snapshot> look(const ShellFiles& files, os::Deadline patience) {
    Snapshot now;
    if (!patience) patience = os::Clock::now() + nursery_patience;
    // A record that says Running may be out of date as soon as it is read. It is believed that no
    // one will write the ending if it still says so after they were all seen to be gone.
    bool said_running = false;
    bool nursery_is_gone = false;
    for (;;) {
        const pid_t holder = run::keeper_of(files.record);
        // After the lock: what a keeper wrote before it let go is seen.
        now.record = TRY(read_record(files, &now.call));
        now.keeper = is_keeper(holder, files.record, now.record) ? holder : 0;
        if (is_settled(now)) break;
        if (now.record.state == State::Running && !std::exchange(said_running, true)) continue;
        if (holder != 0 && run::keeper_of(files.record) != holder) continue;
        const bool is_enrolled = (now.record.flags & record::Enrolled) != 0;
        if (!is_enrolled || nursery_is_gone) break;  // nobody will write how it ended
        nursery_is_gone = !files.nursery_lives();
        if (nursery_is_gone) continue;
        if (os::Clock::now() >= *patience) break;
        std::ignore = os::wait_for({}, os::Clock::now() + look_again);
    }
    judge(now);
    return now;
}

}  // namespace husk::collect
