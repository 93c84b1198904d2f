// Puts the settings that git has written in the place of those of a repository of the session. Git
// writes `config.lock` and renames it to `config`, which the walls refuse: the settings could name
// a program, and the user's git would run it later. Instead the mason reads what git has written,
// checks what it has read, and writes it into the file, which stays the same one: its read-only
// mount is never off. The rename itself is never made.
#pragma once

#include <linux/seccomp.h>

#include "sweep.h"
#include "watched_calls.h"

namespace git_config {

// The files of settings are among these orders. They replace those that were known before.
void keep(const sweep::Orders& orders);

// What stopped the new settings. The words are those of the session's log.
enum class Refusal : uint8_t {
    None,
    Program,  // a setting that is not known to be harmless
    Address,  // of a repository, over something that could run a program
    Update,   // of a submodule, with a program
    Removed,  // a setting of the user's that is not known to be harmless
    Form,     // the text is not understood, or too long
    Kind,     // the file is no regular file with one name
    Absent,   // there are no settings yet: the new file could be written before it is protected
};
const char* word(Refusal refusal);

struct Answer {
    bool is_given = false;  // else the call is about something else, and the walls decide
    long error = 0;         // 0 or -errno
    Refusal refusal = Refusal::None;
    const char* setting = "";  // that was refused; valid until the next call
    const char* file = "";     // likewise
};

struct Asker {
    int proc;      // where /proc is
    int listener;  // of the filter
};

// Answers a call that renames a file.
Answer rename(const Asker& asker, const seccomp_notif& asked,
              const husk::wire::WatchedCall& watched);

}  // namespace git_config
