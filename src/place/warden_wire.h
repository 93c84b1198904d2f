// What Husk and the warden of a container say to each other. The warden is a small program that
// Husk puts into the container: it runs one command there, and keeps its whole tree.
#pragma once

#include <cstddef>
#include <cstdint>

namespace husk::place::warden {

//   husk-warden init SECONDS FILES BYTES CPU BOOT MOUNT...
// is the first process. What has lost its warden dies; it ends itself, and the container, after so
// long without any other process. Every command has its limits on open files, the size of a file
// and seconds of CPU time; 0 is none. BOOT is the boot id of the kernel that Husk runs on, and a
// MOUNT is "MAJOR:MINOR:INODE:r:/path": what was planned to be found there; w for one that may be
// written.
//   husk-warden run DIRECTORY PROGRAM ARGUMENT...
// is one command, which is not started where a mount is another. On its standard input come a
// secret word of `secret_size` letters and then frames; when that closes, the tree dies.
inline constexpr const char* path = "/run/husk/warden";
inline constexpr size_t first_mount = 7;  // among the words of the first process
inline constexpr char mount_read_only = 'r';
inline constexpr char mount_writable = 'w';
inline constexpr size_t secret_size = 32;

// A frame: one of these, the size of what follows as four bytes (lowest first), what follows.
inline constexpr char frame_signal = 'S';  // one byte, to every process of the tree
inline constexpr char frame_input = 'D';   // for the command's standard input
inline constexpr char frame_end = 'E';     // of that input
inline constexpr size_t frame_head = 5;
inline constexpr uint32_t largest_frame = 32 * 1024;

// When the command has ended and something of its tree has not, both streams get this note: the
// mark, the secret word, three digits of the exit code. The word tells it from what is output.
inline constexpr char note_mark[] = "\0husk-ended:";
inline constexpr size_t note_mark_size = sizeof note_mark - 1;
inline constexpr size_t note_size = note_mark_size + secret_size + 3;

}  // namespace husk::place::warden
