#include "ceilings.h"

#include "sys.h"

namespace {

using husk::record::Resource;
using husk::wire::CpuProcs;
using husk::wire::MemoryBell;
using husk::wire::MemoryEvents;
using husk::wire::MemoryPeak;
using husk::wire::MemoryProcs;
using husk::wire::TasksEvents;
using husk::wire::TasksProcs;

// From the beginning, each time: that is also how the kernel is told that we know the news.
bool read_text(int fd, char* text, size_t room) {
    const long got = fd < 0 ? -1 : sys::pread(fd, text, room - 1, 0);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

bool enter_by(int procs) { return procs < 0 || sys::write(procs, "0", 1) == 1; }

}  // namespace

namespace ceilings {

void close_all(Files& files) {
    for (int& fd : files.fds) sys::close_once(fd);
}

bool enter(const Files& files) {
    return enter_by(files[MemoryProcs]) && enter_by(files[TasksProcs]) && enter_by(files[CpuProcs]);
}

void Watch::add(pollfd* fds) const {
    fds[0] = {files_[MemoryEvents], POLLPRI, 0};
    fds[1] = {files_[TasksEvents], POLLPRI, 0};
    fds[2] = {files_[MemoryBell], POLLIN, 0};
}

limits::Breach Watch::look() {
    const limits::Breach memory = look_at_memory();
    const limits::Breach tasks = look_at_tasks();
    return memory.limit != 0 ? memory : tasks;
}

uint64_t Watch::count(husk::wire::CgroupFile events, const char* name) {
    char text[512];
    if (read_text(files_[events], text, sizeof text)) return count_of(text, name);
    // Somebody took the cgroup away. The kernel calls that news, for ever.
    files_.fds[events] = -1;
    return 0;
}

limits::Breach Watch::look_at_memory() {
    uint64_t rung = 0;
    if (files_[MemoryBell] >= 0) sys::read(files_[MemoryBell], &rung, sizeof rung);
    const uint64_t kills = count(MemoryEvents, "oom_kill");
    if (kills <= kills_) return {};
    kills_ = kills;
    char text[32];
    const bool known = read_text(files_[MemoryPeak], text, sizeof text);
    const uint64_t peak = known ? number_at(text) : most_.memory;
    if (!was_full(peak, most_.memory)) return {};
    // If the peak is not known, or one large request was refused before the cgroup was full: the
    // kernel kills only if what a tree has and what it asks for are more than the kernel's limit.
    const uint64_t wanted = husk::wire::memory_for(most_.memory);
    return {Resource::Memory, most_.memory, peak > most_.memory ? peak : wanted};
}

limits::Breach Watch::look_at_tasks() {
    const uint64_t refusals = count(TasksEvents, "max");
    if (refusals <= refusals_) return {};
    refusals_ = refusals;
    return {Resource::Processes, most_.processes, husk::wire::tasks_for(most_.processes)};
}

}  // namespace ceilings
