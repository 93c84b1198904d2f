#include "collect/ledger.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "base/moment.h"
#include "collect/retention.h"
#include "os/file.h"

namespace husk::collect {
namespace {

constexpr uint64_t calls_between_sweeps = 4096;
constexpr uint64_t calls_when_overcommitted = 64;
constexpr uint64_t rest_factor = 100;  // so that vain sweeps take a hundredth of the time
constexpr uint64_t longest_rest = 2'000'000'000;  // nanoseconds
constexpr uint64_t block = 4096;

// A rest that ends later than any rest can was begun before the clock was set back.
bool rests(uint64_t now, uint64_t until) { return now < until && until - now <= longest_rest; }

}  // namespace

struct Ledger::Account {
    std::atomic<uint64_t> reserved;
    std::atomic<uint64_t> rests_until;  // realtime, nanoseconds
    std::atomic<uint64_t> calls;
    std::atomic<uint64_t> sweeps;
};

void Ledger::Unmap::operator()(Account* account) const { ::munmap(account, sizeof *account); }

Result<Ledger> Ledger::open(const run::StateDir& state, uint64_t quota) {
    Ledger ledger;
    ledger.state_ = &state;
    ledger.quota_ = quota;
    auto file = os::open_at(state.dir(), "ledger", O_RDWR | O_CREAT, 0600);
    if (!file) return std::unexpected(run::advise(file.error(), state.path() / "ledger"));
    ledger.file_ = std::move(*file);
    struct stat info{};
    if (::fstat(ledger.file_.get(), &info) != 0) return failure("fstat", errno, "ledger");
    // Written, not only made long, so that a store into it never meets a full disk.
    if (static_cast<size_t>(info.st_size) < sizeof(Account))
        if (auto written = os::write_all(ledger.file_.get(), std::string(block, '\0')); !written)
            return std::unexpected(run::advise(written.error(), state.path() / "ledger"));
    void* page =
        ::mmap(nullptr, sizeof(Account), PROT_READ | PROT_WRITE, MAP_SHARED, ledger.file_.get(), 0);
    if (page == MAP_FAILED) return failure("mmap", errno, "ledger");
    ledger.account_.reset(static_cast<Account*>(page));
    return ledger;
}

Grant Ledger::reserve(uint64_t wanted) {
    uint64_t calls = account_->calls.fetch_add(1) + 1;
    // Whose turn it is sweeps, and nobody waits for that.
    const bool due =
        calls >= calls_between_sweeps && account_->calls.compare_exchange_strong(calls, 0);
    const bool tight = account_->reserved.load() + wanted > quota_;
    if ((tight && !rests(text::now_ns(), account_->rests_until.load())) || due) sweep(wanted, due);
    const uint64_t sweeps = account_->sweeps.load();
    const uint64_t reserved = account_->reserved.load();
    const uint64_t left = quota_ - std::min(quota_, reserved);
    const uint64_t granted = std::min(wanted, std::max(left, least_grant(quota_)));
    account_->reserved.fetch_add(granted);
    return {granted, sweeps};
}

void Ledger::settle(const Grant& grant, uint64_t taken) {
    if (grant.sweeps != account_->sweeps.load()) {
        // A sweep since then has counted the call with at least this much. If it counted more than
        // the call took, the next sweep corrects the account.
        const uint64_t counted = weight_of_live(0, grant.bytes);
        const uint64_t kept = std::min(grant.bytes, taken);
        account_->reserved.fetch_add(kept - std::min(kept, counted));
        return;
    }
    const uint64_t back = grant.bytes - std::min(grant.bytes, taken);
    // Never below nothing.
    uint64_t reserved = account_->reserved.load();
    while (
        !account_->reserved.compare_exchange_weak(reserved, reserved - std::min(reserved, back))) {
    }
}

// One at a time, in whatever thread or process; whoever waited for another one's sweep has
// what that found. After one that found no room, the next waits a while: a sweep looks at every
// shell there is, and where many calls at once have reserved all, there is none whose end would
// help.
void Ledger::sweep(uint64_t wanted, bool due) {
    static std::mutex one_of_this_process;
    const std::lock_guard lock(one_of_this_process);
    if (::flock(file_.get(), LOCK_EX) != 0) return;
    const uint64_t start = text::now_ns();
    const uint64_t before = account_->reserved.load();
    const bool tight = before + wanted > quota_;
    if ((tight && !rests(start, account_->rests_until.load())) || due) {
        const auto swept = collect::sweep(*state_, quota_, wanted);
        if (swept) correct(before, swept->taken);
        account_->sweeps.fetch_add(1);
        // What lives may take more by then.
        if (swept && swept->overcommitted)
            account_->calls.store(calls_between_sweeps - calls_when_overcommitted);
        if (swept && swept->unfinished) sweep_soon();
        const uint64_t end = text::now_ns();
        const bool vain = !swept || swept->taken + wanted > quota_;
        account_->rests_until.store(vain ? end + std::min(rest_factor * (end - start), longest_rest)
                                         : 0);
    }
    ::flock(file_.get(), LOCK_UN);
}

void Ledger::sweep_soon() { account_->calls.store(calls_between_sweeps); }

// What was reserved and given back since then stays so.
void Ledger::correct(uint64_t before, uint64_t taken) {
    uint64_t reserved = account_->reserved.load();
    const auto corrected = [&] {
        const uint64_t sum = reserved + taken;
        return sum - std::min(sum, before);
    };
    while (!account_->reserved.compare_exchange_weak(reserved, corrected())) {
    }
}

}  // namespace husk::collect
