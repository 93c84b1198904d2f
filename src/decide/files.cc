#include "decide/files.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "decide/arguments.h"
#include "decide/glob.h"
#include "decide/path.h"
#include "decide/survey.h"
#include "decide/working_directory.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Redirect;
using parse::Script;
using parse::Word;
using namespace std::string_view_literals;

// What a program does to the operands that are files.
enum class Does : uint8_t {
    ReadsAll,
    ReadsAllButFirst,  // grep PATTERN FILE...
    WritesAll,
    WritesAllButFirst,  // chmod MODE FILE...
    DeletesAll,
    CopiesToLast,
    MovesToLast,
};

struct Program {
    std::string_view name;
    Does does;
    std::string_view letters_with_value = {};
};

constexpr std::array programs = {
    Program{"cat", Does::ReadsAll},
    Program{"tac", Does::ReadsAll},
    Program{"head", Does::ReadsAll, "nc"},
    Program{"tail", Does::ReadsAll, "ncs"},
    Program{"less", Does::ReadsAll},
    Program{"more", Does::ReadsAll},
    Program{"wc", Does::ReadsAll},
    Program{"source", Does::ReadsAll},
    Program{".", Does::ReadsAll},
    Program{"grep", Does::ReadsAllButFirst, "efmABCdD"},
    Program{"egrep", Does::ReadsAllButFirst, "efmABCdD"},
    Program{"fgrep", Does::ReadsAllButFirst, "efmABCdD"},
    Program{"sed", Does::ReadsAllButFirst, "efl"},
    Program{"touch", Does::WritesAll, "dtr"},
    Program{"tee", Does::WritesAll},
    Program{"mkdir", Does::WritesAll, "m"},
    Program{"truncate", Does::WritesAll, "sr"},
    Program{"chmod", Does::WritesAllButFirst},
    Program{"chown", Does::WritesAllButFirst},
    Program{"chgrp", Does::WritesAllButFirst},
    Program{"rm", Does::DeletesAll},
    Program{"rmdir", Does::DeletesAll},
    Program{"unlink", Does::DeletesAll},
    Program{"shred", Does::WritesAll, "ns"},
    Program{"cp", Does::CopiesToLast, "tS"},
    Program{"install", Does::CopiesToLast, "tSmog"},
    Program{"ln", Does::CopiesToLast, "tS"},
    Program{"mv", Does::MovesToLast, "tS"},
};

constexpr std::array long_names_with_value = {
    "target-directory"sv, "suffix"sv, "mode"sv,  "reference"sv, "regexp"sv, "file"sv,
    "expression"sv,       "lines"sv,  "bytes"sv, "size"sv};

std::optional<Operation> operation_of(Redirect::Kind kind) {
    switch (kind) {
        case Redirect::Kind::Read: return Operation::Read;
        case Redirect::Kind::Write:
        case Redirect::Kind::ReadWrite: return Operation::Write;
        case Redirect::Kind::Append: return Operation::Append;
        case Redirect::Kind::Duplicate:
        case Redirect::Kind::HereDocument:
        case Redirect::Kind::HereString: break;
    }
    return std::nullopt;
}

void add(std::vector<FileTouch>& touches, Operation operation, std::span<const Word> words) {
    for (const Word& word : words) {
        if (!is_added_later(word)) touches.push_back({operation, word});
    }
}

// cp a b dir, and cp -t dir a b.
void add_transfer(std::vector<FileTouch>& touches, const Arguments& arguments,
                  Operation of_sources) {
    std::span<const Word> sources = arguments.operands;
    const Word* target = arguments.value_of("t");
    if (!target) target = arguments.value_of("target-directory");
    if (!target && sources.size() > 1) {
        target = &sources.back();
        sources = sources.first(sources.size() - 1);
    }
    add(touches, of_sources, sources);
    if (target) touches.push_back({Operation::Write, *target});
}

