#include "confine/wanted.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "confine/git_repository.h"
#include "confine/globs.h"
#include "confine/located.h"
#include "confine/names.h"
#include "confine/reading.h"
#include "confine/replaceable_links.h"
#include "confine/secrets.h"
#include "confine/seen_file.h"
#include "confine/view.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

void add_all(std::string& text, const char* name, const std::vector<fs::path>& paths) {
    for (const fs::path& path : paths) text += std::string(name) + " " + path.string() + "\n";
}

bool is_directory(const Wanted& wanted, const fs::path& path) {
    return wanted.identity_of(path).type == S_IFDIR;
}

// The overlap of two trees: the lower one if one contains the other, else null.
const fs::path* in_both(const fs::path& one, const fs::path& other) {
    if (is_within(one, other)) return &one;
    return is_within(other, one) ? &other : nullptr;
}

std::vector<fs::path> overlaps(const std::vector<fs::path>& some,
                               const std::vector<fs::path>& others) {
    std::vector<fs::path> found;
    for (const fs::path& one : some)
        for (const fs::path& other : others)
            if (const fs::path* both = in_both(one, other);
                both != nullptr && std::ranges::find(found, *both) == found.end())
                found.push_back(*both);
    return found;
}

// Where commands can make links, once the roots are resolved.
Roots roots_of(const Wanted& wanted) {
    Roots roots;
    if (!wanted.workspace.empty()) roots.push_back(wanted.workspace);
    for (const auto* more : {&wanted.writable, &wanted.git_dirs})
        std::ranges::copy(*more, std::back_inserter(roots));
    return roots;
}

// Refuses paths that lead through a link in a root. Links outside of the roots are the user's own.
void refuse_links(Wanted& wanted, const Wanted& asked) {
    const Roots roots = roots_of(wanted);
    const auto check = [&](const char* setting, const std::vector<fs::path>& written,
                           const std::vector<fs::path>& found) {
        for (size_t i = 0; i < written.size() && !wanted.refused; ++i)
            if (!leads_without_links_in(roots, written[i], found[i]))
                wanted.refused = leads_through_link(setting, written[i], found[i]);
    };
    check("write", asked.writable, wanted.writable);
    check("read", asked.readable, wanted.readable);
    check("sockets", asked.sockets, wanted.sockets);
    check("devices", asked.devices, wanted.devices);
}

// Narrows the roots to the allowed paths. The repository of a worktree lies elsewhere, and is no
// root then.
void narrow_to_allowed(Wanted& wanted) {
    std::erase_if(*wanted.allowed,
                  [&](const fs::path& path) { return !is_directory(wanted, path); });
    wanted.narrowed = {wanted.workspace};
    std::ranges::copy(wanted.writable, std::back_inserter(wanted.narrowed));
    const std::vector<fs::path> roots = overlaps(wanted.narrowed, *wanted.allowed);
    wanted.readable = overlaps(wanted.readable, *wanted.allowed);
    // No root is allowed, so none is shown and nothing can be written. What every session can read
    // may still be read where it is allowed.
    if (roots.empty()) wanted.mode = Mode::ReadOnly;
    if (roots.empty()) return;
    wanted.workspace = roots.front();
    wanted.writable.assign(roots.begin() + 1, roots.end());
}

// Resolves links in the directory but not in the name: if the name is a link, the link itself is
// protected. Links that lie in a root stay too, and so do directories in a root that the path
// leaves by `..`: commands could replace them, so each survey of the protected names has to find
// them.
fs::path name_to_protect(const fs::path& path, const std::vector<fs::path>& roots) {
    if (is_glob(path)) return resolved_up_to_roots(path, roots);
    const fs::path name = without_stars(path);
    const bool is_plain = name.has_filename() && name.filename() != "." && name.filename() != "..";
    return is_plain ? resolved_up_to_roots(name.parent_path(), roots) / name.filename()
                    : resolved_up_to_roots(name, roots);
}

// A home can be a repository, too, and its .git holds whatever was ever committed there. Nobody who
// works in a directory of it means to give that away.
bool may_be_opened(const Wanted& wanted, const Enclosing& around) {
    const auto is_in_checkout = [&](const fs::path& path) {
        return !path.empty() && is_within(path, around.checkout);
    };
    return !is_in_checkout(wanted.home) && !is_in_checkout(wanted.state) &&
           std::ranges::none_of(homes_of_people(), is_in_checkout);
}

