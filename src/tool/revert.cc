#include "tool/revert.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/id.h"
#include "base/utf8.h"
#include "confine/protected.h"
#include "confine/reading.h"
#include "confine/view.h"
#include "keeper/walls_wire.h"
#include "os/fd.h"
#include "os/file.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

os::Fd open_parent(const fs::path& root, const fs::path& path) {
    const os::Fd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    open_how how{};
    how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const fs::path parent = path.parent_path().lexically_relative(root);
    return os::Fd(
        static_cast<int>(::syscall(SYS_openat2, top.get(), parent.c_str(), &how, sizeof how)));
}

bool move_or_remove(const os::Fd& parent, const fs::path& name, const fs::path& keep) {
    std::error_code failed;
    fs::create_directories(keep, failed);
    const fs::path kept = keep / (name.string() + "-" + random_id(6));
    if (::renameat(parent.get(), name.c_str(), AT_FDCWD, kept.c_str()) == 0) return true;
    if (errno != EXDEV) return false;
    fs::remove_all(fs::path("/proc/self/fd/" + std::to_string(parent.get())) / name, failed);
    return !failed;
}

// As the mason reads it; empty when it is too long for that.
std::string forbidden_name(const fs::path& path, size_t root, const fs::path& root_path) {
    const std::string line =
        ",\"reverted\":" + nlohmann::json(text::to_utf8(path.string())).dump() + "}\n";
    std::string texts = path.string() + '\0' + line + '\0';
    constexpr size_t alignment = 8;
    while ((texts.size() + sizeof(wire::ForbiddenName)) % alignment != 0) texts += '\0';
    const size_t size = sizeof(wire::ForbiddenName) + texts.size();
    if (size > UINT16_MAX) return {};
    wire::ForbiddenName header{};
    header.root = static_cast<uint16_t>(root);
    header.relative =
        static_cast<uint16_t>(sizeof header + root_path.string().size() + 1);  // behind the slash
    header.line = static_cast<uint16_t>(sizeof header + path.string().size() + 1);
    header.size = static_cast<uint16_t>(size);
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) + texts;
}

}  // namespace

void forbid_absent(const run::Session& session, const fs::path& keep) {
    if (!session.can_forbid()) return;
    const std::vector<fs::path> roots = confine::writable_roots(session.wanted());
    std::string names;
    for (const fs::path& path : confine::find_protected(session.wanted()).absent) {
        for (size_t root = 0; root < roots.size(); ++root) {
            if (roots[root] == "/" || !confine::is_within(path, roots[root])) continue;
            names += forbidden_name(path, root, roots[root]);
            break;
        }
    }
    std::error_code failed;
    fs::create_directories(keep, failed);
    const auto kept = os::open(keep, O_PATH | O_DIRECTORY);
    if (kept && !names.empty()) std::ignore = session.forbid(names, *kept, roots);
}

std::vector<std::string> take_away(const std::vector<fs::path>& absent,
                                   const std::vector<fs::path>& roots, const fs::path& keep) {
    std::vector<std::string> taken;
    for (const fs::path& path : absent) {
        struct stat info{};
        if (::lstat(path.c_str(), &info) != 0) continue;
        for (const fs::path& root : roots) {
            const fs::path relative = path.lexically_relative(root);
            if (relative.empty() || *relative.begin() == "..") continue;
            const os::Fd parent = open_parent(root, path);
            const fs::path name = path.filename();
            if (!parent || ::fstatat(parent.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
                continue;
            if (move_or_remove(parent, name, keep)) taken.push_back(path.string());
            break;
        }
    }
    return taken;
}

}  // namespace husk::tool
