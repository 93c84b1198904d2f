#include "parse/variables.h"

#include <algorithm>
#include <array>
#include <span>

#include "parse/letters.h"
#include "parse/variable_table.h"

namespace husk::parse {
namespace {

template <size_t N>
bool lists(const std::array<std::string_view, N>& table, std::string_view name) {
    return std::ranges::find(table, name) != table.end();
}

std::string_view base_name(std::string_view text) {
    size_t end = 0;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    return text.substr(0, end);
}

// The text begins with =, +=, <<=, ++ and the like; not with == or <=.
bool is_assignment_operator(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
    if (text.starts_with("++") || text.starts_with("--")) return true;
    if (text.starts_with("<<") || text.starts_with(">>"))
        text.remove_prefix(2);
    else if (!text.empty() && std::string_view("+-*/%&|^").contains(text[0]))
        text.remove_prefix(1);
    return text.starts_with('=') && !text.starts_with("==");
}

// The name at the start of a word, which may be x, x[1], x=1 or x+=1.
std::string name_in(const Word& word) {
    const std::string text = word.known_start();
    const std::string_view name = base_name(text);
    return name.size() == text.size() && !word.known() ? "" : std::string(name);
}

class Finder {
public:
    explicit Finder(const Command& command) : words_(command.words) {
        for (const std::string& name : command.sets) found_.push_back({.name = name});
        if (words_.empty()) return;
        const std::string program = command.program();
        if (program == "export" || program == "readonly")
            find_declared(true);
        else if (program == "declare" || program == "typeset" || program == "local")
            find_declared(false);
        else if (program == "env")
            find_assigned();
        else if (program == "printf")
            find_operands("v", none, 'v');
        else if (program == "wait")
            find_operands("p", none, 'p');
        else if (program == "read")
            find_operands("adinNptu", 0, 'a');
        else if (program == "mapfile" || program == "readarray")
            find_operands("dnOsuCc", 0, '\0');
        else if (program == "getopts")
            find_operands("", 1, '\0');
        else if (program == "unset")
            find_unset();
    }

    std::vector<SetVariable> found() && { return std::move(found_); }

private:
    static constexpr size_t none = static_cast<size_t>(-1);

    std::span<const Word> arguments() const { return std::span(words_).subspan(1); }

    static bool is_option(const Word& word) {
        const std::string text = word.known_start();
        return text.size() > 1 && (text[0] == '-' || text[0] == '+');
    }

    void add(const Word& word) { found_.push_back({.name = name_in(word)}); }

    void find_declared(bool only_with_value) {
        bool reference = false;
        for (const Word& word : arguments()) {
            const std::string text = word.known_start();
            if (is_option(word)) {
                reference |= text[0] == '-' && text.contains('n');
                continue;
            }
            const size_t equals = text.find('=');
            if (equals == std::string::npos && word.known() && only_with_value) continue;
            found_.push_back(
                {.name = name_in(word), .word = equals == std::string::npos ? nullptr : &word});
            // declare -n x=PATH: to set x is to set PATH.
            if (reference && equals == std::string::npos) found_.push_back({.name = ""});
            if (reference && !only_with_value && equals != std::string::npos) {
                const std::string target = text.substr(equals + 1);
                found_.push_back({.name = word.known() ? std::string(base_name(target)) : ""});
            }
        }
    }

    void find_assigned() {
        for (const Word& word : arguments())
            if (word.known_start().contains('=') && !is_option(word))
                found_.push_back({.name = name_in(word), .word = &word});
    }

    // Operands from the one with this number on; options with a value are passed over.
    void find_operands(std::string_view with_value, size_t from, char names_too) {
        size_t operand = 0;
        for (size_t i = 1; i < words_.size(); ++i) {
            const std::string text = words_[i].known_start();
            if (!text.starts_with('-') || text.size() < 2) {
                if (operand++ >= from) add(words_[i]);
                continue;
            }
            const size_t letter = text.find_first_of(with_value, 1);
            if (letter == std::string::npos) continue;
            const bool apart = letter + 1 == text.size() && words_[i].known();
            const bool is_name = text[letter] == names_too;
            if (!apart && is_name)
                found_.push_back({.name = std::string(base_name(text.substr(letter + 1)))});
            if (apart && ++i < words_.size() && is_name) add(words_[i]);
        }
    }

