#include "decide/everything.h"

#include <algorithm>
#include <string_view>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/removal.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Word;

constexpr std::string_view tests_with_pattern =
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex";
constexpr std::string_view other_tests =
    "-newer -anewer -cnewer -mtime -mmin -atime -amin -ctime -cmin -used -size -empty -user "
    "-nouser -group -nogroup -uid -gid -perm -samefile -inum -lname -ilname -links -executable "
    "-readable -writable -fstype";

// `-name x` makes it few files; -name '*' and -type f do not, -type l does.
bool narrows(const Word& test, const Word* value) {
    const std::string name = test.shown();
    if (is_one_of(name, other_tests) || name.starts_with("-newer")) return true;
    if (!value) return false;
    const std::string text = value->shown();
    if (is_one_of(name, tests_with_pattern))
        return text.find_first_not_of("*?./") != std::string::npos;
    return is_one_of(name, "-type -xtype") && text.find_first_not_of("lpsbc,") == std::string::npos;
}

bool are_critical(std::span<const Word> places, const Context& context) {
    return places.empty() || std::ranges::any_of(places, [&](const Word& place) {
               return is_critical(target_of(place, context), context);
           });
}

bool finds_everything(const Command& command, const Context& context) {
    auto words = arguments_of(command);
    while (!words.empty() && is_one_of(words.front().shown(), "-H -L -P")) words = words.subspan(1);
    for (size_t i = 0; i < words.size(); ++i) {
        if (narrows(words[i], i + 1 < words.size() ? &words[i + 1] : nullptr)) return false;
    }
    const auto expression = std::ranges::find_if(words, [](const Word& word) {
        return word.known_start().starts_with('-') || word.is("!") || word.is("(");
    });
    return are_critical(words.first(static_cast<size_t>(expression - words.begin())), context);
}

}  // namespace

bool lists_everything(const Command& command, const Context& context) {
    const std::string program = command.program();
    if (program == "find") return finds_everything(command, context);
    return program == "ls" &&
           are_critical(read_arguments(arguments_of(command), {"IwT"}).operands, context);
}

}  // namespace husk::decide
