#include "render/verdict_json.h"

#include "base/utf8.h"
#include "render/question.h"
#include "render/text_or_null.h"

namespace husk::render {
namespace {

using Json = nlohmann::ordered_json;

Json command_json(const JudgedCommand& command) {
    return {{"text", text::to_utf8(command.text)},
            {"range", Json::array({command.begin, command.end})},
            {"decision", command.decision},
            {"rule", text_or_null(command.rule)},
            {"where", text_or_null(command.where)},
            {"reason", text_or_null(command.reason)},
            {"instead", text_or_null(command.instead)},
            {"allow_with", text_or_null(command.allow_with)},
            {"change", text_or_null(command.change)}};
}

}  // namespace

Json verdict_json(const Question& question) {
    Json not_understood = Json::array();
    for (const std::string& why : question.not_understood)
        not_understood.push_back(text::to_utf8(why));
    Json commands = Json::array();
    for (const JudgedCommand& command : question.commands)
        commands.push_back(command_json(command));
    Json files = Json::array();
    for (const Question::File& file : question.files)
        files.push_back({{"path", text::to_utf8(file.path)}, {"operation", file.operation}});
    return {
        {"decision", question.verdict.decision}, {"reason", text_or_null(question.verdict.reason)},
        {"understood", question.understood},     {"not_understood", std::move(not_understood)},
        {"commands", std::move(commands)},       {"files", std::move(files)}};
}

Json verdict_json(const parse::Script& script, const decide::Verdict& verdict) {
    return verdict_json(question_of(script, verdict));
}

}  // namespace husk::render
