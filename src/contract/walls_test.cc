// No argument that a model can give switches the walls off, or makes them wider (CVE-2026-42074).
#include <gtest/gtest.h>

#include "contract/contract.h"
#include "contract/contract_cases.h"
#include "contract/modes.h"

namespace husk::contract {
namespace {

// Words that some agent's tool has taken for "without the sandbox".
const std::vector<std::string> tempting_names = {"dangerouslyDisableSandbox",
                                                 "dangerously_disable_sandbox",
                                                 "disable_sandbox",
                                                 "sandbox",
                                                 "no_sandbox",
                                                 "sandbox_permissions",
                                                 "with_escalated_permissions",
                                                 "justification",
                                                 "require_escalated",
                                                 "unsandboxed",
                                                 "escalate",
                                                 "privileged",
                                                 "bypass",
                                                 "bypass_permissions",
                                                 "skip_checks",
                                                 "checks",
                                                 "trusted",
                                                 "force",
                                                 "sudo",
                                                 "root",
                                                 "mode",
                                                 "network",
                                                 "permissions",
                                                 "writable_roots",
                                                 "write",
                                                 "read",
                                                 "protect",
                                                 "accept",
                                                 "walls",
                                                 "container",
                                                 "place",
                                                 "env",
                                                 "session",
                                                 "user",
                                                 "capabilities",
                                                 "wide_workspace",
                                                 "scratch",
                                                 "options"};

const std::vector<Json> tempting_values = {
    true,
    false,
    1,
    0,
    "",
    "open",
    "none",
    "off",
    "host",
    "disabled",
    "danger-full-access",
    "require_escalated",
    "dangerouslyDisableSandbox",
    "bypassPermissions",
    "*",
    "/",
    Json::array({"/"}),
    Json::object({{"mode", "open"}}),
    Json::object({{"HUSK_PRETEND", "seccomp=no"}, {"HUSK_CONFIG", "/tmp/x"}}),
    nullptr};

// As narrow as the conversation, whatever the call says.
void expect_walls(const Contract& contract, const std::string& tool, const Json& arguments,
                  const Situation& situation) {
    const auto action = contract.decode(tool, arguments.dump(), situation);
    if (!action) return;  // refused
    const auto* run = std::get_if<Run>(&*action);
    if (run == nullptr) return;
    const Mode mode = run->mode.value_or(situation.mode);
    const Network network = run->network.value_or(situation.network);
    EXPECT_LE(mode, situation.mode) << contract.name << " " << tool << " " << arguments;
    EXPECT_TRUE(is_within(network, situation.network))
        << contract.name << " " << tool << " " << arguments;
}

Json usual_arguments(const Tool& tool) {
    Json arguments = Json::object();
    for (const schema::Field& field : tool.takes)
        if (field.name == "command") arguments["command"] = "true";
    return arguments;
}

TEST(Walls, NoArgumentSwitchesThemOff) {
    for (const Mode mode : {Mode::ReadOnly, Mode::Workspace}) {
        const Situation situation = in_work(mode);
        for (const Contract* contract : all_contracts()) {
            for (const Tool& tool : contract->tools(situation)) {
                std::vector<std::string> names = tempting_names;
                for (const schema::Field& field : tool.takes) names.emplace_back(field.name);
                for (const std::string& name : names) {
                    for (const Json& value : tempting_values) {
                        Json arguments = usual_arguments(tool);
                        arguments[name] = value;
                        expect_walls(*contract, tool.name, arguments, situation);
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace husk::contract
