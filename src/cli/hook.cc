// `husk hook claude`: a PreToolUse event of Claude Code comes in, and a decision goes out.
// docs/hooks.md.
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "cli/complaints.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "render/report_json.h"
#include "request/schema.h"
#include "tool/judge.h"
#include "tool/working_dir.h"

namespace husk::cli {
namespace {

namespace fs = std::filesystem;
using decide::Decision;
using schema::Json;

// A hook that fails in any other way than this is passed over, and the command is run.
int block(const std::string& why) {
    fail(why);
    return hook_blocks;
}

int block(const std::vector<Complaint>& complaints) {
    fail(complaints);
    return hook_blocks;
}

// Nothing unless it is a text.
std::optional<std::string> text_in(const Json& object, const char* name) {
    if (!object.is_object()) return std::nullopt;
    const auto found = object.find(name);
    if (found == object.end() || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
}

bool is_inside(const fs::path& path, const fs::path& root) {
    const fs::path relative = path.lexically_normal().lexically_relative(root.lexically_normal());
    return !relative.empty() && *relative.begin() != "..";
}

// Where the file beside the work is looked for: a command that has gone to a folder of the project
// has not left its rules behind.
fs::path workspace_of(const fs::path& cwd) {
    const char* project = std::getenv("CLAUDE_PROJECT_DIR");  // NOLINT(concurrency-mt-unsafe)
    if (project == nullptr || project[0] != '/') return cwd;
    return is_inside(cwd, project) ? fs::path(project) : cwd;
}

// To say "allow" is to spare the user a question, so it takes a rule that says so.
bool has_an_opinion(const decide::Verdict& verdict) {
    return verdict.decision != Decision::Allow || !verdict.rule.empty();
}

std::string reason_of(const decide::Verdict& verdict) {
    if (verdict.decision != Decision::Allow) return "husk: " + render::explanation(verdict);
    return "husk: allowed by " + verdict.rule +
           (verdict.where.empty() ? "" : " at " + verdict.where);
}

Json decision_json(const decide::Verdict& verdict) {
    return {{"hookSpecificOutput",
             {{"hookEventName", "PreToolUse"},
              {"permissionDecision", decide::word(verdict.decision)},
              {"permissionDecisionReason", reason_of(verdict)}}}};
}

int judge_command(const std::string& command, const fs::path& cwd, const std::string& config) {
    config::Settings flags;
    flags.working_directory = {workspace_of(cwd).string(), config::from_flag("cwd")};
    const auto configuration = tool::read_configuration(config, flags);
    if (!configuration) return block(configuration.error());
    const auto rules = tool::usable_rules(*configuration);
    if (!rules) return block(rules.error());
    Request call;
    call.command = command;
    call.working_dir = cwd;
    const tool::Judged judged = tool::judge_call(call, tool::place_of(call, {}), *rules);
    if (!has_an_opinion(judged.verdict)) return 0;
    const std::string answer = render::dump(decision_json(judged.verdict)) + "\n";
    return write_out(STDOUT_FILENO, answer) ? 0 : block("the decision could not be written");
}

int answer_claude(const std::string& text, const std::string& config) {
    const auto event = schema::read_object(text);
    if (!event) return block("the event cannot be read: " + event.error());
    const auto name = text_in(*event, "hook_event_name");
    if (!name) return block("the event has no hook_event_name");
    // There is nothing to block; that it is wired up wrongly is for the user to know.
    if (*name != "PreToolUse") {
        fail("husk hook claude answers PreToolUse, not " + *name);
        return hook_is_misplaced;
    }
    const auto tool = text_in(*event, "tool_name");
    if (!tool) return block("the event has no tool_name");
    if (*tool != "Bash") return 0;
    const auto input = event->find("tool_input");
    const auto command = input == event->end() ? std::nullopt : text_in(*input, "command");
    if (!command) return block("the event has no tool_input.command");
    const auto cwd = text_in(*event, "cwd");
    if (!cwd || !cwd->starts_with('/')) return block("the event has no cwd that is a whole path");
    return judge_command(*command, *cwd, config);
}

}  // namespace

void add_hook(CLI::App& app, int& code) {
    auto config = std::make_shared<std::string>();
    CLI::App* sub = app.add_subcommand("hook", "Judge commands for another program's shell tool");
    sub->require_subcommand(1);
    CLI::App* claude =
        sub->add_subcommand("claude", "Answer a PreToolUse event of Claude Code on standard input");
    claude->footer(
        "Prints allow, deny or ask with the reason, or nothing where no rule has a say. Exits\n"
        "with 0; with 2, which blocks the command, when it cannot be judged.");
    add_config(*claude, *config);
    claude->callback(
        [config, &code] { code = answer_claude(read_up_to(STDIN_FILENO, most_json), *config); });
}

}  // namespace husk::cli
