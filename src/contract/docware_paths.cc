// The third layer: the paths that a call names, by their text alone. No file is looked at, because
// what a name leads to may change before the command comes to it. The walls keep to the same lists
// whatever the text says.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

#include "base/names.h"
#include "base/utf8.h"
#include "contract/docware.h"
#include "decide/arguments.h"
#include "decide/files.h"
#include "decide/path.h"
#include "decide/survey.h"
#include "decide/values.h"
#include "decide/working_directory.h"

namespace husk::contract {
namespace {

using decide::Context;
using decide::Path;
using decide::Segment;
using parse::Command;
using parse::Word;

std::vector<std::string> names_of(const std::string& path) {
    std::vector<std::string> names;
    for (const auto& part : std::filesystem::path(path).lexically_normal())
        if (part != "/" && part != "." && !part.empty()) names.push_back(part.string());
    return names;
}

// What everybody may use, whatever is allowed besides.
bool is_common(const std::vector<Segment>& segments) {
    if (segments.size() < 2 || segments[0].text != "dev") return false;
    return segments[1].text == "fd" ||
           (segments.size() == 2 && husk::is_one_of(segments[1].text,
                                                    "null zero full random urandom tty stdin "
                                                    "stdout stderr"));
}

bool is_program_directory(const std::vector<Segment>& segments) {
    std::string path;
    for (const Segment& segment : segments) path += "/" + segment.text;
    path = path.substr(0, path.rfind('/'));
    return husk::is_one_of(path, "/bin /usr/bin /usr/local/bin /sbin /usr/sbin /usr/local/sbin");
}

// Absolute, or nothing when its beginning is not known before running.
std::optional<std::vector<Segment>> absolute_segments(const Path& path, const Context& context) {
    std::vector<Segment> segments;
    const auto start_at = [&](const std::string& directory) {
        for (const std::string& name : names_of(directory))
            segments.push_back({.kind = Segment::Kind::Name, .text = name, .spelled = {}});
    };
    switch (path.start) {
        case Path::Start::Root: break;
        case Path::Start::Home:
            if (context.home.empty()) return std::nullopt;
            start_at(context.home);
            break;
        case Path::Start::Here:
            if (context.working_directory.empty()) return std::nullopt;
            start_at(context.working_directory);
            break;
        case Path::Start::OtherHome:
        case Path::Start::Unknown: return std::nullopt;
    }
    for (const Segment& segment : path.segments) {
        const bool up = segment.text == "..";
        if (up && !segments.empty()) segments.pop_back();
        if (!up) segments.push_back(segment);
    }
    return segments;
}

bool is_inside(const std::vector<Segment>& segments, const std::string& allowed) {
    const std::vector<std::string> names = names_of(allowed);
    return names.size() <= segments.size() &&
           std::ranges::equal(names, std::span(segments).first(names.size()), {}, {},
                              &Segment::text);
}

std::string text_of(const std::vector<Segment>& segments) {
    std::string text;
    for (const Segment& segment : segments) text += "/" + segment.text;
    return text.empty() ? "/" : text;
}

// a/../b has one, a..b has none.
bool climbs(const std::string& text) {
    return text == ".." || text.starts_with("../") || text.contains("/../") ||
           text.ends_with("/..");
}

// It climbs out of where it started, all the way to a part of the system.
bool climbs_into_system(const Word& word, const std::vector<Segment>& target,
                        const Context& context) {
    const std::string text = word.shown();
    if (!climbs(text) || target.empty()) return false;
    const std::string from = text.starts_with('/') ? text : context.working_directory;
    size_t end = from.find('/', 1);
    if (end == std::string::npos) end = from.size();
    const std::string first = from.substr(std::min<size_t>(1, end), end > 0 ? end - 1 : 0);
    return target[0].text != first &&
           husk::is_one_of(target[0].text, "etc root proc sys boot dev run var");
}

// The part of an argument that may be a path: all of x/y, behind --file=, behind -I.
std::optional<Word> path_in(const Word& word) {
    const std::string text = word.shown();
    const std::string start = word.known_start();
    if (text.contains("://") && !text.starts_with("file://")) return std::nullopt;
    const bool home = !word.pieces.empty() && word.pieces[0].kind == parse::Piece::Kind::Tilde;
    if (!text.contains('/') && text != ".." && !home) return std::nullopt;
    if (!start.starts_with('-')) {
        const size_t equals = start.find("=/");
        return equals == std::string::npos ? word : decide::without_start(word, equals + 1);
    }
    const size_t at = start.find_first_of("=/.~");
    if (at == std::string::npos) return std::nullopt;
    return decide::without_start(word, start[at] == '=' ? at + 1 : at);
}

class PathChecker {
public:
    explicit PathChecker(const AllowedList& allowed) : allowed_(allowed) {}

