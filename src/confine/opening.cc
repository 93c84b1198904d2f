#include "confine/opening.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "confine/protected.h"
#include "confine/reading.h"
#include "confine/secrets.h"
#include "confine/wanted.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// Programs and settings of the machine, and homes of others. Nobody means to give these away who
// follows a link that an earlier command has put in the place of a directory.
bool is_of_the_system(const fs::path& root) {
    constexpr auto places = std::to_array(
        {"/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/sbin", "/usr/bin", "/usr/lib",
         "/usr/libexec", "/usr/local/bin", "/usr/local/lib", "/usr/local/etc", "/usr/sbin",
         "/usr/local/sbin", "/var/lib/dpkg", "/var/spool"});
    const bool is_a_home = root == "/home" || root.parent_path() == "/home";
    return is_a_home || std::ranges::any_of(places, [&](const char* place) {
               return is_within(root, place) || is_within(place, root);
           });
}

// HOME may name another directory than the one in which a user lives.
bool is_a_home_or_above(const fs::path& root) {
    return std::ranges::any_of(homes_of_people(),
                               [&](const fs::path& home) { return is_within(home, root); });
}

bool is_own_home_or_above(const fs::path& root) {
    const fs::path home = usable_home(std::getenv("HOME"));  // NOLINT(concurrency-mt-unsafe)
    return !home.empty() && is_within(home, root);
}

// The directory that holds the `.git` which the path lies in, or is; empty if there is none.
fs::path checkout_above(const fs::path& path) {
    fs::path above;
    for (const fs::path& part : path) {
        if (part == ".git") return above;
        above /= part;
    }
    return {};
}

// The repository without a checkout that the path lies in; empty if there is none.
fs::path bare_repository_above(const fs::path& path) {
    std::error_code failed;
    for (fs::path above = path.parent_path(); above.has_relative_path();
         above = above.parent_path())
        if (fs::is_regular_file(above / "HEAD", failed) &&
            fs::is_directory(above / "objects", failed) && fs::is_directory(above / "refs", failed))
            return above;
    return {};
}

bool is_there(const fs::path& path) {
    struct stat info{};
    return ::lstat(path.c_str(), &info) == 0;
}

// Without walls, the mode of the file or directory would refuse it all the same.
bool user_may_not(const Stopped& stopped, const fs::path& parent) {
    const bool of_file = stopped.operation == "write" && is_there(stopped.path);
    const fs::path& object = of_file ? stopped.path : parent;
    if (stopped.operation == "metadata") {
        struct stat info{};
        return ::geteuid() != 0 && ::lstat(stopped.path.c_str(), &info) == 0 &&
               info.st_uid != ::geteuid();
    }
    return ::faccessat(AT_FDCWD, object.c_str(), W_OK, AT_EACCESS) != 0 && errno != ENOENT;
}

std::string why_not(const Stopped& stopped, const fs::path& root) {
    for (const char* special : {"/proc", "/sys", "/run"})
        if (is_within(stopped.path, special))
            return std::string(special) + " belongs to the machine, and `write` never opens it";
    if (is_within(stopped.path, "/dev"))
        return "/dev is the session's own, and holds the devices that `devices` names";
    if (is_always_protected(stopped.path.lexically_relative(root)))
        return "it is protected: commands never change it";
    if (user_may_not(stopped, stopped.path.parent_path()))
        return "this user may not do it without walls either";
    if (root == "/") return "`write` never takes /";
    if (kind_of_root(root) == RootKind::HoldsAHome || is_own_home_or_above(root))
        return "`write` takes no home directory as a whole: make a directory in it, and give that";
    if (kind_of_root(root) == RootKind::OfTheSystem)
        return "`write` refuses directories of the system";
    return "";
}

}  // namespace

RootKind kind_of_root(const fs::path& directory) {
    for (const char* special : {"/proc", "/sys", "/dev", "/run"})
        if (is_within(directory, special) && !is_within(directory, "/dev/shm"))
            return RootKind::OfTheKernel;
    if (is_of_the_system(directory)) return RootKind::OfTheSystem;
    return is_a_home_or_above(directory) ? RootKind::HoldsAHome : RootKind::Usual;
}

Opening opening_of(const Stopped& stopped) {
    const auto holds_it = [&](const fs::path& root) { return is_within(stopped.path, root); };
    const auto root = std::ranges::find_if(stopped.roots, holds_it);
    if (root != stopped.roots.end()) {
        const bool is_protected = stopped.mode == Mode::Workspace ||
                                  is_always_protected(stopped.path.lexically_relative(*root));
        if (is_protected) return {.reason = "it is protected: commands never change it"};
        return {.needs_workspace_mode = true};
    }
    const fs::path checkout = checkout_above(stopped.path);
    const fs::path bare = checkout.empty() ? bare_repository_above(stopped.path) : fs::path();
    const fs::path directory = !checkout.empty() ? checkout
                               : !bare.empty()   ? bare
                                                 : stopped.path.parent_path();
    if (std::string why = why_not(stopped, directory); !why.empty()) return {.reason = why};
    return {
        .root = directory, .needs_workspace_mode = stopped.mode == Mode::ReadOnly, .reason = ""};
}

}  // namespace husk::confine
