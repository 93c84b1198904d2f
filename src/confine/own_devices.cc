#include "confine/own_devices.h"

#include <sys/mount.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace husk::confine {

namespace fs = std::filesystem;
using wire::WallOp;

namespace {

constexpr const char* devices[] = {"null", "zero", "full", "random", "urandom", "tty"};

}  // namespace

uint64_t usual_devices() { return std::size(devices); }

// POSIX message queues are files of a kernel that has them. Landlock asks for a rule, which needs a
// path.
bool has_message_queues() {
    static const bool has = [] {
        std::ifstream kinds("/proc/filesystems");
        for (std::string line; std::getline(kinds, line);)
            if (line == "nodev\tmqueue") return true;
        return false;
    }();
    return has;
}

// A read-only mount keeps their modes and times; they can be written all the same.
void copy_usual_devices(uint64_t first_slot, Steps& steps) {
    for (size_t i = 0; i < std::size(devices); ++i)
        steps.add({WallOp::CloneTree,
                   std::string("copy /dev/") + devices[i],
                   first_slot + i,
                   0,
                   MOUNT_ATTR_NOSUID | MOUNT_ATTR_RDONLY,
                   {std::string("/dev/") + devices[i]}});
}

void place_usual_devices(const fs::path& dev, uint64_t first_slot, Steps& steps) {
    for (size_t i = 0; i < std::size(devices); ++i) {
        const std::string path = dev / devices[i];
        steps.make_file(path);
        steps.add({WallOp::PlaceTree, "mount " + path, first_slot + i, 0, 0, {path}});
    }
    steps.make_directory(dev / "pts");
    steps.mount("devpts", dev / "pts", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
                "newinstance,ptmxmode=0666,mode=0620");
    if (has_message_queues()) {
        steps.make_directory(dev / "mqueue");
        steps.mount("mqueue", dev / "mqueue",
                    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, "");
    }
    const std::pair<const char*, const char*> links[] = {{"pts/ptmx", "ptmx"},
                                                         {"/proc/self/fd", "fd"},
                                                         {"/proc/self/fd/0", "stdin"},
                                                         {"/proc/self/fd/1", "stdout"},
                                                         {"/proc/self/fd/2", "stderr"}};
    for (const auto& [target, name] : links)
        steps.add(
            {WallOp::MakeLink, "make /dev/" + std::string(name), 0, 0, 0, {target, dev / name}});
    steps.make_directory(dev / "shm", 01777);
}

}  // namespace husk::confine
