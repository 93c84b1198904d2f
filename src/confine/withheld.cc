#include "confine/withheld.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "confine/located.h"
#include "confine/reading.h"
#include "confine/secrets.h"
#include "confine/view.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// Directories that no session can do without. A link to one of them makes nothing a secret.
constexpr const char* needed[] = {"/usr", "/etc", "/bin", "/lib", "/lib64", "/sbin", "/proc",
                                  "/dev", "/tmp", "/run", "/sys", "/var",   "/home"};

bool is_needed(const Wanted& wanted, const fs::path& target) {
    const auto holds = [&](const fs::path& one) { return !one.empty() && is_within(one, target); };
    const auto lies_in = [&](const char* place) { return is_within(target, place); };
    return holds(wanted.workspace) || holds(wanted.home) ||
           std::ranges::any_of(wanted.writable, holds) || std::ranges::any_of(needed, holds) ||
           std::ranges::any_of(std::to_array({"/usr", "/proc", "/dev", "/sys"}), lies_in);
}

// Finds the real names of paths; many of them lie in the same directory.
class RealNames {
public:
    // The same name in the directory that its path leads to. Nothing where there is no such
    // directory.
    std::optional<fs::path> of(const fs::path& path) {
        const fs::path parent = path.parent_path();
        const auto [known, is_new] = parents_.try_emplace(parent.native());
        if (is_new) known->second = real_name(parent);
        if (!known->second) return std::nullopt;
        return *known->second / path.filename();
    }

private:
    static std::optional<fs::path> real_name(const fs::path& parent) {
        if (const auto found = locate(parent); found) return found->path;
        return seen_at(parent) ? std::optional(parent) : std::nullopt;
    }

    std::map<std::string, std::optional<fs::path>> parents_;
};

// Where the links in a directory lead.
std::vector<fs::path> targets_in(const fs::path& directory) {
    constexpr int most = 1000;
    std::vector<fs::path> targets;
    const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(directory.c_str()), &::closedir);
    if (!opened) return targets;
    for (int i = 0; i < most; ++i) {
        const dirent* entry = ::readdir(opened.get());  // NOLINT(concurrency-mt-unsafe): its own
        if (entry == nullptr) break;
        if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN) continue;
        if (auto found = locate(directory / entry->d_name); found) targets.push_back(found->path);
    }
    return targets;
}

bool is_given(const Wanted& wanted, const fs::path& secret) {
    return std::ranges::any_of(wanted.readable,
                               [&](const fs::path& given) { return is_within(secret, given); });
}

// The name without links, and the objects that it leads to.
void add_with_targets(const Wanted& wanted, const fs::path& secret, RealNames& real,
                      std::vector<fs::path>& all) {
    const auto found = real.of(secret);
    const fs::path name = found.value_or(secret);
    all.push_back(name);
    struct stat info{};
    if (!found || ::lstat(name.c_str(), &info) != 0) return;
    std::vector<fs::path> targets;
    if (S_ISLNK(info.st_mode))
        if (auto target = locate(name); target) targets.push_back(target->path);
    if (S_ISDIR(info.st_mode)) targets = targets_in(name);
    for (fs::path& target : targets)
        if (!is_within(target, name) && !is_needed(wanted, target))
            all.push_back(std::move(target));
}

// Roots that the session gets as a whole, but for their secrets.
std::vector<fs::path> roots_without_secrets(const Wanted& wanted) {
    std::vector<fs::path> roots = writable_roots(wanted);
    if (wanted.mode == Mode::ReadOnly) roots = shown_roots(wanted);
    if (!wanted.checkout.empty() && wanted.machine.mount_namespace)
        roots.push_back(wanted.checkout);
    std::erase_if(roots, [&](const fs::path& root) {
        return wanted.wide_workspace && holds_everything(wanted, root);
    });
    return roots;
}

// The directories between a root and the secret: a command could rename them, and the secret would
// not be found by its name any more.
std::vector<fs::path> movable_above(const Wanted& wanted, const fs::path& secret) {
    std::vector<fs::path> found;
    for (const fs::path& root : writable_roots(wanted)) {
        if (!is_within(secret, root)) continue;
        fs::path directory = root;
        for (const fs::path& part : secret.parent_path().lexically_relative(root)) {
            if (part == ".") break;
            directory /= part;
            if (std::ranges::find(found, directory) == found.end()) found.push_back(directory);
        }
    }
    return found;
}

