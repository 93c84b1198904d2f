#include "confine/mount_names.h"

#include <gmock/gmock.h>

namespace husk::confine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* machine =
    "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "21 20 8:2 / /home rw - ext4 /dev/sda2 rw\n"
    "22 20 8:2 /ann /srv/ann\\040home rw - ext4 /dev/sda2 rw\n"
    "23 20 8:2 /ann/.ssh /srv/keys rw - ext4 /dev/sda2 rw\n"
    "24 20 0:5 / /proc rw - proc proc rw\n";

TEST(MountNames, OfAFileInABoundDirectory) {
    EXPECT_THAT(other_names("/home/ann/.netrc", mounted_trees(machine)),
                ElementsAre("/srv/ann home/.netrc"));
}

TEST(MountNames, OfADirectoryThatIsBoundItself) {
    EXPECT_THAT(other_names("/home/ann/.ssh", mounted_trees(machine)),
                ElementsAre("/srv/ann home/.ssh", "/srv/keys"));
}

TEST(MountNames, OfAPartThatIsBound) {
    EXPECT_THAT(other_names("/home/ann", mounted_trees(machine)),
                ElementsAre("/srv/ann home", "/srv/keys"));
}

TEST(MountNames, LeadBackFromTheBoundDirectory) {
    EXPECT_THAT(other_names("/srv/keys/id", mounted_trees(machine)),
                ElementsAre("/home/ann/.ssh/id", "/srv/ann home/.ssh/id"));
}

TEST(MountNames, OfWhatIsMountedOnceAreNone) {
    EXPECT_THAT(other_names("/etc/shadow", mounted_trees(machine)), IsEmpty());
    EXPECT_THAT(other_names("/home/bob/.ssh", mounted_trees(machine)), IsEmpty());
}

}  // namespace
}  // namespace husk::confine
