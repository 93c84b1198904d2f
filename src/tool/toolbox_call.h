// A call of the tools while it is under way. Only for the files of the toolbox.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "collect/shell_files.h"
#include "tool/call_audit.h"
#include "tool/call_watch.h"
#include "tool/file_states.h"
#include "tool/private_dir.h"
#include "tool/toolbox_in_force.h"

namespace husk::tool {

struct Toolbox::Call {
    std::string tool;
    std::string arguments;
    CallContext context;
    Done done;
    InForcePtr in_force = {};  // the configuration that it began with, to its end
    contract::Action action = {};
    Verdict verdict = {};
    std::unique_ptr<CallAudit> audit = {};
    std::string remembered = {};  // what became of a person's "always"
    // Of a Run:
    std::optional<collect::ShellFiles> shell = {};  // of its command
    std::optional<PrivateDir> tmp = {};
    std::string forgotten_shell = {};  // whose log is removed before the answer; empty: none
    std::unique_ptr<CallWatch> eye = {};
    std::optional<FileStates> files = {};
    // Of a Talk: where its bash was when somebody agreed to the command.
    std::optional<std::filesystem::path> agreed_in = {};
};

// What the rules, and the contract's own checks, say to a command.
struct Toolbox::Weighed {
    std::string command;
    std::filesystem::path working_dir;
    Judged judged = {};
    Verdict verdict = {};  // as it is told
};

}  // namespace husk::tool
