#include "tool/revert.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "base/terminal_text.h"
#include "base/utf8.h"
#include "confine/globs.h"
#include "confine/orders.h"
#include "confine/protected.h"
#include "confine/reading.h"
#include "confine/view.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;
using confine::Order;
using confine::State;

std::string words_of(int error) { return Error{"", error, ""}.text(); }

bool can_be_looked_at(const fs::path& path) {
    struct stat info{};
    return ::lstat(path.c_str(), &info) == 0;
}

std::string warning(const confine::RiskyCheckout& one) {
    const std::string name = text::one_line(one.git.string());
    const std::string cause = text::one_line(one.cause);
    if (one.is_unread)
        return name +
               " cannot be read, so git may enter repositories that nobody has looked at: " + cause;
    if (!can_be_looked_at(one.git))
        return name + " cannot be looked at, so git may run there what nobody has seen: " + cause;
    return "whoever runs git where " + name + " is runs what was written there: " + cause;
}

std::string farewell(const confine::RiskyCheckout& one) {
    const std::string name = text::one_line(one.git.string());
    const std::string cause = text::one_line(one.cause);
    if (one.is_unread)
        return name +
               " was taken away because the command changed it and it cannot be read: git could "
               "enter repositories that nobody has looked at (" +
               cause +
               "); before you make a new one (`git reset`), run the git command of "
               "docs/walls.md#git-outside-afterwards";
    return name + " was taken away because git goes there by itself, and would obey it: " + cause;
}

// One call's work on what it left behind.
class Reversal {
public:
    Reversal(const confine::Protected& before, run::Session& session, Tree tree, Report& report)
        : before_(before), session_(session), report_(report) {
        if (!session_.closed()) flags_ |= wire::OnlyItself;
        watches_ = tree == Tree::LivesOn && session_.can_watch();
    }

    void take_away_names() {
        std::vector<Order> orders =
            confine::orders_about(before_.names, confine::held_roots(session_.wanted()), flags_);
        add_matches(orders);
        carry_out(orders);
    }

    void take_away_checkouts() {
        const confine::Protected now = confine::look_around(session_.wanted(), &before_);
        const auto risky = confine::risky_checkouts(now.git, before_.git);
        const auto roots = confine::held_roots(session_.wanted());
        std::vector<Order> orders;
        for (const confine::RiskyCheckout& one : risky) {
            const bool goes = one.must_go && confine::root_above(one.git, roots) != nullptr;
            orders.push_back({one.git, goes ? flags_ : uint16_t{0}});
        }
        // The call may have made files that lead to names that nobody has watched yet. A name that
        // the session has just made is there now, and can be made again.
        if (watches_) {
            confine::Names names = before_.names;
            std::erase_if(names,
                          [](const auto& one) { return one.second.state == State::Present; });
            for (const auto& [path, name] : now.names)
                if (name.state != State::Link) names.insert({path, name});
            for (auto& [path, name] : names)
                if (name.state == State::Unknown && was_there(path)) name.state = State::Present;
            std::ranges::move(confine::orders_about(names, roots, flags_ | wire::Watch),
                              std::back_inserter(orders));
        }
        carry_out(orders);
        for (size_t i = 0; i < risky.size(); ++i) {
            const bool was_taken = orders[i].result > 0;
            if (was_taken || confine::may_be_there(risky[i].git))
                report_.notes.push_back(was_taken ? farewell(risky[i]) : warning(risky[i]));
        }
        take_away_lost_worktrees(now.git);
        if (!now.git.unreadable.empty()) tell_unreadable();
    }

    // At once, and not only before the next call: what is left of this one may go on.
    void protect_what_is_left() {
        if (!has_failed_) return;
        if (const auto protected_now = session_.restore_protection(); !protected_now)
            report_.notes.push_back("the next call of the session is refused: " +
                                    protected_now.error().text());
    }

private:
    // Git would list a worktree that lies in the session's scratch, and that nobody finds there
    // outside.
    void take_away_lost_worktrees(const confine::GitSurvey& now) {
        const auto& known = before_.git.without_checkout;
        for (const fs::path& one : now.without_checkout) {
            if (std::ranges::find(known, one) != known.end()) continue;
            std::array order = {Order{one, flags_}};
            carry_out(order);
            if (order.front().result > 0)
                report_.notes.push_back(
                    "the worktree of " + text::one_line(one.string()) +
                    " is not in the workspace, so only this session sees its files; use `git "
                    "worktree add` with a directory in the workspace");
        }
    }

    // A name of the user's that a command has made invisible is still the user's.
    bool was_there(const std::string& path) const {
        if (const auto known = before_.names.find(path); known != before_.names.end())
            return known->second.state == State::Present;
        return std::ranges::any_of(before_.git.checkouts, [&](const confine::Checkout& one) {
            return one.kind == confine::Checkout::Root && one.git == path;
        });
    }

