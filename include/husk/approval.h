// What is checked before a command is started, and who is asked where a rule says so.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report.h"

namespace husk {

// The rules by which commands are judged, and the packs of checks that are on where a file says
// nothing else: docs/rules.md. They are a guide; the boundary is a closed mode. Variables and
// standard input that come with a call are weighed with it.
struct Checks {
    // A husk.yaml, whose rules and packs count; an "always" is written to it. One that does not
    // exist says nothing. Empty: none, and nothing can be allowed always.
    std::filesystem::path file = {};
    // More of them: "Bash(git push:*)".
    std::vector<std::string> allow = {};
    std::vector<std::string> ask = {};
    std::vector<std::string> deny = {};
};

// One command of a script, at any depth, and what is said to it.
struct JudgedCommand {
    std::string text = {};
    size_t begin = 0;  // its range in the script
    size_t end = 0;
    std::string decision = {};  // allow, ask, deny
    std::string rule = {};      // that decided; empty: none had a say
    std::string where = {};     // it stands: "husk.yaml:12", "built in: rm"
    std::string reason = {};
    std::string instead = {};     // a safer way, where one is known
    std::string allow_with = {};  // the smallest rule that would allow it
    std::string change = {};      // the rule that would have to be changed first
};

// A script that a rule asks about, with what a person needs to judge it.
struct Question {
    struct File {
        std::string path = {};       // as it is written
        std::string operation = {};  // read, write, append, delete
    };
    // What "always" would write, and to which file.
    struct Always {
        std::filesystem::path file = {};
        std::string text = {};     // empty: it can only be allowed once,
        std::string why_not = {};  // because of this
    };

    std::string command = {};  // the whole script
    std::filesystem::path working_dir = {};
    Verdict verdict = {};
    std::vector<JudgedCommand> commands = {};
    bool understood = true;
    std::vector<std::string> not_understood = {};  // why not: what nobody can know before it runs
    std::vector<File> files = {};                  // that it names
    Always always = {};
};

struct Answer {
    enum Kind {
        AllowOnce,
        AllowAlways,  // once, where it cannot be kept
        Deny,
        Unanswered,  // nobody could be asked; it is not run either
    };
    Kind kind = Unanswered;
    std::string reason = {};      // of one that is no; whoever wanted the command is told
    std::string by = "approver";  // for the audit
};

// Who is asked: a person at some screen, or a program. `answer` may be called at once or later, by
// any thread; the first time counts. The thread that asks must not be kept by one that waits.
using Approver = std::function<void(const Question& question, std::function<void(Answer)> answer)>;

}  // namespace husk
