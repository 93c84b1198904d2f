// debug_info.command_parsing: what was understood of a command, in the words of this contract.
#include <algorithm>
#include <set>
#include <span>

#include "base/utf8.h"
#include "contract/docware.h"
#include "parse/tokens.h"

namespace husk::contract {
namespace {

using parse::Command;
using parse::Redirect;
using parse::Token;
using parse::Via;
using parse::Word;

// For people who look for a mistake; a script of thousands of commands is no help to them.
constexpr size_t most_commands = 50;
constexpr size_t most_words = 100;
constexpr size_t most_tokens = 500;

bool is_quoted(const parse::Piece& piece) { return piece.quoted; }

std::string_view type_of_word(const Word& word) {
    // "$x" is a string; "" has one piece, with nothing in it.
    if (!word.pieces.empty() && std::ranges::all_of(word.pieces, is_quoted)) return "string";
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

// Where programs stand in the text.
std::set<size_t> program_places(const parse::Script& script) {
    std::set<size_t> places;
    for (const Command& command : script.commands)
        if (command.via == Via::Script && !command.words.empty())
            places.insert(command.words.front().range.begin);
    return places;
}

std::string_view type_of(const Token& token, bool is_program) {
    switch (token.kind) {
        case Token::Kind::Word: return is_program ? "command" : type_of_word(token.word);
        case Token::Kind::Assignment: return "assignment";
        case Token::Kind::Operator: return "operator";
        case Token::Kind::Keyword: return "keyword";
        case Token::Kind::Arithmetic: return "arithmetic";
        case Token::Kind::Document: break;
    }
    return "document";
}

struct Opened {
    char close;
    size_t depth;  // how many others are open around it
};

size_t behind(std::string_view text, size_t at, Opened opened);

// Where the text goes on behind the letter at `at`, and all that this letter opens.
size_t behind_one(std::string_view text, size_t at, Opened inside) {
    const char letter = text[at];
    const bool in_double = inside.close == '"';
    const size_t depth = inside.depth + 1;
    if (letter == '\\') return at + 2;
    if (letter == '`') return behind(text, at + 1, {'`', depth});
    if (letter == '"' && !in_double) return behind(text, at + 1, {'"', depth});
    if (letter == '\'' && !in_double) return text.find('\'', at + 1) + 1;
    if (letter == '(' && !in_double) return behind(text, at + 1, {')', depth});
    const bool expands = letter == '$' && at + 1 < text.size();
    if (expands && text[at + 1] == '(') return behind(text, at + 2, {')', depth});
    if (expands && text[at + 1] == '{') return behind(text, at + 2, {'}', depth});
    return at + 1;
}

// Where the text goes on behind the letter that closes what was opened before `at`; npos if nothing
// closes it.
size_t behind(std::string_view text, size_t at, Opened opened) {
    if (opened.depth > parse::Limits{}.depth) return std::string_view::npos;
    while (at < text.size()) {
        if (text[at] == opened.close) return at + 1;
        at = behind_one(text, at, opened);
        if (at == 0) break;  // no ' closes this one
    }
    return std::string_view::npos;
}

// The quotes in which all of the word stands: ' or " or nothing.
std::string quotes_around(std::string_view text) {
    if (text.size() < 2 || (text.front() != '\'' && text.front() != '"')) return "";
    const size_t end = text.front() == '"' ? behind(text, 1, {'"', 0}) : text.find('\'', 1) + 1;
    return end == text.size() ? std::string(1, text.front()) : "";
}

// As bash takes it.
std::string value_of(const Token& token, std::string_view text) {
    if (token.kind == Token::Kind::Word) return token.word.shown();
    std::string value(text);
    const bool is_short = token.kind == Token::Kind::Operator || token.kind == Token::Kind::Keyword;
    for (size_t at = 0; is_short && (at = value.find("\\\n")) != std::string::npos;)
        value.erase(at, 2);
    // 2> is > with a descriptor.
    const bool redirects =
        token.kind == Token::Kind::Operator && value.find_first_of("<>") != std::string::npos;
    if (redirects) value.erase(0, value.find_first_of("&<>"));
    return value;
}

// The value, and the text with its quotes as it stands from `start` to `end`,
// which count bytes of the command.
Json token_json(const Token& token, bool is_program, std::string_view source) {
    const std::string_view text =
        source.substr(token.range.begin, token.range.end - token.range.begin);
    Json json = {{"type", type_of(token, is_program)},
                 {"value", text::to_utf8(value_of(token, text))}};
    if (std::ranges::any_of(token.word.pieces, is_quoted)) {
        json["quoted"] = true;
        if (const std::string quotes = quotes_around(text); !quotes.empty())
            json["quoteType"] = quotes;
    }
    json["text"] = text::to_utf8(text);
    json["start"] = token.range.begin;
    json["end"] = token.range.end;
    return json;
}

Json command_json(const Command& command) {
    Json args = Json::array();
    Json options = Json::array();
    const std::span<const Word> words = command.words;
    for (size_t i = 1; i < std::min(words.size(), most_words); ++i) {
        const bool option = type_of_word(words[i]) == "option";
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
    const std::vector<Token> all = parse::tokens(call.line);
    const std::set<size_t> programs = program_places(script);
    const size_t listed = std::min(all.size(), most_tokens);
    for (const Token& token : std::span(all).first(listed))
        tokens.push_back(token_json(token, programs.contains(token.range.begin), call.line));
    const size_t shown = std::min(script.commands.size(), most_commands);
    for (const Command& command : std::span(script.commands).first(shown))
        commands.push_back(command_json(command));
    Json plan = call.shell ? Json{{"mode", "shell"}, {"interpreter", "bash -c"}}
                           : Json{{"mode", "argv"}, {"interpreter", nullptr}};
    Json json = {{"originalCommand", text::to_utf8(call.line)},
                 {"tokens", std::move(tokens)},
                 {"ast",
                  {{"type", script.pipelines.empty() ? "list" : "pipeline"},
                   {"commands", std::move(commands)}}},
                 {"securityAnalysis", {{"riskLevel", risk}, {"understood", script.understood()}}},
                 {"executionPlan", std::move(plan)},
                 {"isSecure", risk == "low" && script.understood()}};
    if (listed < all.size()) json["tokensLeftOut"] = all.size() - listed;
    if (shown < script.commands.size()) json["commandsLeftOut"] = script.commands.size() - shown;
    return json;
}

}  // namespace husk::contract
