#include "confine/devices.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "confine/reading.h"
#include "os/landlock.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;
using wire::WallOp;

constexpr const char* machine_itself = "gives the whole machine away, and is never opened";

// By the number, which no name can hide: Documentation/admin-guide/devices.txt of the kernel.
std::string why_no_character_device(const fs::path& path, dev_t number) {
    const unsigned of_memory = 1;
    const unsigned of_terminals[] = {4, 5, 7, 136, 137, 138, 139, 140, 141, 142, 143, 229};
    const unsigned of_input = 13;
    const unsigned miscellaneous = 10;
    const unsigned uinput = 223;
    const unsigned of_scsi = 21;
    const unsigned of_msr = 202;
    const unsigned kind = gnu_dev_major(number);
    const unsigned which = gnu_dev_minor(number);
    if (kind == of_memory && (which == 1 || which == 2 || which == 4 || which == 11))
        return machine_itself;
    if (kind == of_scsi || kind == of_msr || path.filename().string().starts_with("nvme"))
        return machine_itself;
    if (std::ranges::find(of_terminals, kind) != std::end(of_terminals))
        return "is a terminal, which may belong to other programs";
    if (kind == of_input || (kind == miscellaneous && which == uinput))
        return "reads or makes the input of other programs";
    return "";
}

std::string why_not(const fs::path& path, const struct stat& info) {
    if (S_ISBLK(info.st_mode)) return std::string("is a disk: it ") + machine_itself;
    if (S_ISCHR(info.st_mode)) return why_no_character_device(path, info.st_rdev);
    return "is no device";
}

Result<void> refused(const fs::path& path, const std::string& why) {
    return failure("devices", 0,
                   path.string() + " " + why + "; take it out of `devices` (--device)");
}

// Every device in it counts; links and files are no devices.
Result<void> check_directory(const fs::path& directory, dev_t file_system) {
    std::error_code failed;
    for (fs::recursive_directory_iterator entry(directory, failed);
         !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
        struct stat info{};
        if (::lstat(entry->path().c_str(), &info) != 0) continue;
        if (info.st_dev != file_system)
            return refused(entry->path(), "is another file system, and no device");
        const bool is_device = S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode);
        if (!is_device) continue;
        if (const std::string why = why_not(entry->path(), info); !why.empty())
            return refused(entry->path(), why);
    }
    if (failed) return failure("devices", failed.value(), directory.string());
    return {};
}

Result<void> check_device(const fs::path& path) {
    struct stat info{};
    if (::lstat(path.c_str(), &info) != 0)
        return failure("devices", errno,
                       path.string() + "; take it out of `devices` (--device), or load its driver");
    if (!is_within(path, "/dev") || path == "/dev")
        return refused(path, "is not below /dev, where the machine keeps its devices");
    if (!S_ISDIR(info.st_mode)) {
        const std::string why = why_not(path, info);
        return why.empty() ? Result<void>() : refused(path, why);
    }
    struct stat dev{};
    if (::stat("/dev", &dev) != 0 || dev.st_dev != info.st_dev)
        return refused(path, "is another file system, and no device");
    return check_directory(path, info.st_dev);
}

// Without those that every session has, that are named twice, or that lie in another one.
std::vector<fs::path> devices_to_add(const Wanted& wanted) {
    constexpr const char* of_every_session[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                                "/dev/random", "/dev/urandom", "/dev/tty"};
    std::vector<fs::path> found;
    for (const fs::path& device : wanted.devices) {
        const auto holds_it = [&](const fs::path& other) {
            return other != device && is_within(device, other);
        };
        if (std::ranges::find(of_every_session, device) == std::end(of_every_session) &&
            std::ranges::find(found, device) == found.end() &&
            std::ranges::none_of(wanted.devices, holds_it))
            found.push_back(device);
    }
    return found;
}

bool is_directory(const Wanted& wanted, const fs::path& device) {
    return wanted.identity_of(device).type == S_IFDIR;
}

}  // namespace

Result<void> check_devices(const Wanted& wanted) {
    for (const fs::path& device : devices_to_add(wanted)) CHECK(check_device(device));
    return {};
}

void copy_devices(const Wanted& wanted, uint64_t first_slot, Steps& steps) {
    for (const fs::path& device : devices_to_add(wanted)) {
        Step step{WallOp::CloneTree, "copy " + device.string(), first_slot++, 0,
                  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY};
        step.texts = {device.string()};
        step.identity = wanted.identity_of(device);
        steps.add(std::move(step));
    }
}

void place_devices(const Wanted& wanted, const fs::path& dev, uint64_t first_slot, Steps& steps) {
    for (const fs::path& device : devices_to_add(wanted)) {
        const fs::path path = dev / device.lexically_relative("/dev");
        const bool whole = is_directory(wanted, device);
        steps.make_directories(dev, whole ? path : path.parent_path());
        if (!whole) steps.make_file(path);
        steps.add(
            {WallOp::PlaceTree, "mount " + path.string(), first_slot++, 0, 0, {path.string()}});
    }
}

void grant_devices(const Wanted& wanted, int landlock, Steps& steps) {
    for (const fs::path& device : devices_to_add(wanted)) {
        const uint64_t rights = os::landlock::writing(landlock);
        grant(device, is_directory(wanted, device) ? rights : os::landlock::on_files(rights), steps,
              wanted.identity_of(device));
    }
}

}  // namespace husk::confine
