#include "confine/reading.h"

#include <algorithm>

#include "os/landlock.h"

namespace husk::confine {

namespace fs = std::filesystem;

bool is_within(const fs::path& path, const fs::path& above) {
    const auto ended = std::ranges::mismatch(above, path).in1;
    return ended == above.end();
}

void grant(const fs::path& path, uint64_t rights, Steps& steps) {
    steps.add({wire::WallOp::AddRule,
               "allow access to " + path.string(),
               rights,
               0,
               0,
               {path.string()},
               true});
}

void grant_reading(const fs::path& root, const std::vector<fs::path>& withheld, Steps& steps) {
    std::vector<fs::path> inside;
    std::ranges::copy_if(withheld, std::back_inserter(inside),
                         [&](const fs::path& one) { return is_within(one, root); });
    if (std::ranges::find(inside, root) != inside.end()) return;
    std::error_code failed;
    const fs::file_type type = fs::symlink_status(root, failed).type();
    if (failed || type == fs::file_type::symlink || type == fs::file_type::not_found) return;
    if (type != fs::file_type::directory)
        return grant(root, os::landlock::on_files(os::landlock::reading()), steps);
    if (inside.empty()) return grant(root, os::landlock::reading(), steps);
    for (const fs::directory_entry& entry : fs::directory_iterator(root, failed))
        grant_reading(entry.path(), inside, steps);
}

}  // namespace husk::confine
