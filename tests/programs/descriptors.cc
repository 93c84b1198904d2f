// descriptors: which ones this process was started with, each with what it is.
#include <dirent.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

int main() {
    DIR* dir = ::opendir("/proc/self/fd");
    if (dir == nullptr) return 1;
    std::map<int, std::string> found;
    while (const dirent* entry = ::readdir(dir)) {
        const int fd = std::atoi(entry->d_name);
        if (entry->d_name[0] == '.' || fd == ::dirfd(dir)) continue;
        char target[4096] = {};
        if (::readlinkat(::dirfd(dir), entry->d_name, target, sizeof target - 1) > 0)
            found[fd] = target;
    }
    for (const auto& [fd, target] : found) std::printf("%d %s\n", fd, target.c_str());
}
