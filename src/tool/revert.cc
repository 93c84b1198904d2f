#include "tool/revert.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/terminal_text.h"
#include "base/utf8.h"
#include "confine/globs.h"
#include "confine/links.h"
#include "confine/orders.h"
#include "confine/protected.h"
#include "confine/reading.h"
#include "confine/view.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;
using confine::may_be_there;

std::string words_of(int error) { return Error{"", error, ""}.text(); }

std::string warning(const confine::RiskyCheckout& one) {
    const std::string name = text::one_line(one.git.string());
    const std::string cause = text::one_line(one.cause);
    if (one.risk == confine::Risk::Unread)
        return name +
               " cannot be read, so git may enter repositories that nobody has looked at: " + cause;
    return "whoever runs git where " + name + " is runs what was written there: " + cause;
}

std::string farewell(const confine::RiskyCheckout& one) {
    const std::string name = text::one_line(one.git.string());
    const std::string cause = text::one_line(one.cause);
    if (one.risk == confine::Risk::Unread)
        return name +
               " was taken away because the command changed it and it cannot be read: git could "
               "enter repositories that nobody has looked at (" +
               cause + "); for an index, `git reset` makes a new one";
    return name + " was taken away because git goes there by itself, and would obey it: " + cause;
}

// Names that are to be watched from now on, with the links that have to stay. A name behind a link
// is in the list without the link, too.
void add_watched(const confine::Protected& known, const std::vector<fs::path>& roots,
                 std::vector<confine::Order>& orders) {
    for (const fs::path& path : known.absent) {
        const bool is_behind_link = std::ranges::any_of(roots, [&](const fs::path& root) {
            return confine::is_within(path, root) && confine::link_above(path, root, {});
        });
        if (is_behind_link) continue;
        const auto same = std::ranges::find(orders, path, &confine::Order::path);
        if (same != orders.end())
            same->flags |= wire::Watch;
        else
            orders.push_back({path, wire::Watch});
    }
    for (const confine::KeptLink& link : known.links)
        orders.push_back({link.path, wire::Watch, link.target});
}

std::string unwatched(int error) {
    return "nobody watches which protected names its processes make from now on: " +
           words_of(error);
}

// One call's work on what it left behind.
class Reversal {
public:
    Reversal(const confine::Protected& before, run::Session& session, Report& report)
        : before_(before),
          session_(session),
          roots_(confine::held_roots(session.wanted())),
          report_(report) {}

    void plan_links() {
        for (const confine::KeptLink& link : before_.links)
            if (confine::target_of(link.path) != link.target && may_be_there(link.path))
                plan({link.path, wire::TakeAway, link.target});
    }

    // While the tree lives, every look comes too early.
    void plan_names(bool tree_lives) {
        std::vector<std::string_view> untouched;
        for (const confine::SeenFile& root : before_.roots)
            if (!tree_lives && confine::is_unchanged(root)) untouched.push_back(root.path);
        for (const fs::path& path : before_.absent) {
            const fs::path* root = root_of(path);
            const std::string_view parent = confine::parent_of(path.native());
            if (root == nullptr || std::ranges::find(untouched, parent) != untouched.end())
                continue;
            const bool is_seen = may_be_there(path);
            // Git does not enter a repository through a link.
            const bool can_be_linked =
                parent != root->native() && !path.native().ends_with("/.git");
            const auto link = can_be_linked ? confine::link_above(path, *root, {}) : std::nullopt;
            if (link && is_known(*link)) continue;
            if (is_seen || link || tree_lives) plan({path}, link.value_or(path));
        }
    }

    // Where directories are the user's own business, and links are.
    void plan_single_names() {
        for (const fs::path& path : before_.absent)
            if (may_be_there(path)) plan({path, wire::TakeAway | wire::OnlyItself});
    }

    void plan_watch() {
        if (!session_.can_watch()) return;
        const auto found = confine::find_protected(session_.wanted());
        // If that fails, the next call says why.
        confine::Protected known = found ? *found : before_;
        // A name that the session has just made is there now, and can be made again.
        const auto text = [](const fs::path& one) -> const std::string& { return one.native(); };
        for (const fs::path& path : before_.absent)
            if (std::ranges::find(known.absent, path.native(), text) == known.absent.end())
                known.absent.push_back(path);
        add_watched(known, roots_, orders_);
        labels_.resize(orders_.size());
    }

    void plan_matches() {
        const auto matches = confine::find_matches(session_.wanted(), confine::Links::Told);
        if (!matches) {
            report_.notes.push_back("what it made was not compared with what is protected: " +
                                    matches.error().text());
            return;
        }
        for (const fs::path& path : *matches)
            if (std::ranges::find(before_.matches, path) == before_.matches.end() &&
                root_of(path) != nullptr)
                plan({path});
    }

