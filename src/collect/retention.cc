#include "collect/retention.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <map>
#include <set>

#include "collect/shell_files.h"
#include "os/cgroup.h"
#include "os/file.h"
#include "run/blank_pool.h"
#include "run/call.h"
#include "run/session.h"

namespace husk::collect {
namespace {

constexpr uint64_t least_grant = 256 * 1024;
constexpr size_t most_finished = 4096;
constexpr size_t most_blank = 8192;
constexpr uint64_t calls_between_sweeps = 1024;
constexpr uint64_t ns_between_sweeps = 1'000'000'000;
constexpr uint64_t ns_after_vain_sweep = 10'000'000'000;
constexpr time_t settling_seconds = 60;  // a session this young may still be on its way
constexpr uint64_t block = 4096;

uint64_t now_ns() {
    using namespace std::chrono;
    return static_cast<uint64_t>(
        duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count());
}

struct Item {
    std::string session;
    std::string number;
    uint64_t created = 0;
    uint64_t bytes = 0;
    bool live = false;
    bool split = false;
};

uint64_t bytes_of(const run::StateDir& state, const std::string& path) {
    struct stat info{};
    if (::fstatat(state.sessions().get(), path.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return 0;
    return static_cast<uint64_t>(info.st_blocks) * 512;
}

// Whether somebody may still write to it.
bool is_live(const run::StateDir& state, const std::string& id, const record::Record& page) {
    using record::State;
    if (page.state == State::Gone || page.state == State::Lost || page.state == State::Abandoned)
        return false;
    const auto files = open_shell(state, id);
    if (files && run::keeper_of(files->log) != 0) return true;
    constexpr uint64_t settling_ns = uint64_t{settling_seconds} * 1'000'000'000;
    return page.state == State::Prepared && now_ns() - page.created < settling_ns;
}

// What one shell takes. One that cannot be read is old, or of another version: it goes first.
Item weigh(const run::StateDir& state, const std::string& id) {
    const size_t dash = id.rfind('-');
    Item item{id.substr(0, dash), id.substr(dash + 1)};
    const std::string record_path = item.session + "/rec/" + item.number;
    const auto record = os::open_at(state.sessions(), record_path, O_RDONLY | O_NOFOLLOW);
    if (!record) return item;
    record::Record page{};
    if (::pread(record->get(), &page, sizeof page, 0) != sizeof page) {
        // Made ahead for a call that has not come: of a caller that lives, or that was killed.
        const auto files = open_shell(state, id);
        item.live = files && files->nursery_lives();
        return item;
    }
    item.created = page.created;
    item.split = (page.flags & record::SplitStreams) != 0;
    const std::string log = item.session + "/log/" + item.number;
    item.bytes = os::bytes_on_disk(*record) + bytes_of(state, log + ".log") +
                 (item.split ? bytes_of(state, log + ".err") : 0);
    item.live = is_live(state, id, page);
    if (item.live) item.bytes = std::max(item.bytes, page.cap * (item.split ? 2 : 1));
    return item;
}

void remove_item(const run::StateDir& state, const Item& item, const os::Fd& blank) {
    const std::string log = item.session + "/log/" + item.number;
    run::give_back(state.sessions(), log + ".log", blank);
    if (item.split) run::give_back(state.sessions(), log + ".err", blank);
    // The record last: a shell whose log is gone is still known to be one.
    run::give_back(state.sessions(), item.session + "/rec/" + item.number, blank);
}

// What a nursery leaves that was killed: cgroups without processes.
void remove_cgroup(const std::string& session) {
    for (const os::Cgroup& own : os::own_cgroups()) {
        if (!own.controllers.empty()) continue;
        const std::filesystem::path cgroup = own.directory / run::cgroup_name(session);
        std::error_code ignored;
        for (const auto& leaf : std::filesystem::directory_iterator(cgroup, ignored))
            if (leaf.is_directory(ignored)) ::rmdir(leaf.path().c_str());
        ::rmdir(cgroup.c_str());
    }
}

// Nobody is in it, nobody is on the way into it, and nothing is left in it.
void remove_if_dead(const run::StateDir& state, const std::string& session) {
    const auto dir = os::open_at(state.sessions(), session, O_RDONLY | O_DIRECTORY);
    if (!dir) return;
    struct stat info{};
    if (::fstat(dir->get(), &info) != 0 || ::time(nullptr) - info.st_mtime < settling_seconds)
        return;
    const auto lock = os::open_at(*dir, "lock", O_RDONLY);
    if (lock && run::keeper_of(*lock) != 0) return;
    if (::flock(dir->get(), LOCK_EX | LOCK_NB) != 0) return;
    // Directories only go when they are empty, so that nothing is lost that just came.
    const int at = dir->get();
    if (::unlinkat(at, "rec", AT_REMOVEDIR) != 0 && errno != ENOENT) return;
    ::unlinkat(at, "log", AT_REMOVEDIR);
    ::unlinkat(at, "control", 0);
    ::unlinkat(at, "lock", 0);
    ::unlinkat(state.sessions().get(), session.c_str(), AT_REMOVEDIR);
    remove_cgroup(session);
}

// The highest number of a session stays while the session may go on counting from it.
std::map<std::string, uint64_t> highest_numbers(const std::vector<Item>& items) {
    std::map<std::string, uint64_t> highest;
    for (const Item& item : items) {
        uint64_t& top = highest[item.session];
        top = std::max<uint64_t>(top, std::strtoull(item.number.c_str(), nullptr, 10));
    }
    return highest;
}

bool session_lives(const run::StateDir& state, const std::string& session) {
    const auto lock = os::open_at(state.sessions(), session + "/lock", O_RDONLY);
    return lock && run::keeper_of(*lock) != 0;
}

}  // namespace

struct Ledger::Account {
    std::atomic<uint64_t> reserved;
    std::atomic<uint64_t> swept_at;
    std::atomic<uint64_t> calls;
};

void Ledger::Unmap::operator()(Account* account) const { ::munmap(account, sizeof *account); }

Result<Ledger> Ledger::open(const run::StateDir& state, uint64_t quota) {
    Ledger ledger;
    ledger.state_ = &state;
    ledger.quota_ = quota;
    ledger.file_ = TRY(os::open_at(state.dir(), "ledger", O_RDWR | O_CREAT, 0600));
    struct stat info{};
    if (::fstat(ledger.file_.get(), &info) != 0) return failure("fstat", errno, "ledger");
    // Written, not only made long, so that a store into it never meets a full disk.
    if (static_cast<size_t>(info.st_size) < sizeof(Account))
        CHECK(os::write_all(ledger.file_.get(), std::string(block, '\0')));
    void* page =
        ::mmap(nullptr, sizeof(Account), PROT_READ | PROT_WRITE, MAP_SHARED, ledger.file_.get(), 0);
    if (page == MAP_FAILED) return failure("mmap", errno, "ledger");
    ledger.account_.reset(static_cast<Account*>(page));
    return ledger;
}

uint64_t Ledger::reserve(uint64_t wanted) {
    const uint64_t calls = account_->calls.fetch_add(1) + 1;
    const bool tight = account_->reserved.load() + wanted > quota_;
    if (tight || calls % calls_between_sweeps == 0) sweep(wanted);
    const uint64_t reserved = account_->reserved.load();
    const uint64_t left = quota_ - std::min(quota_, reserved);
    const uint64_t granted = std::min(wanted, std::max(left, least_grant));
    account_->reserved.fetch_add(granted);
    return granted;
}

void Ledger::settle(uint64_t granted, uint64_t taken) {
    const uint64_t back = granted - std::min(granted, taken);
    // A sweep in between has already counted it right; never below nothing.
    uint64_t reserved = account_->reserved.load();
    while (
        !account_->reserved.compare_exchange_weak(reserved, reserved - std::min(reserved, back))) {
    }
}

// One at a time, in whatever thread or process, and not all the time: a sweep looks at every
// shell there is.
void Ledger::sweep(uint64_t wanted) {
    const uint64_t now = now_ns();
    uint64_t last = account_->swept_at.load();
    if (now - std::min(now, last) < ns_between_sweeps) return;
    if (!account_->swept_at.compare_exchange_strong(last, now)) return;
    const auto taken = collect::sweep(*state_, quota_, wanted);
    if (taken) account_->reserved.store(*taken);
    // Where all is live, looking again soon would find the same.
    if (taken && *taken + wanted > quota_) account_->swept_at.store(now + ns_after_vain_sweep);
}

Result<uint64_t> sweep(const run::StateDir& state, uint64_t quota, uint64_t room) {
    std::vector<Item> items;
    for (const std::string& id : TRY(shell_ids(state))) items.push_back(weigh(state, id));
    uint64_t taken = 0;
    size_t finished = 0;
    for (const Item& item : items) {
        taken += item.bytes;
        finished += item.live ? 0 : 1;
    }
    const auto highest = highest_numbers(items);
    std::set<std::string> living;
    for (const auto& [session, number] : highest)
        if (session_lives(state, session)) living.insert(session);
    std::ranges::sort(items, {}, &Item::created);
    os::Fd blank = os::open_at(state.dir(), "blank", O_RDONLY | O_DIRECTORY).value_or(os::Fd());
    if (blank && TRY(os::list(blank)).size() > most_blank) blank.reset();
    for (const Item& item : items) {
        if (taken + room <= quota && finished <= most_finished) break;
        const bool last = std::to_string(highest.at(item.session)) == item.number;
        if (item.live || (last && living.contains(item.session))) continue;
        remove_item(state, item, blank);
        taken -= item.bytes;
        --finished;
    }
    for (const std::string& session : TRY(os::list(state.sessions())))
        if (!living.contains(session)) remove_if_dead(state, session);
    return taken;
}

}  // namespace husk::collect
