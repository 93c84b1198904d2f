#include "serve/shell_watch.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/moment.h"
#include "collect/stream.h"
#include "os/thread.h"

namespace husk::serve {
namespace {

constexpr std::chrono::milliseconds pause(100);
// What lives shorter belongs to a call that is answered by then.
constexpr std::chrono::seconds settling(1);
// For what nobody tells us of: keepers and nurseries that were killed together.
constexpr std::chrono::seconds look_again(1);

ShellWatch::Seen look_at(const tool::Toolbox& toolbox, const std::string& id) {
    const auto shell = toolbox.own_shell(id);
    if (!shell) return {};
    using collect::Which;
    ShellWatch::Seen seen{.there = true,
                          .ended = !std::holds_alternative<Running>(shell->now.ending)};
    if (const auto out = collect::stream_state(shell->files, Which::Output))
        seen.bytes += out->kept.total;
    if (shell->files.error_log)
        if (const auto err = collect::stream_state(shell->files, Which::Errors))
            seen.bytes += err->kept.total;
    return seen;
}

}  // namespace

struct ShellWatch::Ear {
    std::string id = {};  // empty: of the list
    std::function<void(const Seen&)> on_shell = {};
    std::function<void(const std::vector<Passed>&)> on_list = {};
    Seen told = {};
    uint64_t since = text::now_ns();
    // Held while something is told; again by whoever stops listening meanwhile.
    std::recursive_mutex guard = {};
    bool deaf = false;

