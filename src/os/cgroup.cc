#include "os/cgroup.h"

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "os/file.h"
#include "os/pretend.h"

namespace husk::os {
namespace {

namespace fs = std::filesystem;

struct Mount {
    std::string root;  // the part of the hierarchy that is mounted
    std::string point;
    std::string type;
    std::string options;
};

// "36 35 98:0 /root /point options optional... - type source options"
Mount parse_mount(std::string_view line) {
    std::istringstream fields{std::string(line)};
    std::string id, parent, device, own_options, word, source;
    Mount mount;
    fields >> id >> parent >> device >> mount.root >> mount.point >> own_options;
    while (fields >> word && word != "-") {
    }
    fields >> mount.type >> source >> mount.options;
    return mount;
}

bool has_controllers(const Mount& mount, const std::string& controllers) {
    if (controllers.empty()) return mount.type == "cgroup2";
    const auto options = split_list(mount.options, ',');
    return mount.type == "cgroup" &&
           std::ranges::all_of(split_list(controllers, ','), [&](auto& one) {
               return std::ranges::find(options, one) != options.end();
           });
}

// Where a cgroup is under a mount; empty if the mount does not show it.
fs::path place_of(const std::string& cgroup, const Mount& mount) {
    const fs::path below = fs::path(cgroup).lexically_relative(mount.root);
    if (below.empty() || *below.begin() == "..") return {};
    return below == "." ? fs::path(mount.point) : mount.point / below;
}

}  // namespace

std::vector<std::string> split_list(const std::string& list, char separator) {
    std::vector<std::string> found;
    std::istringstream stream(list);
    for (std::string part; std::getline(stream, part, separator);) found.push_back(part);
    return found;
}

std::vector<Cgroup> cgroups_in(std::string_view memberships, std::string_view mounts) {
    std::vector<Mount> mounted;
    for (const std::string_view line : text::split_lines(mounts))
        mounted.push_back(parse_mount(line));
    std::vector<Cgroup> found;
    for (const std::string_view line : text::split_lines(memberships)) {
        // "4:memory:/path" or "0::/path"
        const size_t first = line.find(':');
        const size_t second = line.find(':', first + 1);
        if (first == std::string_view::npos || second == std::string_view::npos) continue;
        const std::string controllers(line.substr(first + 1, second - first - 1));
        const std::string path(line.substr(second + 1));
        for (const Mount& mount : mounted) {
            if (!has_controllers(mount, controllers)) continue;
            const fs::path directory = place_of(path, mount);
            if (directory.empty()) continue;
            found.push_back({controllers, directory});
            break;
        }
    }
    return found;
}

std::vector<Cgroup> own_cgroups() {
    std::vector<Cgroup> own = cgroups_in(read_file("/proc/self/cgroup").value_or(""),
                                         read_file("/proc/self/mountinfo").value_or(""));
    const Pretended& can = pretended();
    std::erase_if(own, [&](const Cgroup& one) {
        return one.controllers.empty() ? !can.cgroup_v2 : !can.cgroup_v1;
    });
    return own;
}

}  // namespace husk::os
