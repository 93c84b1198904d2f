// The calls that a session's witness is told of before the kernel makes them. It reads what they
// are about, notes and refuses those that a wall will stop, and lets the others go on.
// docs/denials.md is the page.
#pragma once

#include <stdint.h>

namespace husk::wire {

enum class Attempt : uint8_t { Write, Create, Remove, Rename, Link, Symlink, Metadata, Connect };

inline constexpr int8_t none = -1;

// Which arguments hold what. A path without a directory is meant from the working directory.
struct WatchedPath {
    int8_t directory = none;
    int8_t path = none;
};

struct WatchedCall {
    int x86_64;  // numbers; none: this architecture does not have it
    int aarch64;
    Attempt attempt;
    WatchedPath first;
    WatchedPath second = {};
    int8_t flags = none;    // the argument with the flags of open: only what would write is told
    int8_t address = none;  // its length is the next argument
};

inline constexpr WatchedCall watched_calls[] = {
    {2, none, Attempt::Write, {none, 0}, {}, 1},        // open
    {257, 56, Attempt::Write, {0, 1}, {}, 2},           // openat
    {85, none, Attempt::Create, {none, 0}},             // creat
    {83, none, Attempt::Create, {none, 0}},             // mkdir
    {258, 34, Attempt::Create, {0, 1}},                 // mkdirat
    {133, none, Attempt::Create, {none, 0}},            // mknod
    {259, 33, Attempt::Create, {0, 1}},                 // mknodat
    {87, none, Attempt::Remove, {none, 0}},             // unlink
    {263, 35, Attempt::Remove, {0, 1}},                 // unlinkat
    {84, none, Attempt::Remove, {none, 0}},             // rmdir
    {82, none, Attempt::Rename, {none, 0}, {none, 1}},  // rename
    {264, 38, Attempt::Rename, {0, 1}, {2, 3}},         // renameat
    {316, 276, Attempt::Rename, {0, 1}, {2, 3}},        // renameat2
    {86, none, Attempt::Link, {none, 1}},               // link
    {265, 37, Attempt::Link, {2, 3}},                   // linkat
    {88, none, Attempt::Symlink, {none, 1}},            // symlink
    {266, 36, Attempt::Symlink, {1, 2}},                // symlinkat
    {49, 200, Attempt::Create, {}},                     // bind; it makes the name of a unix socket
    {76, 45, Attempt::Write, {none, 0}},                // truncate
    {90, none, Attempt::Metadata, {none, 0}},           // chmod
    {268, 53, Attempt::Metadata, {0, 1}},               // fchmodat
    {92, none, Attempt::Metadata, {none, 0}},           // chown
    {94, none, Attempt::Metadata, {none, 0}},           // lchown
    {260, 54, Attempt::Metadata, {0, 1}},               // fchownat
    {280, 88, Attempt::Metadata, {0, 1}},               // utimensat
    {188, 5, Attempt::Metadata, {none, 0}},             // setxattr
    {42, 203, Attempt::Connect, {}, {}, none, 1},       // connect
    {44, 206, Attempt::Connect, {}, {}, none, 4},       // sendto
};

constexpr int native_number(const WatchedCall& call) {
#if defined(__aarch64__)
    return call.aarch64;
#else
    return call.x86_64;
#endif
}

// A call that is never made: the witness answers with the error. What it is told of and finds
// neither here nor above fails with EPERM.
struct RefusedRow {
    uint16_t number;
    uint16_t error;
};

inline constexpr uint32_t max_refused = 192;

}  // namespace husk::wire