// The repository that git finds from the workspace: it is written by every command of git.
void add_repository(Wanted& wanted) {
    const bool writes = wanted.mode == Mode::Workspace;
    if (auto repository = repository_of_worktree(wanted.workspace); repository) {
        if (writes) wanted.git_dirs.push_back(*std::move(repository));
        return;
    }
    const auto around = repository_around(wanted.workspace);
    if (!around || !may_be_opened(wanted, *around)) return;
    wanted.checkout = around->checkout;
    if (writes) wanted.git_dirs.push_back(around->git_dir);
}

}  // namespace

fs::path usable_home(const char* variable) {
    static thread_local std::string known;
    static thread_local fs::path usable;
    const std::string text = variable != nullptr ? variable : "";
    if (text == known) return usable;
    std::error_code failed;
    const fs::path path = fs::canonical(text, failed);
    const bool fits = !failed && path != "/" && fs::is_directory(path, failed) &&
                      ::access(path.c_str(), R_OK | X_OK) == 0;
    known = text;
    return usable = fits ? path : fs::path();
}

std::string Wanted::fingerprint() const {
    if (!closed()) {
        std::string text = "mode open\n";
        add_all(text, "protect", protect);
        return text;
    }
    std::string text = mode == Mode::ReadOnly ? "mode read-only\n" : "mode workspace\n";
    text += "network " + std::to_string(static_cast<int>(network.kind)) + "\n";
    for (const std::string& host : network.hosts) text += "host " + host + "\n";
    if (!watch_denials) text += "denials off\n";
    add_all(text, "workspace", {workspace});
    add_all(text, "write", writable);
    add_all(text, "read", readable);
    add_all(text, "protect", protect);
    if (allowed) text += "only what is allowed\n";
    if (allowed) add_all(text, "allow", *allowed);
    add_all(text, "socket", sockets);
    add_all(text, "device", devices);
    for (const uint16_t port : publish) text += "publish " + std::to_string(port) + "\n";
    text += "scratch of " + std::to_string(scratch_bytes) + " bytes\n";
    if (scratch == Scratch::None) text += "scratch none\n";
    for (const std::string& hole : accept) text += "accept " + hole + "\n";
    if (wide_workspace) text += "wide workspace\n";
    return text;
}

wire::Identity Wanted::identity_of(const fs::path& path) const {
    const auto known = identities.find(path.native());
    return known == identities.end() ? wire::Identity{} : known->second;
}

Wanted resolved(Wanted wanted) {
    // The name and the object in one step: a link that changes meanwhile cannot separate them.
    const auto resolve = [&](fs::path& path) {
        if (path.empty()) return;
        const auto found = locate(path);
        path = found ? found->path : without_links(path);
        wanted.identities[path.native()] = found ? found->identity : identity_of_nothing();
    };
    const Wanted asked = wanted;
    wanted.identities.clear();
    wanted.refused.reset();
    resolve(wanted.workspace);
    for (auto* paths : {&wanted.writable, &wanted.readable, &wanted.sockets, &wanted.devices})
        for (fs::path& path : *paths) resolve(path);
    for (const Roots roots = held_roots(wanted); fs::path & path : wanted.protect)
        path = name_to_protect(path, roots);
    wanted.state = without_links(wanted.state);
    resolve(wanted.logs);
    resolve(wanted.home);
    if (wanted.closed() && !wanted.allowed) {
        add_repository(wanted);
        resolve(wanted.checkout);
        for (fs::path& path : wanted.git_dirs) resolve(path);
    }
    refuse_links(wanted, asked);
    if (!wanted.allowed) return wanted;
    const Roots roots = roots_of(wanted);
    wanted.allowed->clear();
    for (const fs::path& one : *asked.allowed) {
        fs::path found = one;
        resolve(found);
        // Commands could lead a list elsewhere by a link in a root.
        if (leads_without_links_in(roots, one, found)) wanted.allowed->push_back(std::move(found));
    }
    narrow_to_allowed(wanted);
    return wanted;
}

}  // namespace husk::confine
