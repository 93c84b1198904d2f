// The tool itself. One object serves any number of conversations, from any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "approval.h"
#include "report.h"
#include "request.h"

namespace husk {

struct Settings {
    std::filesystem::path state = {};             // empty: $HUSK_STATE, else $XDG_STATE_HOME/husk
    uint64_t state_quota = 1ULL << 30;            // bytes of spools in it
    std::chrono::milliseconds linger{3'600'000};  // of a named session
    std::chrono::milliseconds max_lifetime{86'400'000};  // of what nobody waits for
    // For background calls: how long to wait for an early end, so that a typo shows at once.
    std::chrono::milliseconds early_end{200};
    // The same checks are on as in `husk run`. Where a rule asks, the context's approver decides.
    // None: every command is started, as with `--checks off`.
    std::optional<Checks> checks = Checks{};
};

class Bash {
public:
    explicit Bash(Settings settings = {});
    ~Bash();
    Bash(Bash&&) noexcept;
    Bash& operator=(Bash&&) noexcept;

    // Runs one command and waits for its ending, or until it has moved to the background.
    // Never throws for what happened to the command: whatever it was is in the report.
    Report run(const Request& request, const ToolContext& context = {});

    // The same without waiting: `done` is called once, on a thread of the tool's own, which
    // must not be kept. Calls of any number may be under way.
    void run(Request request, ToolContext context, std::function<void(Report)> done);

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace husk
