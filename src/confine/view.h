// What a closed session sees of the file system.
#pragma once

#include "confine/steps.h"
#include "confine/wanted.h"

namespace husk::confine {

// Everything read-only, with a private /tmp, /dev and /dev/shm, the home copy-on-write, and the
// roots that may be written. None of the secrets can be read there.
void add_view(const Wanted& wanted, const std::vector<std::filesystem::path>& secrets,
              Steps& steps);

// The directories that every mode shows as they are: the workspace or, with allowed paths, the
// roots that lie in one of them.
std::vector<std::filesystem::path> shown_roots(const Wanted& wanted);
// The roots that may be written.
std::vector<std::filesystem::path> writable_roots(const Wanted& wanted);
// The directories that hold all protected names; the mason has descriptors of them. In mode open
// that is "/".
std::vector<std::filesystem::path> held_roots(const Wanted& wanted);
// Whether a root is the whole machine, or holds the home.
bool holds_everything(const Wanted& wanted, const std::filesystem::path& root);

// The directories that are the session's own: /tmp, /dev/shm and, if it is a directory, /var/tmp.
const std::vector<std::filesystem::path>& private_places();
bool lies_in_private_place(const std::filesystem::path& path);

// Whether HOME is the user's own, copy-on-write.
bool has_home(const Wanted& wanted);
// The name by which the session sees a directory: links on the path to a root may be missing there,
// for example below /tmp.
std::filesystem::path name_inside(const Wanted& wanted, const std::filesystem::path& directory);

// Where HOME is: the user's own, or one in the scratch.
std::filesystem::path home_inside(const Wanted& wanted);
// Where TMPDIR is.
std::filesystem::path temporary_inside(const Wanted& wanted);
// All that may be written whatever the mode is.
std::vector<std::filesystem::path> scratch_places(const Wanted& wanted);

// Where the proxy listens inside; 0: there is none.
uint16_t proxy_port_of(const Wanted& wanted);

}  // namespace husk::confine
