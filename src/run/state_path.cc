#include "run/state_path.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace husk::run {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return value != nullptr ? value : "";
}

fs::path home() {
    if (const std::string home = environment("HOME"); !home.empty()) return home;
    const passwd* user = ::getpwuid(::getuid());  // NOLINT(concurrency-mt-unsafe)
    return user != nullptr ? user->pw_dir : "/";
}

}  // namespace

std::filesystem::path default_state_path() {
    if (const std::string chosen = environment("HUSK_STATE"); !chosen.empty()) return chosen;
    const std::string xdg = environment("XDG_STATE_HOME");
    // The specification wants relative paths ignored.
    if (xdg.starts_with('/')) return fs::path(xdg) / "husk";
    return home() / ".local" / "state" / "husk";
}

}  // namespace husk::run
