// What a call has made of the repositories of a workspace.
#include <algorithm>

#include "confine/git_checkouts.h"
#include "confine/git_repository.h"
#include "confine/seen_file.h"

namespace husk::confine {
namespace {

const Checkout* find(const GitSurvey& survey, const Checkout& wanted) {
    const auto found = std::ranges::find_if(survey.checkouts, [&](const Checkout& one) {
        return one.kind == wanted.kind && one.git == wanted.git;
    });
    return found == survey.checkouts.end() ? nullptr : &*found;
}

}  // namespace

std::vector<RiskyCheckout> risky_checkouts(const GitSurvey& now, const GitSurvey& before) {
    std::vector<RiskyCheckout> found;
    for (const Checkout& one : now.checkouts) {
        const Checkout* was = find(before, one);
        const bool is_unread = one.kind == Checkout::Unread;
        const bool is_worktree = one.kind == Checkout::Worktree;
        // What was risky before is so because the user wants it.
        if (was != nullptr && !is_unread && !was->risk.empty()) continue;
        const auto risk = is_unread ? one.risk : risk_of(one.git, one.hooks, before.trusted);
        if (!risk) continue;
        RiskyCheckout risky{one.git, *risk, one.must_go, is_unread};
        // The settings of the others were read-only during the call: the user has changed them, or
        // a process that had opened them before.
        risky.was_harmless = was != nullptr && !is_unread;
        if (risky.was_harmless || is_worktree) risky.must_go = is_worktree && was != nullptr;
        if (is_unread) risky.must_go = was == nullptr || was->seen.identity != one.seen.identity;
        // Without its HEAD, a workspace is no bare repository.
        if (one.kind == Checkout::Bare) risky.git /= "HEAD";
        found.push_back(std::move(risky));
    }
    // Nobody would look at a worktree any more that its repository does not know.
    for (const Checkout& one : before.checkouts) {
        if (one.kind != Checkout::Worktree || !one.risk.empty() || find(now, one) != nullptr)
            continue;
        if (may_be_there(one.git))
            found.push_back({one.git, "its repository was told that it is gone"});
    }
    return found;
}

}  // namespace husk::confine