    void find_unset() {
        for (const Word& word : arguments()) {
            if (word.is("-f")) return;
            if (!is_option(word)) found_.push_back({.name = name_in(word), .is_gone = true});
        }
    }

    const std::vector<Word>& words_;
    std::vector<SetVariable> found_;
};

}  // namespace

bool decides_what_runs(std::string_view name) {
    if (std::ranges::binary_search(deciding_variables, name)) return true;
    return std::ranges::any_of(deciding_prefixes, [&](std::string_view prefix) {
        return name.starts_with(prefix) && !lists(harmless_variables, name);
    });
}

bool is_command_variable(std::string_view name) { return lists(command_variables, name); }

std::string_view program_with_options_in(std::string_view variable) {
    const auto* found = std::ranges::find_if(option_variables, [&](const OptionVariable& entry) {
        return entry.name == variable ||
               (entry.name.ends_with('_') && variable.starts_with(entry.name));
    });
    return found == option_variables.end() ? "" : found->program;
}

bool may_hold_a_command(std::string_view variable, const Word& value) {
    const std::string text = value.shown();
    if (variable == "LESS") return text.contains('!');
    if (!decides_what_runs(variable) || lists(variables_without_commands, variable)) return false;
    if (!value.known() || text.empty()) return false;
    const bool is_place = std::string_view("/.~").contains(text[0]);
    const bool is_option = text[0] == '-';
    return text.find_first_of("|;&!`") != std::string::npos || text.contains("$(") ||
           (text.find_first_of(" \t\n") != std::string::npos && !is_place && !is_option);
}

bool is_evaluated(std::string_view name) { return lists(evaluated_variables, name); }

std::vector<SetVariable> variables_set_by(const Command& command) {
    return Finder(command).found();
}

std::string deciding_name_in(std::string_view arithmetic) {
    for (size_t at = 0; at < arithmetic.size();) {
        if (!is_name_start(arithmetic[at])) {
            // 0x1f and 10PATH are numbers.
            const bool number = is_digit(arithmetic[at]);
            ++at;
            while (number && at < arithmetic.size() && is_name_letter(arithmetic[at])) ++at;
            continue;
        }
        const std::string_view name = base_name(arithmetic.substr(at));
        const char before = at == 0 ? '\0' : arithmetic[at - 1];
        const bool expands = before == '$' || before == '{' || before == '#' || before == '!';
        if (!expands && decides_what_runs(name)) return std::string(name);
        at += name.size();
    }
    return "";
}

bool sets_unknown_name(std::string_view arithmetic) {
    for (size_t at = arithmetic.find('$'); at != std::string_view::npos;
         at = arithmetic.find('$', at + 1)) {
        std::string_view rest = arithmetic.substr(at + 1);
        const bool in_braces = rest.starts_with('{');
        rest.remove_prefix(in_braces ? 1 : 0);
        const size_t name = std::max<size_t>(base_name(rest).size(), 1);
        rest.remove_prefix(std::min(name, rest.size()));
        rest.remove_prefix(in_braces && rest.starts_with('}') ? 1 : 0);
        if (is_assignment_operator(rest)) return true;
    }
    return false;
}

bool sets_deciding_variable(std::string_view text) {
    for (size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
        const std::string_view inside = text.substr(at + 1, text.find(']', at) - at - 1);
        if (at > 0 && is_name_letter(text[at - 1]) && inside.contains('=') &&
            !deciding_name_in(inside).empty())
            return true;
    }
    text.remove_prefix(std::min(text.find_first_not_of(" \t\n("), text.size()));
    const std::string_view name = base_name(text);
    if (name.empty() || !decides_what_runs(name)) return false;
    text.remove_prefix(name.size());
    if (!is_assignment_operator(text)) return false;
    if (!text.contains('=')) return true;
    text.remove_prefix(text.find('=') + 1);
    text.remove_prefix(std::min(text.find_first_not_of(" \t\n("), text.size()));
    // PATH=/bin is no arithmetic.
    return !text.empty() &&
           (is_name_letter(text[0]) || text[0] == '-' || text[0] == '+' || text[0] == '$');
}

}  // namespace husk::parse
