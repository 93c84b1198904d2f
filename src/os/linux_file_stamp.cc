// What of os/file_stamp.h only Linux has.
#include <fcntl.h>
#include <signal.h>

#include <cerrno>

#include "os/file_stamp.h"

namespace husk::os {

// The kernel grants a lease for reading only while nobody has the file open for writing. The lease
// is given back at once. A writer who comes in between waits for that moment, and the kernel then
// signals the holder of the lease: by SIGURG, which is ignored unless a program asks for it,
// instead of SIGIO, which kills.
FileWriter writer_of(const std::filesystem::path& path) {
    const auto file = open_regular_file(path);
    if (!file) return FileWriter::None;  // and nobody can read half of it
    if (::fcntl(file->get(), F_SETSIG, SIGURG) != 0) return FileWriter::Unknown;
    if (::fcntl(file->get(), F_SETLEASE, F_RDLCK) != 0)
        return errno == EAGAIN ? FileWriter::Some : FileWriter::Unknown;
    ::fcntl(file->get(), F_SETLEASE, F_UNLCK);
    return FileWriter::None;
}

}  // namespace husk::os
