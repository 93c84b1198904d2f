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

Leaf make_leaf(int session, uint32_t place) {
    Leaf leaf;
    if (session < 0) return leaf;
    const Path name = leaf_name(place);
    sys::unlinkat(session, name.text, AT_REMOVEDIR);
    if (sys::mkdirat(session, name.text, 0700) != 0) return leaf;
    const long dir = sys::openat(session, name.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) return leaf;
    leaf.dir = static_cast<int>(dir);
    const long kill = sys::openat(leaf.dir, "cgroup.kill", O_WRONLY | O_CLOEXEC);
    if (kill < 0) {  // before Linux 5.14
        sys::close_once(leaf.dir);
        return leaf;
    }
    leaf.kill = static_cast<int>(kill);
    return leaf;
}

void close_leaf(Leaf& leaf) {
    sys::close_once(leaf.dir);
    sys::close_once(leaf.kill);
}

void kill_all(int session, uint32_t place) {
    Path path = leaf_name(place);
    path.add("/cgroup.kill");
    const long kill = sys::openat(session, path.text, O_WRONLY | O_CLOEXEC);
    if (kill < 0) return;
    sys::pwrite(static_cast<int>(kill), "1", 1, 0);
    sys::close(static_cast<int>(kill));
}

void kill_all(const Leaf& leaf) {
    if (leaf.kill >= 0) sys::pwrite(leaf.kill, "1", 1, 0);
}

}  // namespace cgroup
