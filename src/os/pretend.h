// HUSK_PRETEND="landlock=3,userns=no,cgroup=v1": a machine that can do less than this one, so that
// every kind of machine can be tried here. It only takes away.
#pragma once

#include <string>

namespace husk::os {

struct Pretended {
    int landlock = 1000;  // the highest ABI
    bool seccomp = true;
    bool user_namespaces = true;
    bool mount_namespaces = true;
    bool pid_namespaces = true;
    bool network_namespaces = true;
    bool overlay = true;
    bool listener = true;  // of a seccomp filter
    bool cgroup_v1 = true;
    bool cgroup_v2 = true;
    std::string failing_step = {};  // fail=NAME: this step of building walls fails
    bool understood = true;         // false: a word of it is not known
};

const Pretended& pretended();

}  // namespace husk::os