    // Of what is left.
    void tell_unreadable() {
        const auto now = confine::look_around(session_.wanted(), &before_);
        if (const auto readable = confine::check_readable(now.git); !readable)
            report_.notes.push_back("the next call of the session is refused: " +
                                    readable.error().text());
    }

    // A mount of the walls cannot be moved: it holds what may have been there before.
    bool is_walled(const std::string& path, int error) const {
        const auto known = before_.names.find(path);
        return error == EBUSY && known != before_.names.end() &&
               known->second.state != State::Absent;
    }

    // What a command has put in the place of a link that has to stay goes with all that is in it.
    bool is_in_place_of_link(const fs::path& path) const {
        for (fs::path above = path.parent_path(); above.has_relative_path();
             above = above.parent_path())
            if (const auto known = before_.names.find(above.native());
                known != before_.names.end() && known->second.state == State::Link)
                return true;
        return false;
    }

    void add_matches(std::vector<Order>& orders) {
        const auto matches = confine::find_matches(session_.wanted(), confine::Links::Told);
        if (!matches)
            report_.notes.push_back("what it made was not compared with what is protected: " +
                                    matches.error().text());
        for (const fs::path& path : matches.value_or(std::vector<fs::path>()))
            if (!before_.names.contains(path.native()) && !is_in_place_of_link(path))
                orders.push_back({path, flags_});
    }

    void carry_out(std::span<Order> orders) {
        if (const auto obeyed = session_.carry_out(orders); !obeyed)
            report_.notes.push_back("protected names could not be looked at: " +
                                    obeyed.error().text());
        for (const Order& order : orders) {
            if ((order.flags & wire::TakeAway) == 0) continue;
            const std::string& path = order.path.native();
            const int result = order.result;
            if (result > 0 && order.made_again) report_.notes.push_back(note_of_made_link(path));
            if (result > 0 && !order.made_again)
                add_reverted(path.substr(0, static_cast<size_t>(result)));
            if (result < 0 && !is_walled(path, -result) && confine::may_be_there(path))
                keep_failure(path, -result);
        }
    }

    // A link may be on the path to several names.
    void add_reverted(const std::string& path) {
        const std::string name = text::to_utf8(path);
        if (std::ranges::find(report_.reverted, name) == report_.reverted.end())
            report_.reverted.push_back(name);
    }

    void keep_failure(const std::string& path, int error) {
        has_failed_ = true;
        report_.notes.push_back(note_of_left_name(path, error, "the command", "from now on"));
    }

    const confine::Protected& before_;
    run::Session& session_;
    Report& report_;
    uint16_t flags_ = wire::TakeAway;
    bool watches_ = false;
    bool has_failed_ = false;
};

}  // namespace

void revert(const confine::Protected& before, run::Session& session, Tree tree, Report& report) {
    if (tree == Tree::LivesOn && session.unwatched() != 0)
        report.notes.push_back(
            "nobody watches which protected names its processes make from now on: " +
            words_of(session.unwatched()));
    if (confine::is_still_so(before)) return;
    Reversal reversal(before, session, tree, report);
    reversal.take_away_names();
    if (session.closed()) reversal.take_away_checkouts();
    reversal.protect_what_is_left();
}

std::string note_of_made_link(const std::string& path) {
    return text::one_line(path) +
           " is a protected symbolic link that was removed while the command ran, and was made "
           "again";
}

std::string note_of_left_name(const std::string& path, int error, std::string_view maker,
                              std::string_view from) {
    const bool was_seen = error != EACCES || can_be_looked_at(path);
    const std::string cause = " (" + words_of(error) + ")";
    const std::string read_only = "read-only " + std::string(from);
    if (was_seen)
        return text::one_line(path) + " is a protected name that " + std::string(maker) +
               " made, and it could not be taken away" + cause + ": it is " + read_only;
    return text::one_line(path) + " is a protected name that could not be looked at" + cause +
           ", so " + std::string(maker) + " may have made it: if it is there, it is " + read_only;
}

std::vector<std::string> warnings_since(const confine::Protected& before,
                                        const run::Session& session) {
    std::vector<std::string> warnings;
    const auto now = session.protection();
    if (!now || now.get() == &before) return warnings;
    // The others were told when the call ended that made them.
    for (const confine::RiskyCheckout& one : confine::risky_checkouts(now->git, before.git))
        if (one.must_go || one.was_harmless) warnings.push_back(warning(one));
    return warnings;
}

void tell_replaced(const confine::Protected& before, const run::Session& session, Report& report) {
    const std::vector<fs::path> roots = confine::held_roots(session.wanted());
    for (const auto& [path, name] : before.names)
        if ((name.state == State::Present || name.state == State::Pinned) &&
            confine::root_above(path, roots) != nullptr && confine::is_another_object(name.seen))
            report.notes.push_back(text::one_line(path) +
                                   " was replaced while the command ran. If that was not you, it "
                                   "may be the command's: "
                                   "look at it before you use it");
}

}  // namespace husk::tool
