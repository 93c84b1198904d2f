// Opens what a path in a system call leads to, as the calling process would: from its working
// directory or one of its descriptors, in the mounts of the session.
#pragma once

namespace caller_path {

// Where relative paths of a call begin. `directory` is one of the caller's descriptors, or AT_FDCWD
// for its working directory.
struct Start {
    int pid;
    int directory;
};

// The directory that relative paths begin at (O_PATH), or -errno. /proc is `proc`.
long open_start(int proc, Start start);

// The directory at `path` (O_PATH). `at_links` is O_NOFOLLOW, or 0 to follow a link at the end.
// The links in /proc that lead to objects are not followed: those of this process would lead to
// what the session must not reach.
long open_directory(int proc, Start start, const char* path, int at_links);

}  // namespace caller_path
