#include "decide/path.h"

#include <algorithm>
#include <utility>

namespace husk::decide {
namespace {

using parse::Piece;
using parse::Word;

// A glob is everything when each of its parts is a star, a question mark or a class of all but
// some letters, and at least one is a star.
bool leaves_nothing_out(std::string_view glob) {
    bool star = false;
    while (!glob.empty()) {
        if (glob.starts_with("[!") || glob.starts_with("[^")) {
            const size_t close = glob.find(']', 3);
            if (close == std::string_view::npos) return false;
            glob.remove_prefix(close + 1);
            continue;
        }
        if (glob.front() != '*' && glob.front() != '?') return false;
        star = star || glob.front() == '*';
        glob.remove_prefix(1);
    }
    return star;
}

// Segments as they stand in the word, without any meaning of "." and "..".
class Splitter {
public:
    void add_text(std::string_view text) {
        for (const char c : text) {
            if (c == '/') {
                end_segment();
            } else {
                now_.text += c;
                now_.spelled += static_cast<unsigned char>(c);
            }
        }
    }

    void add_glob(std::string_view text) {
        now_.text += text;
        now_.spelled += any_text;
        has_glob_ = true;
    }

    void add_unknown(std::string_view text) {
        now_.text += text;
        now_.spelled += any_text;
        has_unknown_ = true;
    }

    std::vector<Segment> finish() {
        end_segment();
        return std::move(done_);
    }

private:
    void end_segment() {
        const std::string_view text = now_.text;
        if (has_unknown_)
            now_.kind = Segment::Kind::Unknown;
        else if (has_glob_)
            now_.kind = leaves_nothing_out(text.starts_with('.') ? text.substr(1) : text)
                            ? Segment::Kind::Everything
                            : Segment::Kind::Some;
        done_.push_back(std::exchange(now_, {}));
        has_glob_ = has_unknown_ = false;
    }

