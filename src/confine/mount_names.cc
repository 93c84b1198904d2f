#include "confine/mount_names.h"

#include <algorithm>
#include <sstream>

#include "confine/reading.h"
#include "os/file.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// Blanks and backslashes are written as three octal digits.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size()) {
            plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                       (text[i + 3] - '0'));
            i += 3;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

// `path`, which lies in `from`, in the place of the same file below `to`.
fs::path moved(const fs::path& path, const fs::path& from, const fs::path& to) {
    const fs::path rest = path.lexically_relative(from);
    return rest == "." ? to : to / rest;
}

}  // namespace

const MountedTree* tree_of(const fs::path& path, const std::vector<MountedTree>& trees) {
    const MountedTree* found = nullptr;
    for (const MountedTree& tree : trees) {
        const bool is_deeper =
            found == nullptr || tree.point.native().size() >= found->point.native().size();
        if (is_deeper && is_within(path, tree.point)) found = &tree;
    }
    return found;
}

std::vector<MountedTree> mounted_trees(std::string_view mountinfo) {
    std::vector<MountedTree> trees;
    std::istringstream lines{std::string(mountinfo)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        uint64_t number = 0;
        uint64_t parent = 0;
        std::string device;
        std::string root;
        std::string point;
        if (!(words >> number >> parent >> device >> root >> point)) continue;
        std::string word;  // options, and then any number of fields that end with "-"
        while (words >> word && word != "-") {
        }
        std::string type;
        words >> type;
        trees.push_back({number, parent, device, unescaped(root), unescaped(point), type});
    }
    return trees;
}

Result<std::vector<MountedTree>> mounted_trees_now() {
    constexpr size_t longest = 64 << 20;
    return mounted_trees(TRY(os::read_file("/proc/self/mountinfo", longest)));
}

std::vector<OtherName> names_elsewhere(const fs::path& path,
                                       const std::vector<MountedTree>& trees) {
    std::vector<OtherName> names;
    const MountedTree* own = tree_of(path, trees);
    if (own == nullptr) return names;
    const fs::path in_file_system = moved(path, own->point, own->root);
    for (const MountedTree& other : trees) {
        if (&other == own || other.device != own->device) continue;
        if (is_within(in_file_system, other.root))
            names.push_back({moved(in_file_system, other.root, other.point), path});
        else if (is_within(other.root, in_file_system))
            names.push_back({other.point, moved(other.root, in_file_system, path)});
    }
    std::erase_if(names, [&](const OtherName& one) { return one.name == path; });
    return names;
}

std::vector<fs::path> other_names(const fs::path& path, const std::vector<MountedTree>& trees) {
    std::vector<fs::path> names;
    for (OtherName& one : names_elsewhere(path, trees)) names.push_back(std::move(one.name));
    return names;
}

}  // namespace husk::confine
