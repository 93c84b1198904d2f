#include "decide/removal.h"

#include <algorithm>
#include <sstream>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/command_text.h"
#include "decide/glob.h"

namespace husk::decide {
namespace {

using parse::Command;

constexpr std::string_view system_directories =
    "/bin /boot /dev /etc /home /lib /lib32 /lib64 /opt /proc /root /run /sbin /srv /sys /usr /var "
    "/usr/bin /usr/lib /usr/local /usr/sbin /usr/share /var/lib /Users /System /Library";

// A glob that is not everything, but may be one of those that nobody means to lose: /e* or .g*.
bool may_be_critical(const Path& path, const Context& context) {
    if (path.segments.empty() || path.segments.back().kind != Segment::Kind::Some) return false;
    const auto is_unknown = [](const Segment& segment) {
        return segment.kind == Segment::Kind::Unknown;
    };
    if (path.start == Path::Start::Unknown || std::ranges::any_of(path.segments, is_unknown))
        return false;
    const Letters& last = path.segments.back().spelled;
    if (last.starts_with(u'.') && meets(letters(".git"), last)) return true;
    const Letters spelled = absolute(path, context);
    if (spelled.starts_with(any_text)) return false;
    std::istringstream directories{std::string(system_directories)};
    for (std::string directory; directories >> directory;) {
        if (meets(letters(directory), spelled)) return true;
    }
    return !context.home.empty() && meets(letters(context.home), spelled);
}

bool is_absolute_critical(const std::string& path, const Context& context) {
    return path == "/" || (!context.home.empty() && path == context.home) ||
           is_one_of(path, system_directories);
}

Path without_last(Path path) {
    path.segments.pop_back();
    return path;
}

bool ends_in_everything(const Path& path) {
    return !path.segments.empty() && path.segments.back().kind == Segment::Kind::Everything;
}

bool is_here_or_above(const Path& path) {
    return path.start == Path::Start::Here &&
           std::ranges::all_of(path.segments,
                               [](const Segment& segment) { return segment.text == ".."; });
}

}  // namespace

std::optional<Removal> removal_of(const Command& command) {
    if (command.words.empty()) return std::nullopt;
    const bool known = command.words.front().known();
    if (!meets(letters("rm"), name_of(letters(command.words.front())))) return std::nullopt;

    const Arguments arguments = read_arguments(arguments_of(command));
    const bool recursive =
        arguments.has("r") || arguments.has("R") || arguments.has("recursive", 1);
    const bool forced = arguments.has("f") || arguments.has("force", 1);
    Removal removal{.targets = arguments.operands};
    if (recursive && forced)
        removal.recursive_and_forced = known ? Force::Yes : Force::Perhaps;
    else if (known && arguments.may_have_more)
        removal.recursive_and_forced = Force::Perhaps;
    return removal;
}

bool is_root(const Path& path, const Context& context) {
    if (ends_in_everything(path)) return is_root(without_last(path), context);
    return path.start != Path::Start::Unknown && known_absolute(path, context) == "/";
}

Path target_of(const parse::Word& word, const Context& context) {
    parse::Word target = word;
    for (parse::Piece& piece : target.pieces) {
        // What is true of the working directory is true of those above it.
        if (names_top_directory(piece))
            piece = {.kind = parse::Piece::Kind::Variable, .text = "$PWD", .name = "PWD"};
    }
    return path_of(target, context);
}

bool is_critical(const Path& path, const Context& context) {
    if (path.start == Path::Start::Home || path.start == Path::Start::OtherHome) return true;
    if (ends_in_everything(path)) return is_critical(without_last(path), context);
    if (is_here_or_above(path)) return true;
    if (!path.segments.empty() && path.segments.back().text == ".git") return true;
    return may_be_critical(path, context) ||
           is_absolute_critical(known_absolute(path, context), context);
}

}  // namespace husk::decide
