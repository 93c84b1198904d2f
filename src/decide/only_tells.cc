#include "decide/only_tells.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/names.h"
#include "decide/arguments.h"

namespace husk::decide {
namespace {

using parse::Command;

// -h is help to these; to shutdown it is a halt.
constexpr std::string_view with_short_help = "mount umount su sudo chroot modprobe insmod rmmod";

bool asks_about_itself(const Command& command) {
    if (command.words.size() != 2) return false;
    const std::string word = command.words[1].shown();
    return is_one_of(word, "--help --version") ||
           (is_one_of(word, "-h -V") && is_one_of(command.program(), with_short_help));
}

// Options of a program of which one is enough to make it harmless.
struct Question {
    std::string_view program;
    std::string_view letters;
    std::array<std::string_view, 4> names;
};

constexpr std::array questions = {
    Question{"modprobe", "nDcV", {"dry-run", "show", "show-depends", "showconfig"}},
    Question{"passwd", "S", {"status"}},
    Question{"wipefs", "n", {"no-act"}},
};

// All mounts, or those of a type; what is to be mounted would be an operand.
bool lists_mounts(const Command& command) {
    static constexpr std::array<std::string_view, 1> with_value = {"types"};
    const Arguments arguments = read_arguments(arguments_of(command), {"t", with_value});
    return arguments.operands.empty() &&
           std::ranges::all_of(arguments.options, [](const Option& option) {
               return is_one_of(option.name, "l v t types show-labels verbose");
           });
}

}  // namespace

bool only_tells(const Command& command) {
    if (asks_about_itself(command)) return true;
    const std::string program = command.program();
    if (program == "mount") return lists_mounts(command);
    const auto* question = std::ranges::find(questions, program, &Question::program);
    if (question == questions.end()) return false;
    const Arguments arguments = read_arguments(arguments_of(command));
    return std::ranges::any_of(arguments.options, [&](const Option& option) {
        if (!option.is_long) return question->letters.contains(option.name);
        return std::ranges::find(question->names, option.name) != question->names.end();
    });
}

}  // namespace husk::decide
