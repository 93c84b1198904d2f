// The tools of a contract: what a model is shown, what it calls and what it is answered, as JSON.
// `husk mcp` lists and answers the same.
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
    // The only husk.yaml that is read. Empty: the user's own, and the one in the workspace, which
    // may only narrow.
    std::filesystem::path config = {};
    // Entries of a husk.yaml that count more than any file: "mode: open\nlimits: {memory: 2G}".
    std::string overrides = {};
    // Empty: as husk.yaml says; else as in Settings.
    std::filesystem::path state = {};
    // Each result has the report of its command, without output, in `_meta` as "husk/report".
    bool report_in_meta = false;
};

// One object serves any number of conversations, from any thread, and keeps nothing of them: all of
// that comes in a ToolContext. Its fields mean what they mean to Bash, except that the contract and
// the configuration decide about the walls where the context says nothing:
//
// * `mode` Open says nothing. Another mode counts more than contract and configuration, and
//   ReadOnly has no network. To open what they close, use ToolSettings::overrides.
// * `network` None says nothing. Another one counts, and must be one that the mode can have.
// * `writable`, `readable`, `protect` and `accept` are added to those of the configuration; `cache`
//   counts instead of its own.
// * An empty `session` is the one of the workspace, the walls and the `caller`. A caller sees its
//   own shells in this workspace, and all of a session that it names.
//
// Calls are judged, and recorded in the audit, as those of `husk mcp` are. A configuration is read
// when a context is new to the object.
class Tools {
public:
    explicit Tools(ToolSettings settings = {});
    // Cancels all calls that are under way, and answers them, before it returns. Commands in the
    // background go on. It must not be called by a callback of one of its calls.
    ~Tools();
    Tools(Tools&&) noexcept;
    Tools& operator=(Tools&&) noexcept;

    // MCP's ListToolsResult, as JSON. Descriptions tell of the context's directory and walls. The
    // error says what is wrong with the settings or the configuration.
    std::variant<std::string, Error> list(const ToolContext& context = {}) const;

    // Why no call in this context could start a command, which a program may want to know when it
    // starts; or what its user should be warned of: walls that this machine lacks, and rules that
    // can never apply.
    std::variant<std::vector<std::string>, Error> check(const ToolContext& context = {}) const;

    // Calls a tool and waits for the answer: MCP's CallToolResult, as JSON. Whatever became of the
    // command is in there, and so is what is wrong with the arguments. There is an error only where
    // there are no tools (see `list`) or none of that name.
    std::variant<std::string, Error> call(const std::string& name, const std::string& arguments,
                                          const ToolContext& context = {});

    // The same without waiting: `done` is called once, as the functions of the context are, on a
    // thread that must not be kept. Calls of any number may be under way. One that is cancelled is
    // answered too.
    using Done = std::function<void(std::variant<std::string, Error> result)>;
    void call(const std::string& name, const std::string& arguments, ToolContext context,
              Done done);

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace husk
