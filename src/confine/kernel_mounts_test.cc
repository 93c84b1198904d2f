#include "confine/kernel_mounts.h"

#include <gmock/gmock.h>

namespace husk::confine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const std::string usual_mounts =
    "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "21 20 0:5 / /proc rw shared:1 - proc proc rw\n"
    "22 20 0:6 / /sys rw - sysfs sysfs rw\n"
    "23 20 0:7 / /dev rw - devtmpfs udev rw\n"
    "24 23 0:8 / /dev/pts rw - devpts devpts rw\n"
    "25 23 0:9 / /dev/shm rw - tmpfs tmpfs rw\n"
    "26 20 0:10 / /run rw - tmpfs tmpfs rw\n"
    "27 26 0:11 / /run/user/1000 rw - tmpfs tmpfs rw\n"
    "28 26 8:2 / /run/media/disk rw - ext4 /dev/sdb rw\n"
    "29 22 0:12 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
    "30 20 0:13 / /tmp rw - tmpfs tmpfs rw\n";

std::vector<std::string> paths_with(const std::string& lines) {
    std::vector<std::string> paths;
    for (const KernelMount& mount : kernel_mounts(mounted_trees(usual_mounts + lines)))
        paths.push_back(mount.path);
    return paths;
}

TEST(KernelMounts, InTheirUsualPlacesAreNone) { EXPECT_THAT(paths_with(""), IsEmpty()); }

TEST(KernelMounts, AreFileSystemsOfTheKernelElsewhere) {
    EXPECT_THAT(paths_with("40 20 0:20 / /srv/c/proc rw shared:5 master:1 - proc proc rw\n"
                           "41 20 0:21 / /srv/c/trace rw - tracefs tracefs rw\n"
                           "42 20 0:22 / /srv/c/pts rw - devpts devpts rw\n"),
                ElementsAre("/srv/c/proc", "/srv/c/trace", "/srv/c/pts"));
}

TEST(KernelMounts, AreOtherNamesOfThePlacesAndOfPartsOfThem) {
    EXPECT_THAT(paths_with("40 20 0:10 / /srv/run rw - tmpfs tmpfs rw\n"
                           "41 20 0:10 /private /srv/part rw - tmpfs tmpfs rw\n"
                           "42 20 0:7 /sda /srv/disk rw - devtmpfs udev rw\n"
                           "43 20 0:11 / /srv/user rw - tmpfs tmpfs rw\n"),
                UnorderedElementsAre("/srv/run", "/srv/part", "/srv/disk", "/srv/user"));
}

// In a container /run is often a directory of the first file system.
TEST(KernelMounts, AreOtherNamesOfAPlaceThatIsNoMount) {
    const auto trees = mounted_trees(
        "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "21 20 8:1 / /srv/machine rw - ext4 /dev/sda1 rw\n");
    std::vector<std::string> paths;
    for (const KernelMount& mount : kernel_mounts(trees)) paths.push_back(mount.path);
    EXPECT_THAT(paths, ElementsAre("/srv/machine/proc", "/srv/machine/sys", "/srv/machine/dev",
                                   "/srv/machine/run"));
}

TEST(KernelMounts, AreNoOtherFileSystems) {
    EXPECT_THAT(paths_with("40 20 0:30 / /srv/memory rw - tmpfs tmpfs rw\n"
                           "41 20 0:31 / /srv/layers rw - overlay overlay rw\n"
                           "42 20 0:9 /project /srv/project rw - tmpfs tmpfs rw\n"
                           "43 20 8:2 / /srv/disk rw - ext4 /dev/sdb rw\n"),
                IsEmpty());
}

TEST(KernelMounts, AreNotWhatTheResolverNeeds) {
    EXPECT_THAT(
        paths_with("40 20 0:10 /systemd/resolve/stub-resolv.conf /etc/resolv.conf ro - tmpfs "
                   "tmpfs rw\n"),
        IsEmpty());
}

TEST(KernelMounts, AreNoneThatAnotherMountHides) {
    EXPECT_THAT(paths_with("40 20 0:20 / /srv/c/proc rw - proc proc rw\n"
                           "41 20 0:21 / /srv/c rw - tmpfs tmpfs rw\n"
                           "42 20 0:22 / /srv/d rw - sysfs sysfs rw\n"
                           "43 42 0:23 / /srv/d rw - tmpfs tmpfs rw\n"),
                IsEmpty());
}

}  // namespace
}  // namespace husk::confine
