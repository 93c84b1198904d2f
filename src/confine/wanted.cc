#include "confine/wanted.h"

#include <unistd.h>

#include "confine/git_dirs.h"
#include "confine/links.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

void add_all(std::string& text, const char* name, const std::vector<fs::path>& paths) {
    for (const fs::path& path : paths) text += std::string(name) + " " + path.string() + "\n";
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
    if (scratch == Scratch::None) text += "scratch none\n";
    for (const std::string& hole : accept) text += "accept " + hole + "\n";
    if (wide_workspace) text += "wide workspace\n";
    return text;
}

Wanted resolved(Wanted wanted) {
    wanted.workspace = without_links(wanted.workspace);
    for (auto* paths : {&wanted.writable, &wanted.readable, &wanted.protect})
        for (fs::path& path : *paths) path = without_links(path);
    wanted.state = without_links(wanted.state);
    wanted.logs = without_links(wanted.logs);
    if (wanted.mode == Mode::Workspace)
        if (auto repository = repository_of_worktree(wanted.workspace); repository)
            wanted.git_dirs.push_back(*std::move(repository));
    return wanted;
}

}  // namespace husk::confine
