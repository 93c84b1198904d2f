// Which files a closed session may read: everything, in rules that go round what is withheld.
#pragma once

#include <filesystem>
#include <vector>

#include "confine/steps.h"

namespace husk::confine {

// What the resolver of names may need of /run, which nobody can read otherwise.
inline constexpr const char* readable_in_run[] = {"/run/systemd/resolve", "/run/resolvconf",
                                                  "/run/NetworkManager/resolv.conf"};

// Where programs, libraries and settings of the machine are. Links among them are no place of
// their own.
inline constexpr const char* system_places[] = {"/usr",   "/bin",    "/sbin", "/lib", "/lib32",
                                                "/lib64", "/libx32", "/etc",  "/opt", "/nix",
                                                "/gnu",   "/snap",   "/sys"};

// A rule for every highest place below `root` that holds nothing withheld. A link is never
// followed: what it leads to has a rule of its own, or must not be read.
void grant_reading(const std::filesystem::path& root,
                   const std::vector<std::filesystem::path>& withheld, Steps& steps);

// One rule; a path that is not there, is a link or leads to another object is passed over.
void grant(const std::filesystem::path& path, uint64_t rights, Steps& steps,
           const wire::Identity& identity = {});
// One rule, for a root that the session cannot do without: if it is another object the step fails.
void grant_root(const std::filesystem::path& path, uint64_t rights, Steps& steps,
                const wire::Identity& identity);

// Whether `path` is `above` or below it.
bool is_within(const std::filesystem::path& path, const std::filesystem::path& above);
// The first root that `path` is below; null if there is none.
const std::filesystem::path* root_above(const std::filesystem::path& path,
                                        const std::vector<std::filesystem::path>& roots);

}  // namespace husk::confine
