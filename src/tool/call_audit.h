// What the audit is told about one call: that its command begins, and how it ended; or, where
// nothing was started, why.
#pragma once

#include <husk/bash.h>

#include <memory>
#include <string>

#include "os/events.h"
#include "parse/script.h"
#include "record/entry.h"
#include "record/journal.h"

namespace husk::tool {

class CallAudit {
public:
    CallAudit(std::shared_ptr<audit::Journal> journal, audit::Asked what)
        : asked(std::move(what)), journal_(std::move(journal)) {}
    ~CallAudit();  // a call that is dropped without a word is one whose client was asked first
    CallAudit(const CallAudit&) = delete;
    CallAudit& operator=(const CallAudit&) = delete;

    // Whoever learns something of it writes it here, before the call begins.
    audit::Asked asked;

    // Its command has been handed over, as this shell. A second time: the first came to nothing.
    void begins(const std::string& shell_id);
    void ended(const Report& report);
    // A shell that somebody else started, and that may be gone when anybody asks about it.
    void saw_end_of(const Report& shell);
    // It was about a shell, or not understood; nothing of its own was run.
    void over(const std::string& shell_id, const std::string& error);

    // Its beginning is on record.
    bool has_begun() const { return has_begun_; }

    // Why something is not in the audit; empty: nothing is wrong.
    const std::string& trouble() const { return trouble_; }

private:
    bool write(const std::string& record);
    double elapsed_ms() const;

    std::shared_ptr<audit::Journal> journal_;
    os::Clock::time_point began_ = os::Clock::now();
    std::string id_;  // of what has begun
    bool has_begun_ = false;
    bool is_over_ = false;
    std::string trouble_;
};

// The programs that a script names, each once, as far as that can be known.
std::vector<std::string> programs_of(const parse::Script& script);

}  // namespace husk::tool
