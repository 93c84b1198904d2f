#include "tool/waiter.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "os/thread.h"

namespace husk::tool {
namespace {

// How often to look, where a process without free descriptors has nothing to wait with.
constexpr auto look_again = std::chrono::milliseconds(10);

}  // namespace

void wait_for(StartedCall& call, const std::stop_token& cancel) {
    std::optional<os::Bell> bell;
    if (cancel.stop_possible()) {
        if (auto made = os::Bell::make(); made) bell = std::move(*made);
    }
    const std::stop_callback ring(cancel, [&bell] {
        if (bell) bell->ring();
    });
    bool cancelled = false;
    std::vector<pollfd> fds;
    while (!call.advance()) {
        if (cancel.stop_requested() && !cancelled) {
            cancelled = true;
            call.cancel();
        }
        fds.clear();
        call.add_fds(fds);
        if (bell && !cancelled) fds.push_back({bell->fd(), POLLIN, 0});
        os::Deadline next = call.deadline();
        const auto soon = os::Clock::now() + look_again;
        if (!bell && cancel.stop_possible() && !cancelled && (!next || *next > soon)) next = soon;
        if (!os::wait_for(fds, next)) std::ignore = os::wait_for({}, soon);
    }
}

struct Waiter::Entry {
    StartedCall call;
    std::stop_token cancel;
    Repeat repeat;
    Done done;
    std::unique_ptr<std::stop_callback<std::function<void()>>> ring;
    bool cancelled = false;
    bool fresh = true;
};

Result<std::unique_ptr<Waiter>> Waiter::make() {
    std::unique_ptr<Waiter> waiter(new Waiter());
    waiter->thread_ = TRY(os::start_thread<std::thread>([one = waiter.get()] { one->loop(); }));
    return waiter;
}

Waiter::~Waiter() {
    {
        const std::lock_guard lock(guard_);
        closing_ = true;
    }
    ring();
    if (thread_.joinable()) thread_.join();
}

void Waiter::ring() {
    const std::lock_guard lock(guard_);
    if (bell_) bell_->ring();
}

void Waiter::add(StartedCall call, std::stop_token cancel, Repeat repeat, Done done) {
    Entry entry{std::move(call), std::move(cancel), std::move(repeat), std::move(done), nullptr};
    if (entry.cancel.stop_possible()) {
        entry.ring = std::make_unique<std::stop_callback<std::function<void()>>>(
            entry.cancel, [this] { ring(); });
    }
    {
        const std::lock_guard lock(guard_);
        fresh_.push_back(std::move(entry));
    }
    ring();
}

void Waiter::post(std::function<void()> work) {
    {
        const std::lock_guard lock(guard_);
        work_.push_back(std::move(work));
    }
    ring();
}

void Waiter::do_work() {
    std::vector<std::function<void()>> now;
    {
        const std::lock_guard lock(guard_);
        now.swap(work_);
    }
    for (const auto& work : now) work();
}

// Moves what was added to the thread's own list; true when the waiter is closing.
bool Waiter::take_new(std::list<Entry>& entries) {
    const std::lock_guard lock(guard_);
    if (!bell_)
        if (auto made = os::Bell::make()) bell_ = std::move(*made);
    for (Entry& entry : fresh_) entries.push_back(std::move(entry));
    fresh_.clear();
    return closing_;
}

bool Waiter::advance(Entry& entry) {
    entry.fresh = false;
    if (!entry.call.advance()) return false;
    if (entry.call.must_be_repeated() && entry.repeat) {
        auto again = entry.repeat(std::move(entry.call.plan()));
        if (again) {
            entry.call = std::move(*again);
            return false;
        }
    }
    entry.done(entry.call);
    return true;
}

// Whether something has happened to the entry, whose descriptors were polled if it is not new.
bool Waiter::is_due(Entry& entry, std::span<const pollfd> polled, bool closing) {
    if ((closing || entry.cancel.stop_requested()) && !entry.cancelled) {
        entry.cancelled = true;
        entry.call.cancel();
    }
    const os::Deadline moment = entry.call.deadline();
    return entry.fresh || entry.cancelled || (moment && *moment <= os::Clock::now()) ||
           std::ranges::any_of(polled, [](const pollfd& fd) { return fd.revents != 0; });
}

void Waiter::loop() {
    std::list<Entry> entries;
    std::vector<pollfd> fds;
    for (;;) {
        const bool closing = take_new(entries);
        do_work();      // also what was posted just before it was closed
        size_t at = 1;  // behind the bell: so many for each entry that was polled
        for (auto entry = entries.begin(); entry != entries.end();) {
            const size_t own = entry->fresh ? 0 : StartedCall::fd_count;
            const bool due =
                is_due(*entry, std::span(fds).subspan(own == 0 ? 0 : at, own), closing);
            at += own;
            entry = due && advance(*entry) ? entries.erase(entry) : std::next(entry);
        }
        if (closing && entries.empty()) return;
        wait_for_any(entries, fds);
    }
}

void Waiter::wait_for_any(const std::list<Entry>& entries, std::vector<pollfd>& fds) const {
    os::Deadline next;
    fds.assign(1, {bell_ ? bell_->fd() : -1, POLLIN, 0});
    for (const Entry& entry : entries) {
        entry.call.add_fds(fds);
        const os::Deadline moment = entry.call.deadline();
        if (moment && (!next || *moment < *next)) next = moment;
    }
    const auto soon = os::Clock::now() + look_again;
    if (!bell_ && (!next || *next > soon)) next = soon;
    if (!os::wait_for(fds, next)) {
        std::ignore = os::wait_for({}, soon);
        for (pollfd& fd : fds) fd.revents = POLLERR;
    }
    if (bell_ && fds[0].revents != 0) bell_->quiet();
}

}  // namespace husk::tool
