#include "place/mounts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <map>

#include "confine/protected.h"
#include "confine/reading.h"
#include "confine/seen_file.h"
#include "os/file.h"

namespace husk::place {
namespace {

namespace fs = std::filesystem;

// Empty when it is somewhere else: then nobody inside can see it.
fs::path below(const fs::path& path, const fs::path& workspace) {
    const auto seen_from = [&](const fs::path& one) {
        fs::path rest = one.lexically_relative(workspace);
        return rest.empty() || *rest.begin() == ".." ? fs::path() : rest;
    };
    const fs::path as_named = seen_from(path.lexically_normal());
    // The name as it is comes first: links in the workspace are not for this side to follow.
    return as_named.empty() ? seen_from(confine::without_links(path)) : as_named;
}

// The workspace and what is below it, opened name by name.
class Ground {
public:
    // The path has no links; one that has come since is not followed either.
    static Result<Ground> open(const fs::path& workspace) {
        os::Fd top = TRY(os::open("/", O_PATH | O_DIRECTORY));
        for (const fs::path& part : workspace.relative_path())
            top = TRY(os::open_at(top, part.string(), O_PATH | O_DIRECTORY | O_NOFOLLOW));
        return Ground(workspace, std::move(top));
    }

    Result<Mount> itself(bool read_only) const {
        return mount_of(top_, workspace_, workspace_inside, read_only);
    }

    Result<void> protect(const fs::path& what, std::map<std::string, Mount>& on_top) const {
        CHECK(pin(what, on_top));
        on_top.at((fs::path(workspace_inside) / what).string()).read_only = true;
        return {};
    }

    // A directory that is a mount can be neither renamed nor removed with what is below it: so all
    // of them on the way are. `what` is not empty.
    Result<void> pin(const fs::path& what, std::map<std::string, Mount>& on_top) const {
        os::Fd at = TRY(os::open_at(top_, ".", O_PATH | O_DIRECTORY));
        fs::path above;
        for (const fs::path& part : what) {
            at = TRY(os::open_at(at, part.string(), O_PATH | O_NOFOLLOW));
            above /= part;
            const std::string inside = (fs::path(workspace_inside) / above).string();
            const Mount mount = TRY(mount_of(at, workspace_ / above, inside, false));
            on_top.try_emplace(inside, mount);
        }
        return {};
    }

    // Where it does not exist.
    Result<void> make(const fs::path& what) const {
        os::Fd at = TRY(os::open_at(top_, ".", O_PATH | O_DIRECTORY));
        fs::path above;
        for (const fs::path& part : what) {
            above /= part;
            if (::mkdirat(at.get(), part.c_str(), 0777) != 0 && errno != EEXIST)
                return failure("mkdirat", errno, (workspace_ / above).string());
            at = TRY(os::open_at(at, part.string(), O_PATH | O_NOFOLLOW));
        }
        return {};
    }

private:
    Ground(fs::path workspace, os::Fd top)
        : workspace_(std::move(workspace)), top_(std::move(top)) {}

    static Result<Mount> mount_of(const os::Fd& opened, const fs::path& from, std::string to,
                                  bool read_only) {
        struct stat info{};
        if (::fstat(opened.get(), &info) != 0) return failure("fstat", errno, from.string());
        if (S_ISLNK(info.st_mode))
            return failure("container", 0,
                           from.string() +
                               " is a symbolic link, and what is protected cannot be behind one in "
                               "a container: put there what it leads to, or take it away");
        return Mount{.from = from,
                     .to = std::move(to),
                     .read_only = read_only,
                     .major = gnu_dev_major(info.st_dev),
                     .minor = gnu_dev_minor(info.st_dev),
                     .inode = info.st_ino};
    }

    fs::path workspace_;
    os::Fd top_;
};

// Read-only would not do: sockets can be connected to all the same.
Result<void> keep_apart(const fs::path& workspace, const fs::path& state, const fs::path& socket) {
    const auto refusal = [&](const std::string& what) {
        return failure("workspace", 0,
                       workspace.string() + " and " + what +
                           " are one within the other: a container cannot have such a workspace");
    };
    if (confine::is_within(state, workspace) || confine::is_within(workspace, state))
        return refusal("Husk's own " + state.string());
    if (confine::is_within(socket, workspace))
        return refusal("the engine's socket " + socket.string());
    return {};
}

}  // namespace

Result<std::vector<Mount>> mounts_of(const Wanted& wanted, const fs::path& state,
                                     const fs::path& engine_socket) {
    const fs::path workspace = confine::without_links(wanted.workspace);
    std::error_code failed;
    if (!fs::is_directory(workspace, failed))
        return failure("workspace", ENOTDIR, wanted.workspace.string());
    CHECK(keep_apart(workspace, confine::without_links(state),
                     confine::without_links(engine_socket)));
    const Ground ground = TRY(Ground::open(workspace));
    const bool read_only = wanted.mode == Mode::ReadOnly;
    std::vector<Mount> mounts = {TRY(ground.itself(read_only))};
    if (read_only) return mounts;

    confine::Wanted walls;
    walls.mode = wanted.mode;
    walls.workspace = workspace;
    for (const fs::path& path : wanted.read_only) walls.protect.push_back(workspace / path);
    for (const std::string& name : wanted.always_read_only) {
        CHECK(ground.make(name));
        walls.protect.push_back(workspace / name);
    }
    std::map<std::string, Mount> on_top;
    const confine::Protected protection = TRY(confine::find_protected(walls));
    for (const auto& [path, name] : protection.names) {
        if (name.state == confine::State::Absent) continue;
        // The container shows nothing outside of the workspace, so no command can reach this link.
        const bool is_outside = !confine::is_within(path, workspace);
        if (name.state == confine::State::Link && is_outside) continue;
        const fs::path what = below(path, workspace);
        const bool stays_writable = name.state == confine::State::Pinned;
        if (what == "." && !stays_writable) mounts.front().read_only = true;
        if (what.empty() || what == ".") continue;
        CHECK(stays_writable ? ground.pin(what, on_top) : ground.protect(what, on_top));
    }
    for (auto& [inside, mount] : on_top) mounts.push_back(std::move(mount));
    return mounts;
}

}  // namespace husk::place
