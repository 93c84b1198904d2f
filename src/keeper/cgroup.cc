#include "cgroup.h"

#include <asm/errno.h>
#include <linux/fcntl.h>

#include "path.h"
#include "sys.h"

namespace {

Path leaf_name(uint32_t place) {
    Path name;
    name.add("k");
    name.add(static_cast<int>(place));
    return name;
}

int make_and_open(int parent, const char* name) {
    const long made = sys::mkdirat(parent, name, 0700);
    if (made < 0 && made != -EEXIST) return -1;
    const long dir = sys::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return dir < 0 ? -1 : static_cast<int>(dir);
}

}  // namespace

namespace cgroup {

int make_session(int parent, const char* name) {
    return parent < 0 ? -1 : make_and_open(parent, name);
}

void remove_session(int parent, const char* name, int session, uint32_t leaves) {
    if (session < 0) return;
    for (uint32_t place = 0; place < leaves; ++place)
        sys::unlinkat(session, leaf_name(place).text, AT_REMOVEDIR);
    sys::unlinkat(parent, name, AT_REMOVEDIR);
}

int make_leaf(int session, uint32_t place) {
    if (session < 0) return -1;
    const Path name = leaf_name(place);
    sys::unlinkat(session, name.text, AT_REMOVEDIR);
    if (sys::mkdirat(session, name.text, 0700) != 0) return -1;
    const long leaf = sys::openat(session, name.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return leaf < 0 ? -1 : static_cast<int>(leaf);
}

bool leave_leaf(int session) {
    const long procs = sys::openat(session, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (procs < 0) return false;
    const bool left = sys::write(static_cast<int>(procs), "0", 1) == 1;
    sys::close(static_cast<int>(procs));
    return left;
}

void kill_leaf(int session, uint32_t place) {
    Path path = leaf_name(place);
    path.add("/cgroup.kill");
    const long kill = sys::openat(session, path.text, O_WRONLY | O_CLOEXEC);
    if (kill < 0) return;  // before Linux 5.14
    kill_by(static_cast<int>(kill));
    sys::close(static_cast<int>(kill));
}

void kill_by(int file) { sys::pwrite(file, "1", 1, 0); }

}  // namespace cgroup