bool holds_given(const Wanted& wanted, const fs::path& secret) {
    return std::ranges::any_of(wanted.readable,
                               [&](const fs::path& given) { return is_within(given, secret); });
}

// What a directory holds, if that can be listed and is little enough for a mount on each.
std::optional<std::vector<fs::path>> few_entries_of(const fs::path& directory) {
    constexpr size_t most = 256;
    std::vector<fs::path> entries;
    std::error_code failed;
    fs::directory_iterator entry(directory, failed);
    for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
        if (entries.size() == most) return std::nullopt;
        entries.push_back(entry->path());
    }
    if (failed) return std::nullopt;
    return entries;
}

// A directory of which a part is given stays, and everything else in it is covered.
void cover_one(const Wanted& wanted, const fs::path& secret, Covering covering, Steps& steps) {
    if (is_given(wanted, secret)) return;
    const auto seen = seen_at(secret);
    const bool is_absent = !seen && (errno == ENOENT || errno == ENOTDIR);
    if (is_absent || (seen && seen->type == S_IFLNK)) return;
    if (seen && seen->type == S_IFDIR && holds_given(wanted, secret))
        if (const auto entries = few_entries_of(secret); entries) {
            for (const fs::path& entry : *entries) cover_one(wanted, entry, covering, steps);
            return;
        }
    for (const fs::path& above : movable_above(wanted, secret))
        steps.add({wire::WallOp::Protect, "pin " + above.string(), 1, 0, 0, {above.string()}});
    Step step{wire::WallOp::Cover, "withhold " + secret.string(),
              covering == Covering::Renewed ? 1U : 0U};
    step.texts = {secret.string()};
    // A secret that cannot be seen has to be covered too: the step fails if it cannot.
    if (seen) step.identity = *seen;
    steps.add(std::move(step));
}

}  // namespace

std::vector<fs::path> withheld_secrets(const Wanted& wanted,
                                       const std::vector<MountedTree>& trees) {
    std::vector<fs::path> secrets;
    if (!wanted.home.empty()) secrets = secrets_in(wanted.home);
    std::ranges::move(wanted.root ? secrets_of_system() : secrets_of_user(::geteuid()),
                      std::back_inserter(secrets));
    for (fs::path& secret : secrets_named_by_variables())
        if (!is_needed(wanted, secret)) secrets.push_back(std::move(secret));
    std::vector<fs::path> all;
    RealNames real;
    for (const fs::path& secret : secrets)
        if (!is_given(wanted, secret) && !is_within(wanted.state, secret))  // the state is withheld
            add_with_targets(wanted, secret, real, all);
    for (size_t i = 0, count = all.size(); i < count; ++i)
        for (fs::path& name : other_names(all[i], trees)) all.push_back(std::move(name));
    std::erase_if(all, [&](const fs::path& name) {
        return is_given(wanted, name) || (!wanted.home.empty() && is_within(wanted.home, name));
    });
    std::ranges::sort(all, {}, &fs::path::native);
    all.erase(std::ranges::unique(all, {}, &fs::path::native).begin(), all.end());
    return all;
}

std::vector<fs::path> secrets_in_roots(const Wanted& wanted, const std::vector<fs::path>& secrets) {
    const std::vector<fs::path> roots = roots_without_secrets(wanted);
    std::vector<fs::path> found;
    std::ranges::copy_if(secrets, std::back_inserter(found), [&](const fs::path& secret) {
        return std::ranges::any_of(roots,
                                   [&](const fs::path& root) { return is_within(secret, root); });
    });
    return found;
}

void cover(const Wanted& wanted, const std::vector<fs::path>& secrets, Covering covering,
           Steps& steps) {
    for (const fs::path& secret : secrets) {
        const bool lies_in_another = std::ranges::any_of(secrets, [&](const fs::path& other) {
            return is_within(secret, other) && other != secret;
        });
        if (!lies_in_another) cover_one(wanted, secret, covering, steps);
    }
}

}  // namespace husk::confine
