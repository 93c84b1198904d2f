#include "confine/reading.h"

#include <sys/stat.h>

#include <algorithm>
#include <string_view>

#include "confine/located.h"
#include "os/landlock.h"

namespace husk::confine {

namespace fs = std::filesystem;

namespace {

// Takes the next part of a path off its text. Empty at the end.
std::string_view take_part(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of('/'), text.size()));
    const std::string_view part = text.substr(0, text.find('/'));
    text.remove_prefix(part.size());
    return part;
}

Step rule(const fs::path& path, uint64_t rights, const wire::Identity& identity) {
    Step step{wire::WallOp::AddRule, "allow access to " + path.string(), rights};
    step.texts = {path.string()};
    step.identity = identity;
    return step;
}

}  // namespace

// A new session compares some hundred thousand paths: parts of a `path` would be objects of their
// own.
bool is_within(const fs::path& path, const fs::path& above) {
    std::string_view inner = path.native();
    std::string_view outer = above.native();
    if (!outer.empty() && inner.starts_with('/') != outer.starts_with('/')) return false;
    for (;;) {
        const std::string_view wanted = take_part(outer);
        if (wanted.empty()) return true;
        if (take_part(inner) != wanted) return false;
    }
}

const fs::path* root_above(const fs::path& path, const std::vector<fs::path>& roots) {
    const auto found = std::ranges::find_if(roots, [&](const fs::path& root) {
        return path.native() != root.native() && is_within(path, root);
    });
    return found == roots.end() ? nullptr : &*found;
}

void grant(const fs::path& path, uint64_t rights, Steps& steps, const wire::Identity& identity) {
    Step step = rule(path, rights, identity);
    step.optional = true;
    steps.add(std::move(step));
}

void grant_root(const fs::path& path, uint64_t rights, Steps& steps,
                const wire::Identity& identity) {
    steps.add(rule(path, rights, identity));
}

void grant_reading(const fs::path& root, const std::vector<fs::path>& withheld, Steps& steps) {
    std::vector<fs::path> inside;
    std::ranges::copy_if(withheld, std::back_inserter(inside),
                         [&](const fs::path& one) { return is_within(one, root); });
    const auto is_root = [&](const fs::path& one) { return is_within(root, one); };
    if (std::ranges::any_of(inside, is_root)) return;
    const auto seen = seen_at(root);
    if (!seen || seen->type == S_IFLNK) return;
    if (seen->type != S_IFDIR)
        return grant(root, os::landlock::on_files(os::landlock::reading()), steps, *seen);
    if (inside.empty()) return grant(root, os::landlock::reading(), steps, *seen);
    // An entry that cannot be listed gets no rule.
    std::error_code failed;
    for (fs::directory_iterator entry(root, failed); !failed && entry != fs::directory_iterator();
         entry.increment(failed))
        grant_reading(entry->path(), inside, steps);
}

}  // namespace husk::confine