// The first operand is a pattern or a script, unless an option gave it.
std::span<const Word> without_first(const Arguments& arguments) {
    const bool given = arguments.has("e") || arguments.has("f") || arguments.has("regexp") ||
                       arguments.has("file") || arguments.has("expression");
    const std::span<const Word> operands = arguments.operands;
    return operands.subspan(std::min<size_t>(given ? 0 : 1, operands.size()));
}

bool edits_in_place(const Arguments& arguments) {
    return arguments.has("i") || arguments.has("in-place", 2);
}

void add_arguments(std::vector<FileTouch>& touches, const Command& command,
                   const Program& program) {
    const Arguments arguments =
        read_arguments(arguments_of(command), {program.letters_with_value, long_names_with_value});
    switch (program.does) {
        case Does::ReadsAll: return add(touches, Operation::Read, arguments.operands);
        case Does::ReadsAllButFirst:
            return add(touches,
                       program.name == "sed" && edits_in_place(arguments) ? Operation::Write
                                                                          : Operation::Read,
                       without_first(arguments));
        case Does::WritesAll:
            return add(touches,
                       program.name == "tee" && (arguments.has("a") || arguments.has("append"))
                           ? Operation::Append
                           : Operation::Write,
                       arguments.operands);
        case Does::WritesAllButFirst:
            return add(touches, Operation::Write,
                       std::span(arguments.operands)
                           .subspan(std::min<size_t>(1, arguments.operands.size())));
        case Does::DeletesAll: return add(touches, Operation::Delete, arguments.operands);
        case Does::CopiesToLast: return add_transfer(touches, arguments, Operation::Read);
        case Does::MovesToLast: return add_transfer(touches, arguments, Operation::Delete);
    }
}

void add_dd(std::vector<FileTouch>& touches, const Command& command) {
    for (const Word& word : arguments_of(command)) {
        for (const auto& [prefix, operation] :
             {std::pair{"if="sv, Operation::Read}, std::pair{"of="sv, Operation::Write}}) {
            if (!word.known_start().starts_with(prefix)) continue;
            touches.push_back({operation, without_start(word, prefix.size())});
        }
    }
}

const char* word_of(Operation operation) {
    switch (operation) {
        case Operation::Read: return "read";
        case Operation::Write: return "write";
        case Operation::Append: return "append";
        case Operation::Delete: return "delete";
    }
    return "";
}

}  // namespace

std::vector<FileTouch> file_touches(const Command& command) {
    std::vector<FileTouch> touches;
    const std::string name = command.program();
    if (const auto* program = std::ranges::find(programs, name, &Program::name);
        program != programs.end())
        add_arguments(touches, command, *program);
    if (name == "dd") add_dd(touches, command);
    for (const Redirect& redirect : command.redirects) {
        if (const auto operation = operation_of(redirect.kind))
            touches.push_back({*operation, redirect.target});
    }
    return touches;
}

std::vector<NamedFile> named_files(const Script& script, const Context& context) {
    std::vector<NamedFile> files;
    Context here = context;
    for (size_t i = 0; i < script.commands.size(); ++i) {
        const Command& command = script.commands[i];
        const Context inside = context_inside(script, i, here);
        here = context_after(command, std::move(here));
        if (comes_via(script, i, parse::Via::Remote)) continue;  // files of another machine
        for (const FileTouch& touch : file_touches(command)) {
            const std::string path = known_absolute(path_of(touch.path, inside), inside);
            if (path.empty()) continue;
            const std::string operation = word_of(touch.operation);
            const auto found = std::ranges::find(files, path, &NamedFile::path);
            if (found == files.end())
                files.push_back({path, operation});
            else if (touch.operation != Operation::Read)
                found->operation = operation;
        }
    }
    return files;
}

std::vector<FileUse> file_uses(const Script& script) {
    std::vector<FileUse> uses;
    for (size_t i = 0; i < script.commands.size(); ++i) {
        if (comes_via(script, i, parse::Via::Remote)) continue;  // files of another machine
        for (const FileTouch& touch : file_touches(script.commands[i]))
            uses.push_back({touch.path.shown(), word_of(touch.operation), i});
    }
    return uses;
}

}  // namespace husk::decide
