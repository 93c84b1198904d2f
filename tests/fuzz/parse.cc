// Whatever the script is, the parser answers, and its answer hangs together.
#include "parse/script.h"
#include "target.h"

namespace husk::fuzz {
namespace of_parse {
namespace {

using husk::parse::Command;
using husk::parse::Range;
using husk::parse::Script;

void check_range(const Range& range, const Script& script) {
    demand(range.begin <= range.end, "a range ends after it begins");
    demand(range.end <= script.source.size(), "a range lies in the source");
}

void check_command(const Script& script, size_t index) {
    const Command& command = script.commands[index];
    check_range(command.range, script);
    for (const auto& word : command.words) check_range(word.range, script);
    for (const auto& assignment : command.assignments) {
        check_range(assignment.range, script);
        check_range(assignment.value.range, script);
    }
    for (const auto& redirect : command.redirects) {
        check_range(redirect.range, script);
        check_range(redirect.target.range, script);
    }
    if (command.carrier == Command::none) {
        demand(command.depth == 0, "a command without a carrier has no depth");
        return;
    }
    demand(command.carrier < index, "a carrier stands before the commands that it carries");
    demand(command.depth == script.commands[command.carrier].depth + 1, "depth counts carriers");
}

}  // namespace
}  // namespace of_parse

void parse(std::string_view bytes) {
    using namespace of_parse;
    const Script script = husk::parse::parse(bytes);
    demand(script.source == bytes, "the source is kept");
    for (size_t i = 0; i < script.commands.size(); ++i) check_command(script, i);
    for (const auto& pipeline : script.pipelines) {
        demand(pipeline.stages.size() > 1, "a pipeline has stages");
        for (const auto& stage : pipeline.stages) {
            demand(stage.first <= stage.last, "a stage ends after it begins");
            demand(stage.last <= script.commands.size(), "a stage has commands of the script");
        }
    }
    for (const auto& function : script.functions)
        demand(function.first <= function.last && function.last <= script.commands.size(),
               "a function has commands of the script");
    for (const auto& loop : script.loops) {
        demand(loop.first <= loop.last && loop.last <= script.commands.size(),
               "a loop has commands of the script");
        for (const auto& word : loop.words) check_range(word.range, script);
    }
}

}  // namespace husk::fuzz
