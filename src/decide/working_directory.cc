#include "decide/working_directory.h"

#include <utility>

#include "decide/arguments.h"
#include "decide/path.h"

namespace husk::decide {
namespace {

constexpr size_t longest_path = 4096;

}  // namespace

Context context_after(const parse::Command& command, Context context) {
    const std::string program = command.program();
    if (program != "cd" && program != "pushd") return context;
    const Arguments arguments = read_arguments(arguments_of(command));
    std::string directory = program == "cd" ? context.home : "";
    if (!arguments.operands.empty())
        directory = known_absolute(path_of(arguments.operands.front(), context), context);
    if (directory.size() > longest_path) directory.clear();
    context.working_directory = std::move(directory);
    return context;
}

}  // namespace husk::decide
