#include "render/verdict_json.h"

#include "base/utf8.h"

namespace husk::render {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text::to_utf8(text));
}

Json command_json(const parse::Script& script, const decide::Judgement& judgement) {
    const parse::Command& command = script.commands.at(judgement.command);
    return {{"text", text::to_utf8(command.text)},
            {"range", Json::array({command.range.begin, command.range.end})},
            {"decision", decide::word(judgement.decision)},
            {"rule", text_or_null(judgement.rule)},
            {"where", text_or_null(judgement.where)},
            {"reason", text_or_null(judgement.reason)},
            {"instead", text_or_null(judgement.instead)},
            {"allow_with", text_or_null(judgement.allow_with)},
            {"change", text_or_null(judgement.change)}};
}

}  // namespace

Json verdict_json(const parse::Script& script, const decide::Verdict& verdict) {
    Json not_understood = Json::array();
    for (const std::string& why : script.not_understood)
        not_understood.push_back(text::to_utf8(why));
    Json commands = Json::array();
    for (const decide::Judgement& judgement : verdict.commands)
        commands.push_back(command_json(script, judgement));
    Json files = Json::array();
    for (const decide::FileUse& file : verdict.files)
        files.push_back({{"path", text::to_utf8(file.path)}, {"operation", file.operation}});
    return {{"decision", decide::word(verdict.decision)},
            {"reason", text_or_null(verdict.reason)},
            {"understood", verdict.understood},
            {"not_understood", std::move(not_understood)},
            {"commands", std::move(commands)},
            {"files", std::move(files)}};
}

}  // namespace husk::render
