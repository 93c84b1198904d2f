// The tools of a contract, as JSON: their list for the model, and the results of its calls. They
// are those of `husk mcp`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "report.h"
#include "request.h"

namespace husk {

struct ToolSettings {
    // husk, phoenix, codegen, docware, agentrail, yoi, claude-code or anthropic. Empty: the one
    // that husk.yaml names; husk if it names none.
    std::string contract = {};
    // The only husk.yaml that is read. Empty: the file that $HUSK_CONFIG names, else the user's
    // own, and the one in the workspace, which may only narrow.
    std::filesystem::path config = {};
    // Entries of a husk.yaml that count more than any file: "mode: open\nlimits: {memory: 2G}".
    std::string overrides = {};
    // Empty: the state directory that husk.yaml names; if it names none, the default of Settings.
    std::filesystem::path state = {};
    // Each result has the report of its command, without output, in `_meta` as "husk/report".
    bool report_in_meta = false;
};

// One object serves any number of conversations, from any thread, and keeps nothing about them:
// everything comes in a ToolContext. Its fields mean the same as for Bash, except that a field with
// its default value leaves the choice of walls to the contract and the configuration:
//
// * `mode` Open is the default. Another mode counts more than contract and configuration, and
//   ReadOnly has no network. To open what they close, use ToolSettings::overrides.
// * `network` None is the default. Another network counts, and the mode must permit it. To close
//   a network that they open, use the override "network: none".
// * With `allowed_paths`, the `allowed_paths` of a call count only where both overlap.
// * `writable`, `readable`, `protect` and `accept` are added to those of the configuration; `cache`
//   replaces that of the configuration.
// * With an empty `session`, calls with the same workspace, walls and `caller` share a session. A
//   caller sees its own shells in this workspace, and all shells of a session that it names.
//
// Calls are judged, and recorded in the audit, like those of `husk mcp`. A changed configuration
// counts from the next call on.
class Tools {
public:
    explicit Tools(ToolSettings settings = {});
    // Cancels all calls that are under way, and answers them, before it returns. Commands in the
    // background go on. It must not be called by a callback of one of its calls. A call that such
    // a callback makes meanwhile is answered with an error.
    ~Tools();
    Tools(Tools&&) noexcept;
    Tools& operator=(Tools&&) noexcept;

    // MCP's ListToolsResult, as JSON. The descriptions name the directory and the walls of the
    // context. The error says what is wrong with the settings or the configuration.
    std::variant<std::string, Error> list(const ToolContext& context = {}) const;

    // For a program that starts. The error says why no call in this context could start a command.
    // Otherwise returns warnings for the user: walls that this machine lacks, entries of files that
    // do not count, rules that can never apply, and why a changed configuration is refused while
    // calls go on with the one from before. Makes the state directory if there is none.
    std::variant<std::vector<std::string>, Error> check(const ToolContext& context = {}) const;

    // Calls a tool and waits for the answer: MCP's CallToolResult, as JSON. Failed commands and
    // wrong arguments are results too. There is an error only if `list` has one, or if there is no
    // tool of that name.
    std::variant<std::string, Error> call(const std::string& name, const std::string& arguments,
                                          const ToolContext& context = {});

    // The same without waiting. `done` is called once, also for a cancelled call. Like the
    // functions of the context, it is called on a thread that it must not block, and it must not
    // throw. If the settings or the configuration are wrong, or the object is being destroyed, it
    // is called before this function returns, on the same thread. Any number of calls may be under
    // way.
    using Done = std::function<void(std::variant<std::string, Error> result)>;
    void call(const std::string& name, const std::string& arguments, ToolContext context,
              Done done);

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace husk
