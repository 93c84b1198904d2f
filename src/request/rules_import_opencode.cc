// {"permission": {"bash": {"*": "ask", "git *": "allow", "rm *": "deny"}}}
//
// There the last pattern that matches decides, here the strictest. So a "*" is no rule here but
// the answer for what no rule matches, and what stands before it counts for nothing there.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "request/rules_import_formats.h"

namespace husk::imports {
namespace {

std::optional<Answer> answer_of(const DocumentNode& node) {
    if (node.kind != DocumentNode::Kind::Text) return std::nullopt;
    for (const Answer answer : {Answer::Allow, Answer::Ask, Answer::Deny})
        if (node.text == word(answer)) return answer;
    return std::nullopt;
}

struct Glob {
    std::string pattern;
    Answer answer = Answer::Ask;
    ImportedEntry entry;
};

// Most pairs of patterns are told apart by how they begin.
std::string_view fixed_start(std::string_view pattern) {
    return pattern.substr(0, pattern.find_first_of("*?"));
}

// Whether some text matches both. Only * (any text) and ? (one character) are special.
bool overlap(std::string_view a, std::string_view b) {
    // reachable[j]: some text matches what has been read of a, and the first j of b.
    std::vector<bool> reachable(b.size() + 1, false);
    reachable[0] = true;
    const auto pass_stars = [&] {
        for (size_t j = 0; j < b.size(); ++j)
            if (reachable[j] && b[j] == '*') reachable[j + 1] = true;
    };
    pass_stars();
    for (const char x : a) {
        std::vector<bool> next(b.size() + 1, false);
        for (size_t j = 0; j <= b.size(); ++j) {
            const bool same =
                j > 0 && b[j - 1] != '*' && (x == '?' || b[j - 1] == '?' || x == b[j - 1]);
            if (x == '*')
                next[j] = reachable[j] || (j > 0 && next[j - 1]);
            else
                next[j] =
                    (same && reachable[j - 1]) || (reachable[j] && j < b.size() && b[j] == '*');
        }
        reachable = std::move(next);
        pass_stars();
    }
    return reachable[b.size()];
}

std::string at_line(const Glob& glob) {
    return "\"" + glob.pattern + "\" in line " + std::to_string(glob.entry.where.line);
}

// Patterns by how they begin, so that each needs to be compared with few others.
class Starts {
public:
    void add(const Glob& glob) {
        const std::string start(fixed_start(glob.pattern));
        lengths_.insert(start.size());
        globs_[start].push_back(&glob);
    }

