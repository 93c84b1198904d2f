// Before a command is started by a program that has given its tool rules: judged, and where a rule
// asks, asked about.
#pragma once

#include <husk/bash.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tool/judge.h"
#include "tool/questions.h"
#include "tool/rule_book.h"

namespace husk::tool {

// Its destructor settles open questions: these commands are not run.
class Gate {
public:
    static Result<std::unique_ptr<Gate>> make(const Checks& checks);

    // What was decided: the ending of what is not run, or none.
    struct Decided {
        std::optional<Verdict> verdict = {};  // none if the request is impossible anyway
        std::optional<Ending> refused = {};
        std::vector<std::string> notes = {};

        void tell(Report& report) const;
    };
    using Then = std::function<void(const Decided&)>;

    // `then` is called once: at once, or by whoever answers, or when the call is cancelled.
    void pass(const Request& request, const ToolContext& context, Then then);
    // The same, when that is known.
    Decided pass(const Request& request, const ToolContext& context);

private:
    explicit Gate(decide::Rules rules, RuleBook::Memory memory)
        : rules_(std::move(rules), std::move(memory)) {}

    void ask(const Judged& judged, const ToolContext& context, Then then);
    Decided decided(const Judged& judged, const Answer& answer);

    RuleBook rules_;
    Questions questions_;  // destroyed first, because settling a question needs the rules
};

}  // namespace husk::tool