    Segment now_;
    bool has_glob_ = false;
    bool has_unknown_ = false;
    std::vector<Segment> done_;
};

// What the first piece of a word says about where it points.
Path::Start start_of(const Piece& piece) {
    if (piece.kind == Piece::Kind::Text)
        return piece.text.starts_with('/') ? Path::Start::Root : Path::Start::Here;
    if (piece.kind == Piece::Kind::Tilde) {
        if (piece.text == "~+") return Path::Start::Here;
        return piece.text == "~" ? Path::Start::Home : Path::Start::OtherHome;
    }
    if (piece.kind == Piece::Kind::Variable && piece.name == "HOME") return Path::Start::Home;
    if (names_working_directory(piece) || piece.kind == Piece::Kind::Glob) return Path::Start::Here;
    return Path::Start::Unknown;
}

std::vector<Segment> names(std::string_view path) {
    Splitter splitter;
    splitter.add_text(path);
    std::vector<Segment> all = splitter.finish();
    std::erase_if(all, [](const Segment& segment) { return segment.text.empty(); });
    return all;
}

// One ".." more.
void climb(Path& path, const Context& context) {
    const auto is_parent = [](const Segment& segment) { return segment.text == ".."; };
    if (!path.segments.empty() && !is_parent(path.segments.back())) {
        path.segments.pop_back();
    } else if (path.start == Path::Start::Home || path.start == Path::Start::OtherHome) {
        // Where a home is not known, it is most likely below /home.
        path.segments =
            names(path.start == Path::Start::Home && !context.home.empty() ? context.home
                                                                           : "/home/somebody");
        path.start = Path::Start::Root;
        if (!path.segments.empty()) path.segments.pop_back();
    } else if (path.start != Path::Start::Root) {
        path.segments.push_back({.text = "..", .spelled = letters("..")});
    }
}

// /proc/self/root is another name for the root, and /proc/self/cwd for the working directory.
void see_through_proc(Path& path) {
    const std::vector<Segment>& parts = path.segments;
    const bool of_process = parts.size() == 3 || (parts.size() == 5 && parts[2].text == "task");
    if (path.start != Path::Start::Root || !of_process || parts.front().text != "proc") return;
    const std::string process = parts[1].text;
    const std::string name = parts.back().text;
    if (name != "root" && name != "cwd") return;
    const bool is_own = process == "self" || process == "thread-self" || process == "$$" ||
                        process == "$BASHPID" || process == "${BASHPID}";
    path.segments.clear();
    // The first process of a machine works in the root.
    if (name == "cwd" && process != "1")
        path.start = is_own ? Path::Start::Here : Path::Start::Unknown;
}

Path resolved(Path::Start start, std::vector<Segment> written, const Context& context) {
    Path path{.start = start, .segments = {}};
    for (Segment& segment : written) {
        if (segment.text.empty() || segment.text == ".") continue;
        if (segment.text == "..")
            climb(path, context);
        else
            path.segments.push_back(std::move(segment));
        see_through_proc(path);
    }
    return path;
}

Letters joined(Letters start, const std::vector<Segment>& segments) {
    for (const Segment& segment : segments) start += u'/' + segment.spelled;
    return start;
}

Letters directory(std::string_view path) {
    if (path.empty()) return {any_text};  // somewhere
    return path == "/" ? Letters() : letters(path);
}

constexpr size_t most_patterns = 64;

// The directory that the glob starts in; what names it is taken off the glob.
Letters start_of_glob(std::string_view& glob, const Context& context) {
    for (const std::string_view home : {"~", "$HOME", "${HOME}"}) {
        if (!glob.starts_with(home)) continue;
        if (glob.size() > home.size() && glob[home.size()] != '/') continue;
        glob.remove_prefix(home.size());
        return context.home.empty() ? letters("~") : directory(context.home);
    }
    if (glob.starts_with('/') || glob.starts_with("**")) return {};
    while (glob.starts_with("./")) glob.remove_prefix(2);
    return directory(context.working_directory) + u'/';
}

char16_t take_letter(std::string_view& glob) {
    const bool crosses = glob.starts_with("**");
    const char first = glob.front();
    glob.remove_prefix(crosses ? 2 : 1);
    if (crosses) return any_text;
    if (first == '*') return any_segment;
    return first == '?' ? any_letter : static_cast<unsigned char>(first);
}

}  // namespace

bool names_working_directory(const Piece& piece) {
    if (piece.kind == Piece::Kind::Variable) return piece.name == "PWD";
    return piece.kind == Piece::Kind::Substitution &&
           (piece.text == "$(pwd)" || piece.text == "`pwd`");
}

bool names_top_directory(const Piece& piece) {
    constexpr std::string_view asked = "git rev-parse --show-toplevel";
    return piece.kind == Piece::Kind::Substitution &&
           piece.text.find(asked) <= std::string_view("$(").size();
}

Path path_of(const Word& word, const Context& context) {
    // ""/ is the root.
    const auto first =
        std::ranges::find_if(word.pieces, [](const Piece& piece) { return !piece.text.empty(); });
    if (first == word.pieces.end()) return {};
    const Path::Start start = start_of(*first);
    Splitter splitter;
    for (const Piece& piece : word.pieces) {
        const bool is_start = &piece == &*first && start != Path::Start::Unknown;
        if (piece.kind == Piece::Kind::Text)
            splitter.add_text(piece.text);
        else if (piece.kind == Piece::Kind::Glob)
            splitter.add_glob(piece.text);
        else if (!is_start)
            splitter.add_unknown(piece.text);
    }
    return resolved(start, splitter.finish(), context);
}

Letters absolute(const Path& path, const Context& context) {
    switch (path.start) {
        case Path::Start::Root: return joined({}, path.segments);
        case Path::Start::Home:
            return joined(context.home.empty() ? letters("~") : directory(context.home),
                          path.segments);
        case Path::Start::OtherHome:
        case Path::Start::Unknown: return joined({any_text}, path.segments);
        case Path::Start::Here: break;
    }
    const bool climbs = !path.segments.empty() && path.segments.front().text == "..";
    if (!climbs || context.working_directory.empty())
        return joined(directory(context.working_directory), path.segments);
    std::vector<Segment> all = names(context.working_directory);
    all.insert(all.end(), path.segments.begin(), path.segments.end());
    return joined({}, resolved(Path::Start::Root, std::move(all), context).segments);
}

std::string known_absolute(const Path& path, const Context& context) {
    const Letters spelled = absolute(path, context);
    std::string out;
    for (const char16_t letter : spelled) {
        if (letter >= any_text) return "";
        out += static_cast<char>(letter);
    }
    return out.empty() ? "/" : out;
}

std::vector<Letters> path_patterns(std::string_view glob, const Context& context) {
    std::vector<Letters> patterns = {start_of_glob(glob, context)};
    while (!glob.empty()) {
        // A star of two between slashes is also no directory at all; at the end, also the
        // directory itself.
        const bool between = glob.starts_with("/**/");
        if ((between || glob == "/**") && patterns.size() < most_patterns) {
            const size_t count = patterns.size();
            for (size_t i = 0; i < count; ++i) patterns.push_back(patterns[i] + u'/' + any_text);
            glob.remove_prefix(3);
            continue;
        }
        const char16_t letter = take_letter(glob);
        for (Letters& pattern : patterns) pattern += letter;
    }
    return patterns;
}

}  // namespace husk::decide
