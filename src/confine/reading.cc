#include "confine/reading.h"

#include <sys/stat.h>

#include <algorithm>

#include "confine/located.h"
#include "os/landlock.h"

namespace husk::confine {

namespace fs = std::filesystem;

bool is_within(const fs::path& path, const fs::path& above) {
    const std::string& start = above.native();
    if (!path.native().starts_with(start)) return false;
    return path.native().size() == start.size() || start.empty() || start.ends_with('/') ||
           path.native()[start.size()] == '/';
}

const fs::path* root_above(const fs::path& path, const std::vector<fs::path>& roots) {
    const auto found = std::ranges::find_if(roots, [&](const fs::path& root) {
        return path.native() != root.native() && is_within(path, root);
    });
    return found == roots.end() ? nullptr : &*found;
}

namespace {

Step rule(const fs::path& path, uint64_t rights, const wire::Identity& identity) {
    Step step{wire::WallOp::AddRule, "allow access to " + path.string(), rights};
    step.texts = {path.string()};
    step.identity = identity;
    return step;
}

}  // namespace

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
    if (std::ranges::find(inside, root) != inside.end()) return;
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
