#include "collect/retention.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <tuple>

#include "base/moment.h"
#include "collect/reverted.h"
#include "collect/shell_files.h"
#include "os/cgroup.h"
#include "os/file.h"
#include "os/shortage.h"
#include "request/call_json.h"
#include "run/blank_pool.h"
#include "run/call.h"
#include "run/removed_numbers.h"
#include "run/session.h"
#include "run/session_table.h"

namespace husk::collect {
namespace {

constexpr size_t most_finished = 4096;
constexpr size_t most_blank = 8192;
constexpr time_t settling_seconds = 60;  // a session this young may still be on its way

struct Item {
    std::string session;
    std::string number;
    uint64_t created = 0;
    uint64_t bytes = 0;
    bool live = false;
    bool overcommitted = false;
    bool split = false;
    bool reusable = false;  // no command can have its log open
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
    if (files ? run::keeper_of(files->record) != 0 : os::is_shortage(files.error().code))
        return true;
    constexpr uint64_t settling_ns = uint64_t{settling_seconds} * 1'000'000'000;
    const uint64_t now = text::now_ns();
    // The clock may have been set back meanwhile.
    return page.state == State::Prepared &&
           (now - page.created < settling_ns || page.created - now < settling_ns);
}

// Where it is not, the lock stays with `record`.
bool is_in_use(const os::Fd& record) { return ::flock(record.get(), LOCK_EX | LOCK_NB) != 0; }

// What one shell takes. One that cannot be read is old, or of another version: it goes first.
Item weigh(const run::StateDir& state, const std::string& id) {
    const size_t dash = id.rfind('-');
    Item item{id.substr(0, dash), id.substr(dash + 1)};
    const std::string record_path = item.session + "/rec/" + item.number;
    const auto record = os::open_at(state.sessions(), record_path, O_RDONLY | O_NOFOLLOW);
    if (!record) {
        item.live = os::is_shortage(record.error().code);
        return item;
    }
    record::Record page{};
    if (::pread(record->get(), &page, sizeof page, 0) != sizeof page) {
        // Made for a call that has not come yet: of a caller that lives, or that was killed.
        item.live = is_in_use(*record);
        if (item.live) return item;
        ::flock(record->get(), LOCK_UN);  // opening it takes the same lock
        const auto files = open_shell(state, id);
        item.live = files ? files->nursery_lives() : os::is_shortage(files.error().code);
        return item;
    }
    item.created = page.created;
    item.split = (page.flags & record::SplitStreams) != 0;
    item.reusable = (page.flags & record::BehindWalls) == 0;
    const std::string log = item.session + "/log/" + item.number;
    item.bytes = os::bytes_on_disk(*record) + bytes_of(state, log + ".log") +
                 (item.split ? bytes_of(state, log + ".err") : 0);
    item.live = is_live(state, id, page);
    if (!item.live) return item;
    const uint64_t cap = page.cap * (item.split ? 2 : 1);
    item.bytes = weight_of_live(item.bytes, cap);
    item.overcommitted = item.bytes < cap;
    return item;
}

void remove_item(const run::StateDir& state, const Item& item, const os::Fd& pool) {
    const std::string path = item.session + "/rec/" + item.number;
    // Whoever has the shell open reads on to the end; only what nobody has is used again.
    const auto record = os::open_at(state.sessions(), path, O_RDONLY | O_NOFOLLOW);
    if (!record && os::is_shortage(record.error().code)) return;
    const bool in_use = !record || is_in_use(*record);
    if (record && in_use && item.created == 0) return;  // somebody is just making it
    static const os::Fd nowhere;
    const os::Fd& blank = in_use ? nowhere : pool;
    const std::string log = item.session + "/log/" + item.number;
    const os::Fd& blank_log = item.reusable ? blank : nowhere;
    run::give_back(state.sessions(), log + ".log", blank_log);
    if (item.split) run::give_back(state.sessions(), log + ".err", blank_log);
    // The record last: a shell whose log is gone is still known to be one.
    run::give_back(state.sessions(), path, blank);
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

// Nobody is in it, and nobody is on the way into it.
bool is_dead(const run::StateDir& state, const std::string& session) {
    struct stat info{};
    if (::fstatat(state.sessions().get(), session.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    if (::time(nullptr) - info.st_mtime < settling_seconds) return false;
    const auto lock = os::open_at(state.sessions(), session + "/lock", O_RDONLY);
    return lock ? run::keeper_of(*lock) == 0 : !os::is_shortage(lock.error().code);
}

// Only what is empty goes.
void remove_if_dead(const run::StateDir& state, const std::string& session) {
    const auto dir = os::open_at(state.sessions(), session, O_RDONLY | O_DIRECTORY);
    if (!dir || !is_dead(state, session)) return;
    if (::flock(dir->get(), LOCK_EX | LOCK_NB) != 0) return;
    std::error_code ignored;
    const int at = dir->get();
    // Of a session without mounts. Nothing that lives there is followed out of it.
    std::filesystem::remove_all("/proc/self/fd/" + std::to_string(at) + "/scratch", ignored);
    // Directories only go when they are empty, so that nothing is lost that just came.
    if (::unlinkat(at, "rec", AT_REMOVEDIR) != 0 && errno != ENOENT) return;
    ::unlinkat(at, "log", AT_REMOVEDIR);
    for (const char* name : {"control", "last", "walls", "denials", "lock"})
        ::unlinkat(at, name, 0);
    ::unlinkat(state.sessions().get(), session.c_str(), AT_REMOVEDIR);
    remove_cgroup(session);
}

// So that the session goes on counting from there, whatever is removed.
void remember_numbers(const run::StateDir& state, const std::map<std::string, uint64_t>& highest) {
    for (const auto& [session, number] : highest)
        if (const auto dir = os::open_at(state.sessions(), session, O_RDONLY | O_DIRECTORY))
            run::note_removed(*dir, number);
}

// What may stay, given what lives and what there is in all.
uint64_t goal_of(uint64_t quota, uint64_t room, uint64_t live, uint64_t taken) {
    const bool is_crowded = live > quota / 2 && live + room > quota;
    if (is_crowded && live + least_grant(quota) > quota) return taken;
    if (is_crowded) return quota - least_grant(quota);
    // A little more than asked for, so that not every call has to sweep; but where live shells take
    // nearly all, something finished stays too.
    const uint64_t beside = quota - std::min(quota, room + live);
    return quota - std::min(quota, room + std::min(quota / 8, beside / 2));
}

}  // namespace

uint64_t weight_of_live(uint64_t on_disk, uint64_t cap) {
    constexpr uint64_t least_room = 8 << 20;
    const uint64_t room = std::max(least_room, cap / 8);
    return std::max(on_disk, std::min(cap, on_disk + room));
}

uint64_t least_grant(uint64_t quota) {
    constexpr uint64_t least = 256 << 10;
    return std::max(least, quota / 128);
}

Result<Swept> sweep(const run::StateDir& state, uint64_t quota, uint64_t room) {
    const uint64_t start = text::now_ns();
    std::vector<Item> items;
    for (const std::string& id : TRY(shell_ids(state))) items.push_back(weigh(state, id));
    // Those that have come meanwhile. One that is from the future was made before the clock was set
    // back.
    const uint64_t now = text::now_ns();
    std::erase_if(items,
                  [&](const Item& item) { return item.created > start && item.created <= now; });
    const RevertedRest reverted = sweep_reverted(state, {.bytes = quota / 2});
    uint64_t taken = reverted.bytes;
    uint64_t live = 0;
    size_t finished = 0;
    for (const Item& item : items) {
        taken += item.bytes;
        live += item.live ? item.bytes : 0;
        finished += item.live ? 0 : 1;
    }
    std::ranges::sort(items, {}, &Item::created);
    os::Fd blank = os::open_at(state.dir(), "blank", O_RDONLY | O_DIRECTORY).value_or(os::Fd());
    if (blank && TRY(os::list(blank)).size() > most_blank) blank.reset();
    std::map<std::string, uint64_t> highest;
    std::vector<const Item*> going;
    const uint64_t goal = goal_of(quota, room, live, taken);
    for (const Item& item : items) {
        if (taken <= goal && finished <= most_finished) break;
        if (item.live) continue;
        going.push_back(&item);
        taken -= item.bytes;
        --finished;
        uint64_t& top = highest[item.session];
        top = std::max<uint64_t>(top, std::strtoull(item.number.c_str(), nullptr, 10));
    }
    // Of a session that goes as a whole nobody counts on.
    std::erase_if(highest, [&](const auto& entry) { return is_dead(state, entry.first); });
    remember_numbers(state, highest);
    for (const Item* item : going) remove_item(state, *item, blank);
    for (const std::string& session : TRY(os::list(state.sessions())))
        remove_if_dead(state, session);
    return Swept{taken, reverted.still_going, std::ranges::any_of(items, &Item::overcommitted)};
}

Result<void> remove_shell(const run::StateDir& state, const std::string& id) {
    const Item item = weigh(state, id);
    if (item.live) return failure("shell", EBUSY, id + " has not ended");
    remember_numbers(state, {{item.session, std::strtoull(item.number.c_str(), nullptr, 10)}});
    static const os::Fd nowhere;
    remove_item(state, item, nowhere);
    return {};
}

Result<void> remove_what_went_with_sessions(const run::StateDir& state) {
    for (const run::SessionInfo& session : TRY(run::list_sessions(state))) {
        // One without a name has only calls of one caller, who asks for no such thing.
        if (session.nursery != 0 || session.name.empty()) continue;
        const auto records =
            os::open_at(state.sessions(), session.id + "/rec", O_RDONLY | O_DIRECTORY);
        if (!records) continue;
        for (const std::string& number : TRY(os::list(*records))) {
            const std::string id = session.id + "-" + number;
            const auto files = open_shell(state, id);
            const auto now = files ? look(*files) : Result<Snapshot>(Snapshot{});
            if (now && !now->tree_lives && call_from_json(now->call).goes_with_session)
                CHECK(remove_shell(state, id));
        }
    }
    return {};
}

}  // namespace husk::collect