    // Those that may overlap with the pattern, at most `most`, in the order of the file.
    std::vector<const Glob*> like(std::string_view pattern, size_t most) const {
        const std::string start(fixed_start(pattern));
        std::vector<const Glob*> found;
        const auto take = [&](const std::vector<const Glob*>& globs) {
            const size_t count = std::min(globs.size(), most - found.size());
            found.insert(found.end(), globs.begin(),
                         globs.begin() + static_cast<std::ptrdiff_t>(count));
        };
        for (const size_t length : lengths_) {
            if (length >= start.size()) break;
            if (const auto shorter = globs_.find(start.substr(0, length)); shorter != globs_.end())
                take(shorter->second);
        }
        for (auto longer = globs_.lower_bound(start);
             longer != globs_.end() && longer->first.starts_with(start) && found.size() < most;
             ++longer)
            take(longer->second);
        std::ranges::sort(found);  // they stand in one list
        return found;
    }

private:
    std::set<size_t> lengths_;
    std::map<std::string, std::vector<const Glob*>> globs_;
};

// An earlier and stricter rule decides here what this one decides there.
std::string what_wins_here(const Glob& glob, const Starts& stricter) {
    constexpr size_t most = 1000;
    const std::vector<const Glob*> others = stricter.like(glob.pattern, most);
    for (const Glob* other : others) {
        if (overlap(other->pattern, glob.pattern)) {
            return "for what " + at_line(*other) + " matches too, this decides there, because it " +
                   "comes later; here " + word(other->answer) + " goes before " + word(glob.answer);
        }
    }
    return others.size() < most ? ""
                                : "earlier and stricter patterns that begin alike may decide here";
}

void add_note(std::string& note, const std::string& more) {
    if (!more.empty()) note += (note.empty() ? "" : "; ") + more;
}

void add_glob(Imported& imported, Glob glob) {
    ImportedEntry& entry = glob.entry;
    if (std::string why = why_no_simple_command(glob.pattern); !why.empty())
        return leave(imported, std::move(entry), std::move(why));
    const bool allows = glob.answer == Answer::Allow;
    if (glob.pattern.contains('?')) {
        if (allows)
            return leave(imported, std::move(entry),
                         "a ? for one character does not exist here, and a * would allow more");
        std::ranges::replace(glob.pattern, '?', '*');
        add_note(entry.note, "a ? is a * here, which matches more");
    }
    if (allows && !glob.pattern.contains('*'))
        add_note(entry.note,
                 "there it is this command alone; here it is also this with more arguments");
    carry(imported, glob.answer, glob.pattern, std::move(entry));
}

// What stands before the last "*", which decides there in its place.
void add_overruled(Imported& imported, Glob glob, const Glob& rest) {
    if (glob.answer == Answer::Allow || glob.pattern == "*") {
        return leave(imported, std::move(glob.entry),
                     at_line(rest) + " comes later and decides there in its place");
    }
    if (glob.answer > rest.answer)
        glob.entry.note = at_line(rest) + ", which comes later, decides there in its place; here " +
                          word(glob.answer) + " goes before " + word(rest.answer);
    add_glob(imported, std::move(glob));
}

void add_rest(Imported& imported, Glob rest) {
    switch (rest.answer) {
        case Answer::Allow: rest.entry.becomes = "mode: default"; break;
        case Answer::Ask: return ask_about_the_rest(imported, std::move(rest.entry));
        case Answer::Deny:
            imported.rules.mode = "strict";
            imported.rules.mode_where = rest.entry.where;
            rest.entry.becomes = "mode: strict";
            break;
    }
    imported.entries.push_back(std::move(rest.entry));
}

void add_globs(Imported& imported, std::vector<Glob> globs) {
    const auto last = std::ranges::find(globs.rbegin(), globs.rend(), "*", &Glob::pattern);
    const auto behind = static_cast<size_t>(globs.rend() - last);  // 0: there is no "*"
    for (size_t i = 0; i + 1 < behind; ++i) add_overruled(imported, globs[i], globs[behind - 1]);
    Starts stricter_than_allow;
    Starts stricter_than_ask;
    for (const Glob& counted : std::span(globs).subspan(behind)) {
        Glob glob = counted;
        if (glob.answer != Answer::Deny)
            glob.entry.note = what_wins_here(
                glob, glob.answer == Answer::Allow ? stricter_than_allow : stricter_than_ask);
        add_glob(imported, std::move(glob));
        if (counted.answer != Answer::Allow) stricter_than_allow.add(counted);
        if (counted.answer == Answer::Deny) stricter_than_ask.add(counted);
    }
    if (behind > 0) add_rest(imported, std::move(globs[behind - 1]));
}

// One answer for everything, or an answer for each pattern.
void read_globs(Imported& imported, std::vector<Glob>& globs, const DocumentEntry& rule,
                const std::string& file) {
    const auto add = [&](const std::string& pattern, const DocumentNode& value, size_t line) {
        ImportedEntry entry{.where = {file, line},
                            .written = "\"" + pattern + "\": \"" + value.text + "\""};
        if (const auto answer = answer_of(value))
            globs.push_back({pattern, *answer, std::move(entry)});
        else
            leave(imported, std::move(entry), "it says neither allow nor ask nor deny");
    };
    if (rule.value.kind != DocumentNode::Kind::Map) return add("*", rule.value, rule.line);
    for (const DocumentEntry& entry : rule.value.entries) add(entry.key, entry.value, entry.line);
}

}  // namespace

void add_opencode(const DocumentNode& document, const std::string& file, Imported& imported) {
    const DocumentNode& permission = *document.find("permission");
    std::vector<Glob> globs;
    if (permission.kind != DocumentNode::Kind::Map)
        read_globs(imported, globs, {"permission", permission.line, permission}, file);
    for (const DocumentEntry& entry : permission.entries) {
        if (entry.key == "*" || entry.key == "bash") {
            read_globs(imported, globs, entry, file);
        } else {
            leave(imported, {.where = {file, entry.line}, .written = entry.key},
                  "it is about another tool, and Husk decides about shell commands only");
        }
    }
    add_globs(imported, std::move(globs));
    if (const DocumentNode* agents = document.find("agent"); agents != nullptr)
        for (const DocumentEntry& agent : agents->entries)
            if (agent.value.find("permission") != nullptr)
                leave(imported, {.where = {file, agent.line}, .written = "agent " + agent.key},
                      "rules for single agents do not exist here");
}

}  // namespace husk::imports