    bool is_of_list() const { return static_cast<bool>(on_list); }
};

ShellWatch::Listening& ShellWatch::Listening::operator=(Listening&& other) noexcept {
    if (this == &other) return *this;
    stop();
    ear_ = std::move(other.ear_);
    return *this;
}

void ShellWatch::Listening::stop() {
    if (!ear_) return;
    const auto ear = std::exchange(ear_, nullptr);
    const std::lock_guard lock(ear->guard);
    ear->deaf = true;
}

ShellWatch::~ShellWatch() {
    {
        const std::lock_guard lock(guard_);
        closing_ = true;
        if (bell_) bell_->ring();
    }
    if (thread_.joinable()) thread_.join();
}

ShellWatch::Listening ShellWatch::shell(const std::string& id,
                                        std::function<void(const Seen&)> changed) {
    auto ear = std::make_shared<Ear>();
    ear->id = id;
    ear->on_shell = std::move(changed);
    ear->told = look_at(toolbox_, id);
    return add(std::move(ear));
}

ShellWatch::Listening ShellWatch::list(std::function<void(const std::vector<Passed>&)> changed) {
    auto ear = std::make_shared<Ear>();
    ear->on_list = std::move(changed);
    return add(std::move(ear));
}

ShellWatch::Listening ShellWatch::add(std::shared_ptr<Ear> ear) {
    const std::lock_guard lock(guard_);
    fresh_ears_.push_back(ear);
    if (!thread_.joinable()) {
        if (auto made = os::Bell::make(); made) bell_ = std::move(*made);
        // Without a thread nothing is told until somebody listens again.
        if (auto started = os::start_thread<std::thread>([this] { loop(); }))
            thread_ = *std::move(started);
    }
    if (bell_) bell_->ring();
    return Listening(std::move(ear));
}

// False when it is over.
bool ShellWatch::take_ears() {
    std::erase_if(ears_, [](const auto& ear) {
        const std::lock_guard lock(ear->guard);
        return ear->deaf;
    });
    const std::lock_guard lock(guard_);
    for (auto& ear : fresh_ears_) ears_.push_back(std::move(ear));
    fresh_ears_.clear();
    return !closing_;
}

void ShellWatch::loop() {
    const int bell = bell_ ? bell_->fd() : -1;
    while (take_ears()) {
        if (ears_.empty()) {
            spool_.reset();
            knows_list_ = false;
        } else {
            begin();
        }
        pollfd fds[] = {{bell, POLLIN, 0}, {spool_ ? spool_->fd() : -1, POLLIN, 0}};
        if (!os::wait_for(fds, next_look())) return;
        if (fds[0].revents != 0) bell_->quiet();
        if (fds[1].revents != 0) spool_->read();
        const bool all = Clock::now() >= looked_ + look_again || (spool_ && spool_->is_blind());
        if (all) looked_ = Clock::now();
        if (spool_ && spool_->is_blind()) spool_->scan();
        tell_shells(all);
        tell_list(all);
        touched_.clear();
        recorded_.clear();
        // What happens meanwhile is told together.
        pollfd rest[] = {{bell, POLLIN, 0}};
        if (fds[1].revents != 0) std::ignore = os::wait_for(rest, Clock::now() + pause);
    }
}

// The state directory may be made later than somebody wants to know of it: then there are no
// shells.
void ShellWatch::begin() {
    const bool wanted =
        std::ranges::any_of(ears_, [](const auto& ear) { return ear->is_of_list(); });
    if (!spool_ && !open_spool()) {
        living_.clear();
        settling_.clear();
        knows_list_ = wanted;
        return;
    }
    if (wanted && !knows_list_) learn_list();
    knows_list_ = wanted;
}

bool ShellWatch::open_spool() {
    auto state = run::StateDir::open_for_reading(toolbox_.settings().state);
    if (!state || !state->sessions()) return false;
    state_.emplace(*std::move(state));
    const auto touch = [this](const std::string& id) { touched_.insert(id); };
    const auto record = [this](const std::string& id) {
        touched_.insert(id);
        recorded_.insert(id);
    };
    spool_ = std::make_unique<SpoolWatch>(*state_, SpoolWatch::Heard{.record_made = record,
                                                                     .record_changed = record,
                                                                     .record_removed = record,
                                                                     .log_grew = touch});
    return true;
}

// What lives by now is no news.
void ShellWatch::learn_list() {
    living_.clear();
    settling_.clear();
    uint64_t since = std::numeric_limits<uint64_t>::max();
    for (const auto& ear : ears_)
        if (ear->is_of_list()) since = std::min(since, ear->since);
    spool_->scan();
    for (const std::string& id : std::exchange(recorded_, {})) {
        const auto shell = toolbox_.own_shell(id);
        if (!shell || !shell->now.tree_lives) continue;
        // What came after somebody had asked is news, however late this thread gets to look.
        if (shell->now.record.created < since)
            living_.insert(id);
        else
            settling_.try_emplace(id, Clock::now() + settling);
    }
}

os::Deadline ShellWatch::next_look() const {
    if (ears_.empty()) return std::nullopt;
    if (!touched_.empty()) return Clock::now();  // found on the way in
    const bool waits =
        !spool_ || !living_.empty() || std::ranges::any_of(ears_, [](const auto& ear) {
            return !ear->is_of_list() && ear->told.there && !ear->told.ended;
        });
    os::Deadline next;
    if (waits) next = std::max(looked_ + look_again, Clock::now());
    if (spool_ && spool_->is_blind()) next = Clock::now() + pause;
    for (const auto& [id, when] : settling_)
        if (!next || when < *next) next = when;
    return next;
}

bool ShellWatch::lives(const std::string& id) const {
    const auto shell = toolbox_.own_shell(id);
    return shell && shell->now.tree_lives;
}

void ShellWatch::tell_shells(bool all) {
    for (const auto& ear : ears_) {
        if (ear->is_of_list() || (!all && !touched_.contains(ear->id))) continue;
        const Seen now = look_at(toolbox_, ear->id);
        const std::lock_guard lock(ear->guard);
        if (ear->deaf || now == ear->told) continue;
        ear->told = now;
        ear->on_shell(now);
    }
}

void ShellWatch::tell_list(bool all) {
    if (!knows_list_) return;
    std::vector<Passed> passed;
    const auto now = Clock::now();
    for (const std::string& id : recorded_)
        if (!living_.contains(id)) settling_.try_emplace(id, now + settling);
    for (auto one = living_.begin(); one != living_.end();) {
        if ((all || touched_.contains(*one)) && !lives(*one)) {
            passed.push_back({*one, false});
            one = living_.erase(one);
        } else {
            ++one;
        }
    }
    for (auto one = settling_.begin(); one != settling_.end();) {
        if (one->second > now) {
            ++one;
            continue;
        }
        if (lives(one->first)) {
            living_.insert(one->first);
            passed.push_back({one->first, true});
        }
        one = settling_.erase(one);
    }
    if (passed.empty()) return;
    for (const auto& ear : ears_) {
        const std::lock_guard lock(ear->guard);
        if (!ear->deaf && ear->is_of_list()) ear->on_list(passed);
    }
}

}  // namespace husk::serve