    // What is wrong with the paths of a command; empty when nothing is.
    std::string wrong(const Command& command, const Context& context) {
        const std::string program = command.program();
        const bool only_words = husk::is_one_of(program, "echo printf true false : test [");
        for (size_t i = 0; i < command.words.size(); ++i) {
            if (only_words && i > 0) break;
            const auto path = path_in(command.words[i]);
            if (!path) continue;
            if (std::string said = judge(*path, context, i == 0); !said.empty()) return said;
        }
        for (const decide::FileTouch& touch : decide::file_touches(command))
            if (std::string said = judge(touch.path, context, false); !said.empty()) return said;
        return "";
    }

    std::string judge(const Word& word, const Context& context, bool is_program) {
        const auto target = absolute_segments(decide::path_of(word, context), context);
        const std::string text = word.shown();
        if (!target) {
            if (!allowed_) return "";
            return found("Path is not known before running: " + text, text);
        }
        if (is_common(*target) || (is_program && is_program_directory(*target))) return "";
        // A list is left by no step upwards, wherever that leads.
        if (allowed_ && climbs(text))
            return found("Path traversal attempt detected: " + text, text);
        const bool inside =
            !allowed_ || std::ranges::any_of(*allowed_, [&](const std::string& allowed) {
                return is_inside(*target, allowed);
            });
        if (inside && (allowed_ || !climbs_into_system(word, *target, context))) return "";
        if (climbs(text)) return found("Path traversal attempt detected: " + text, text);
        return found("Path not allowed: " + text_of(*target), text_of(*target));
    }

    const std::string& violating() const { return violating_; }

private:
    std::string found(std::string said, std::string path) {
        violating_ = std::move(path);
        return said;
    }

    const AllowedList& allowed_;
    std::string violating_;
};

// What is wrong with the paths of a script; empty when nothing is.
std::string wrong_in(const parse::Script& script, const Context& context, PathChecker& checker) {
    const decide::Survey survey(script);
    const decide::Values values(script, survey);
    Context moved = context;
    for (size_t i = 0; i < script.commands.size(); ++i) {
        const Command command = values.filled_in(i);
        const Context inside = decide::context_inside(script, i, moved);
        if (!decide::comes_via(script, i, parse::Via::Remote))
            if (std::string said = checker.wrong(command, inside); !said.empty()) return said;
        moved = decide::context_after(command, std::move(moved));
    }
    return "";
}

}  // namespace

LayerCheck check_paths(const DocwareCall& call, const AllowedList& allowed,
                       const Readings& readings) {
    LayerCheck check{.type = "path_security", .details = "All paths are within allowed boundaries"};
    PathChecker checker(allowed);
    const auto fail = [&](std::string said) {
        check.passed = false;
        check.details = std::move(said);
        check.more = {{"violatingPath", text::to_utf8(checker.violating())}};
        return check;
    };
    const Context context = {.working_directory = call.working_dir, .home = home_of(call)};
    const parse::Word here = {
        .pieces = {{.kind = parse::Piece::Kind::Text, .text = call.working_dir}}, .range = {}};
    if (std::string said = checker.judge(here, context, false); !said.empty())
        return fail(said + " (the working directory; give cwd, a directory in allowed_paths)");
    // Behind assignments the whole script is read, and its paths are better known than by its text
    // alone. The text of a function can hide paths of the script.
    const bool is_read_behind_assignments =
        std::ranges::any_of(readings.with_variables, [](const Readings::WithVariables& reading) {
            return reading.kind == decide::Definitions::Kind::Assignments;
        });
    if (!is_read_behind_assignments)
        if (std::string said = wrong_in(readings.text, context, checker); !said.empty())
            return fail(std::move(said));
    for (const Readings::WithVariables& reading : readings.with_variables)
        if (std::string said = wrong_in(reading.script, context, checker); !said.empty())
            return fail(std::move(said));
    return check;
}

}  // namespace husk::contract
