// debug_info.command_parsing: what was understood of a command, in the words of this contract.
#include <algorithm>

#include "base/utf8.h"
#include "contract/docware.h"

namespace husk::contract {
namespace {

using parse::Command;
using parse::Redirect;
using parse::Via;
using parse::Word;

// For people who look for a mistake; a script of thousands of commands is no help to them.
constexpr size_t most_commands = 50;
constexpr size_t most_words = 100;

std::string_view type_of_word(const Word& word, bool is_program) {
    if (is_program) return "command";
    const bool quoted =
        !word.pieces.empty() && std::ranges::all_of(word.pieces, [](const auto& piece) {
            return piece.kind == parse::Piece::Kind::Text && piece.quoted;
        });
    if (quoted) return "string";
    const std::string text = word.shown();
    if (text.starts_with('-')) return "option";
    if (!word.known() && text.starts_with('$')) return "variable";
    return text.contains('/') ? "path" : "argument";
}

std::string_view operator_of(Redirect::Kind kind) {
    switch (kind) {
        case Redirect::Kind::Read: return "<";
        case Redirect::Kind::Write: return ">";
        case Redirect::Kind::Append: return ">>";
        case Redirect::Kind::ReadWrite: return "<>";
        case Redirect::Kind::Duplicate: return ">&";
        case Redirect::Kind::HereDocument: return "<<";
        case Redirect::Kind::HereString: return "<<<";
    }
    return "";
}

std::string_view word_of(Via via) {
    switch (via) {
        case Via::Script: return "script";
        case Via::Substitution: return "substitution";
        case Via::Wrapper: return "wrapper";
        case Via::Code: return "code";
        case Via::Remote: return "remote";
    }
    return "";
}

void add_tokens(Json& tokens, const Command& command) {
    const std::span<const Word> words = command.words;
    for (const Word& word : words.first(std::min(words.size(), most_words)))
        tokens.push_back({{"type", type_of_word(word, &word == words.data())},
                          {"value", text::to_utf8(word.shown())}});
    for (const Redirect& redirect : command.redirects) {
        tokens.push_back({{"type", "operator"}, {"value", operator_of(redirect.kind)}});
        tokens.push_back({{"type", "path"}, {"value", text::to_utf8(redirect.target.shown())}});
    }
}

Json command_json(const Command& command) {
    Json args = Json::array();
    Json options = Json::array();
    const std::span<const Word> words = command.words;
    for (size_t i = 1; i < std::min(words.size(), most_words); ++i) {
        const bool option = type_of_word(words[i], false) == "option";
        (option ? options : args).push_back(text::to_utf8(words[i].shown()));
    }
    Json redirections = Json::array();
    for (const Redirect& redirect : command.redirects)
        redirections.push_back({{"operator", operator_of(redirect.kind)},
                                {"target", text::to_utf8(redirect.target.shown())}});
    return {{"name", words.empty() ? "" : text::to_utf8(words[0].shown())},
            {"args", std::move(args)},
            {"options", std::move(options)},
            {"redirections", std::move(redirections)},
            {"via", word_of(command.via)}};
}

}  // namespace

Json parsed_command(const DocwareCall& call, const parse::Script& script, const std::string& risk) {
    Json tokens = Json::array();
    Json commands = Json::array();
    const size_t shown = std::min(script.commands.size(), most_commands);
    for (const Command& command : std::span(script.commands).first(shown)) {
        add_tokens(tokens, command);
        commands.push_back(command_json(command));
    }
    Json plan = call.shell ? Json{{"mode", "shell"}, {"interpreter", "bash -c"}}
                           : Json{{"mode", "argv"}, {"interpreter", nullptr}};
    Json json = {{"originalCommand", text::to_utf8(call.line)},
                 {"tokens", std::move(tokens)},
                 {"ast",
                  {{"type", script.pipelines.empty() ? "list" : "pipeline"},
                   {"commands", std::move(commands)}}},
                 {"securityAnalysis", {{"riskLevel", risk}, {"understood", script.understood()}}},
                 {"executionPlan", std::move(plan)},
                 {"isSecure", risk == "low"}};
    if (shown < script.commands.size()) json["commandsLeftOut"] = script.commands.size() - shown;
    return json;
}

}  // namespace husk::contract
