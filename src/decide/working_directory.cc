#include "decide/working_directory.h"

#include <array>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "decide/arguments.h"
#include "decide/path.h"

namespace husk::decide {
namespace {

constexpr size_t longest_path = 4096;

// Where `directory` is, seen from the context; "" where that is not known.
std::string place_of(const parse::Word& directory, const Context& context) {
    std::string place = known_absolute(path_of(directory, context), context);
    if (place.size() > longest_path) place.clear();
    return place;
}

// env -C DIR, sudo -D DIR
std::optional<parse::Word> directory_set_by(const parse::Command& wrapper) {
    static constexpr std::array<std::string_view, 2> names = {"chdir", "unset"};
    const std::string program = wrapper.program();
    if (program != "env" && program != "sudo") return std::nullopt;
    const Arguments arguments =
        read_arguments(arguments_of(wrapper), {program == "env" ? "uC" : "CDghpRrTtUu", names});
    const parse::Word* directory = arguments.value_of(program == "env" ? "C" : "D");
    if (!directory) directory = arguments.value_of("chdir");
    return directory ? std::optional(*directory) : std::nullopt;
}

}  // namespace

Context context_inside(const parse::Script& script, size_t command, Context context) {
    std::vector<parse::Word> directories;  // the innermost first
    for (size_t i = command; script.commands[i].via == parse::Via::Wrapper;) {
        i = script.commands[i].carrier;
        if (auto directory = directory_set_by(script.commands[i]))
            directories.push_back(*std::move(directory));
    }
    for (const parse::Word& directory : std::views::reverse(directories))
        context.working_directory = place_of(directory, context);
    return context;
}

Context context_after(const parse::Command& command, Context context) {
    const std::string program = command.program();
    if (program != "cd" && program != "pushd") return context;
    const Arguments arguments = read_arguments(arguments_of(command));
    std::string directory = program == "cd" ? context.home : "";
    if (!arguments.operands.empty()) directory = place_of(arguments.operands.front(), context);
    context.working_directory = std::move(directory);
    return context;
}

}  // namespace husk::decide