    void take_away_checkouts() {
        for (const confine::RiskyCheckout& one :
             confine::risky_checkouts(session_.wanted(), before_.git)) {
            const bool can_go = one.entered && root_of(one.git) != nullptr;
            if (can_go) plan({one.git});
            const bool is_away = can_go && carry_out();
            if (is_away || may_be_there(one.git))
                report_.notes.push_back(is_away ? farewell(one) : warning(one));
        }
    }

    // Returns true if something was taken away.
    bool carry_out() {
        const std::vector<confine::Order> orders = std::exchange(orders_, {});
        const std::vector<fs::path> labels = std::exchange(labels_, {});
        if (orders.empty()) return false;
        const auto swept = session_.carry_out(orders);
        bool any = false;
        for (size_t i = 0; i < orders.size(); ++i) {
            if ((orders[i].flags & wire::TakeAway) == 0) continue;
            const std::string name = text::to_utf8(labels[i].string());
            const int result = swept ? swept->results[i] : -EIO;
            any = any || result > 0;
            if (result > 0 && std::ranges::find(report_.reverted, name) == report_.reverted.end())
                report_.reverted.push_back(name);
            if (result < 0 && may_be_there(labels[i])) keep_failure(labels[i], -result);
        }
        if (!swept)
            report_.notes.push_back("protected names could not be looked at: " +
                                    swept.error().text());
        else if (swept->unwatched != 0)
            report_.notes.push_back(unwatched(swept->unwatched));
        return any;
    }

    // At once, and not only before the next call: what is left of this one may go on.
    void protect_what_is_left() {
        if (!has_failed_) return;
        if (const auto protected_now = session_.restore_protection(); !protected_now)
            report_.notes.push_back("the next call of the session is refused: " +
                                    protected_now.error().text());
    }

private:
    void plan(confine::Order order) {
        const fs::path label = order.path;
        plan(std::move(order), label);
    }
    void plan(confine::Order order, fs::path label) {
        orders_.push_back(std::move(order));
        labels_.push_back(std::move(label));
    }

    void keep_failure(const fs::path& path, int error) {
        has_failed_ = true;
        report_.notes.push_back(text::one_line(path.string()) +
                                " is a protected name that the command made, and it could not be "
                                "taken away (" +
                                words_of(error) + "): it is read-only from now on");
    }

    // Whether it was there before: then it has an order of its own, and what it led to as well.
    bool is_known(const fs::path& link) const {
        return std::ranges::any_of(before_.links, [&](const confine::KeptLink& known) {
            return known.path.native() == link.native();
        });
    }

    const fs::path* root_of(const fs::path& path) const {
        const auto found = std::ranges::find_if(roots_, [&](const fs::path& root) {
            return path.native().size() > root.native().size() && confine::is_within(path, root);
        });
        return found == roots_.end() ? nullptr : &*found;
    }

    const confine::Protected& before_;
    run::Session& session_;
    std::vector<fs::path> roots_;
    Report& report_;
    std::vector<confine::Order> orders_;
    std::vector<fs::path> labels_;  // what the report calls them
    bool has_failed_ = false;
};

}  // namespace

void revert(const confine::Protected& before, run::Session& session, Tree tree, Report& report) {
    Reversal reversal(before, session, report);
    if (session.closed()) {
        reversal.plan_links();
        reversal.plan_names(tree == Tree::LivesOn);
        if (tree == Tree::LivesOn) reversal.plan_watch();
    } else {
        reversal.plan_single_names();
    }
    reversal.carry_out();
    reversal.plan_matches();
    reversal.carry_out();
    if (session.closed()) reversal.take_away_checkouts();
    reversal.protect_what_is_left();
}

std::vector<std::string> watch_absent(const run::Session& session) {
    const auto known = session.protection();
    if (!session.can_watch() || !known) return {};
    std::vector<confine::Order> orders;
    add_watched(*known, confine::held_roots(session.wanted()), orders);
    if (orders.empty()) return {};
    const auto swept = session.carry_out(orders);
    if (swept && swept->unwatched == 0) return {};
    return {swept ? unwatched(swept->unwatched) : swept.error().text()};
}

std::vector<std::string> warnings_since(const confine::Protected& before,
                                        const run::Session& session) {
    std::vector<std::string> warnings;
    const auto now = session.protection();
    if (!now || now->git.entered == before.git.entered) return warnings;
    for (const confine::RiskyCheckout& one : confine::risky_checkouts(session.wanted(), before.git))
        warnings.push_back(warning(one));
    return warnings;
}

}  // namespace husk::tool
