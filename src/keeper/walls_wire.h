// How a nursery is told to build walls: system calls as data, in the order in which they are made.
// The caller compiles them before the nursery exists; docs/keeper-protocol.md is the page.
#pragma once

#include <stdint.h>

namespace husk::wire {

enum class WallOp : uint32_t {
    Unshare = 1,     // a: flags
    WriteFile,       // text 0: path of a file that is there, text 1: what
    Mount,           // a new file system. text 0: type, 1: target, 2: options; a: attributes
    Bind,            // text 0: object, 1: target; a: attributes
    CloneTree,       // text 0: path; a: slot, b: CloneFlags, c: attributes
    PlaceTree,       // text 0: path; a: slot
    SetAttributes,   // text 0: path, or none; a: attributes, b: 1 = with mounts below; c: slot
    SetPropagation,  // of all mounts; a: MS_PRIVATE or MS_SLAVE
    MakeDirectory,   // text 0: path; a: mode
    MakeFile,        // text 0: path; a: mode
    MakeLink,        // text 0: what it points at, text 1: path
    MakeWhiteout,    // text 0: path in the upper layer of an overlay
    // text 0: path; an empty, read-only directory or file is mounted there; a: 1 = if it is not;
    // b: 1 = the path has to be a mount
    Cover,
    // text 0: path; mounted on itself, if it is not; a: 0 = read-only, 1 = as it is; b: 1 = a link
    // too
    Protect,
    BecomeInit,        // a: a Stays; the rest is done by a child
    RaiseLoopback,     // of this network namespace. a: a second address for it, or 0
    ListenOnLoopback,  // a: port; the socket goes out with the hello, in the order of the steps
    KeepCapabilities,  // a: mask of those that stay; b: 1 = the bounding set cannot be changed
    NoNewPrivileges,   //
    MakeRuleset,       // Landlock. a: handled_access_fs, b: handled_access_net, c: scoped
    AddRule,           // text 0: path; a: access
    EnterRuleset,      //
    Filter,            // text 0: the program (8 bytes an instruction); a: instructions;
                       // b: 1 = the mason is its witness, text 1: RefusedRows for it, c: their size
    HoldRoot,          // text 0: path; for the mason's NameOrders; a: 1 = the state directory
    HoldScratch,       // text 0: a directory in it (scratch.h)
    KeepHome,          // text 0: the path of HOME, a copy that the mason watches (home_copy.h)
    // A socket on port 53 of the loopback. a: 0 = the mason answers from it; 1 = it goes out with
    // the hello.
    AnswerNames,
    ShowProcesses,  // another /proc, for the mason alone (process_files.h)
    Forward,        // text 0: forwarding::Ways for the mason
    // text 0: directory, 1: name in it, 2: path; of a socket outside that commands may connect to;
    // a: 1 = only the one that is there now
    HoldSocket,
};

enum CloneFlags : uint64_t {
    WithMountsBelow = 1,
    AttributesOnTop = 2,  // of the mount itself; else of those below too
};

// What this process is to the child that goes on.
enum Stays : uint64_t {
    AsMason = 0,           // of pid 1 of a new PID namespace
    AsGuard = 1,           // of a session without one, that ends with it
    AsMasonOfTheOpen = 2,  // of a session that may live on without it
};

// The parent of a session's pid 1 stays behind as its mason: it alone can still change the
// session's mounts. It takes messages "?" with the descriptors {walls, where to answer} and answers
// with this; one with a single descriptor makes it the witness of that filter (watched_calls.h),
// or, if the message is "n", gives it the socket from which it answers questions about names.
struct MasonAnswer {
    uint32_t step;  // that failed, counted from 1; 0 = none
    int32_t error;  // errno
};

// What a session's mason is to do about a protected name (sweep.h, sentry.h). It takes a file of
// these, in a message "!" with the descriptors {the file, where to answer}. The file is shared: the
// mason puts the results into it, and then answers with a MasonAnswer, whose error says why nobody
// watches. Behind each order follow its path and the target of the link, each ended by a NUL, and
// more of these up to a multiple of 8.
struct NameOrder {
    uint16_t root;      // one of those that are held, in their order
    uint16_t relative;  // where the part of the path below the root starts, from here
    uint16_t target;    // where the target starts; 0: nothing may have this name
    uint16_t flags;     // of OrderFlags
    uint16_t size;      // of all of it
    uint8_t failed;     // for the mason's use
    uint8_t was_taken;  // likewise
    // 0: nothing was there. More: so many bytes of the path name what was taken away, which is a
    // link on the path or the name itself, or, with MadeAgain, the link that was missing. Less:
    // -errno.
    int32_t result;
    uint64_t inode;  // for the mason's use
    uint64_t born;   // likewise
};

enum OrderFlags : uint16_t {
    TakeAway = 1,      // what is there now
    Watch = 2,         // take away what the session makes there, for as long as it lives
    OnlyItself = 4,    // a link on the path is not taken for what is there
    IsThere = 8,       // something was there: watched on only if it may be the session's
    MadeAgain = 16,    // set by the mason: the link that has to be there was missing
    GitSettings = 32,  // a file of settings of git: the mason checks what git renames to it
    Gitlink = 64,      // the .git of a submodule: a harmless one may come there
};

inline constexpr uint32_t max_orders = 1 << 20;  // bytes of these
inline constexpr uint32_t max_roots = 64;        // that are held
inline constexpr uint32_t max_sockets = 16;      // likewise

inline constexpr uint32_t wall_texts = 4;
inline constexpr uint32_t no_text = 0;     // the offset of no text
inline constexpr uint32_t max_trees = 96;  // slots
inline constexpr uint32_t max_walls = 1 << 20;

// The object that the caller saw at a path. No symbolic link is followed on a path of a step, and
// where the object at text 0 is another one, the step fails with ESTALE.
struct Identity {
    uint64_t device;  // major << 32 | minor
    uint64_t inode;
    uint32_t type;   // S_IFMT
    uint32_t known;  // 0: any object will do
};

struct WallStep {
    WallOp op;
    // 1: it may fail because the object has gone meanwhile, is another one or cannot be reached.
    uint32_t optional;
    uint64_t a;
    uint64_t b;
    uint64_t c;
    Identity identity;           // of the object at text 0
    uint32_t texts[wall_texts];  // offsets from the start of the message
};

// The start of the message; the steps follow, then the texts, each ended by a NUL.
struct Walls {
    uint32_t magic;
    uint32_t version;
    uint32_t steps;
    uint32_t size;  // of the whole message
};

}  // namespace husk::wire
