#include "proc.h"

#include <asm/errno.h>
#include <linux/fcntl.h>

#include "path.h"
#include "sys.h"

namespace {

bool blind = false;

int open_for_reading(const Path& path) {
    const long fd = sys::openat(AT_FDCWD, path.text, O_RDONLY | O_CLOEXEC);
    const bool usual =
        fd >= 0 || fd == -ENOENT || fd == -ESRCH || fd == -EACCES || fd == -EPERM || fd == -EINTR;
    blind = blind || !usual;
    return static_cast<int>(fd);
}

Path path_of(int pid, const char* file) {
    Path path;
    path.add("/proc/");
    path.add(pid);
    path.add(file);
    return path;
}

uint64_t take_number(const char*& at) {
    while (*at == ' ') ++at;
    uint64_t number = 0;
    for (; *at >= '0' && *at <= '9'; ++at) number = number * 10 + static_cast<uint64_t>(*at - '0');
    return number;
}

void skip_words(const char*& at, int count) {
    for (; count > 0; --count) {
        while (*at == ' ') ++at;
        while (*at != ' ' && *at != 0) ++at;
    }
}

constexpr unsigned most_kin = 32768;
proc::Kin found[most_kin];
unsigned found_count = 0;

void add_kin(int pid, int parent) {
    if (found_count < most_kin) found[found_count++] = {pid, parent, pid};
}

// The file is "12 345 6 "; a number may be cut by the end of a read.
void read_children(const Path& path, int parent) {
    const int fd = open_for_reading(path);
    if (fd < 0) return;
    char buffer[4096];
    int number = 0;
    for (;;) {
        const long got = sys::read(fd, buffer, sizeof buffer);
        for (long i = 0; i < got; ++i) {
            if (buffer[i] != ' ') {
                number = number * 10 + (buffer[i] - '0');
                continue;
            }
            add_kin(number, parent);
            number = 0;
        }
        constexpr long longest_number = 12;
        if (got < static_cast<long>(sizeof buffer) - longest_number) break;  // that was the end
    }
    sys::close(fd);
}

// With the name of each thread.
template <class Visit>
void for_each_task(const Path& tasks, const Visit& visit) {
    const int fd = open_for_reading(tasks);
    if (fd < 0) return;
    alignas(8) char buffer[2048];
    for (long got = 0; (got = sys::getdents64(fd, buffer, sizeof buffer)) > 0;) {
        for (long at = 0; at < got;) {
            const auto* entry = reinterpret_cast<const proc::DirectoryEntry*>(buffer + at);
            at += entry->size;
            if (entry->name[0] >= '0' && entry->name[0] <= '9') visit(entry->name);
        }
    }
    sys::close(fd);
}

}  // namespace

namespace proc {

bool is_blind() { return blind; }
void see_again() { blind = false; }

void forget_kin() { found_count = 0; }
unsigned kin_count() { return found_count; }
Kin kin(unsigned index) { return found[index]; }

void look_through(unsigned index, int thread) { found[index].thread = thread; }

int living_thread(int pid) {
    int living = pid;
    for_each_task(path_of(pid, "/task/"), [&](const char* name) {
        const char* at = name;
        const int thread = static_cast<int>(take_number(at));
        Stat stat{};
        if (living == pid && read_stat(thread, stat) && stat.state != 'Z') living = thread;
    });
    return living;
}

void spare_kin(bool (*spare)(int pid)) {
    unsigned kept = 0;
    for (unsigned i = 0; i < found_count; ++i)
        if (!spare(found[i].pid)) found[kept++] = found[i];
    found_count = kept;
}

int open(int pid, const char* file) { return open_for_reading(path_of(pid, file)); }

bool read_text(int pid, const char* file, char* text, unsigned size) {
    const int fd = open(pid, file);
    if (fd < 0) return false;
    const long got = sys::read(fd, text, size - 1);
    sys::close(fd);
    if (got <= 0) return false;
    text[got] = 0;
    return true;
}

bool read_text_in(int proc, int pid, const char* file, char* text, unsigned size) {
    Path path;
    path.add(pid);
    path.add(file);
    const long opened = sys::openat(proc, path.text, O_RDONLY | O_CLOEXEC);
    if (opened < 0) return false;
    const long got = sys::read(static_cast<int>(opened), text, size - 1);
    sys::close(static_cast<int>(opened));
    if (got <= 0) return false;
    text[got] = 0;
    return true;
}

bool read_stat(int pid, Stat& stat) {
    char text[512];
    if (!read_text(pid, "/stat", text, sizeof text)) return false;
    // "pid (name) R ppid ...": the name may hold anything, so from its last parenthesis.
    const char* at = nullptr;
    for (const char* each = text; *each != 0; ++each)
        if (*each == ')') at = each + 1;
    if (at == nullptr || at[0] != ' ') return false;
    stat.state = at[1];
    at += 2;
    stat.parent = static_cast<int>(take_number(at));
    constexpr int words_to_user_time = 9;
    skip_words(at, words_to_user_time);
    stat.own_ticks = take_number(at);
    stat.own_ticks += take_number(at);
    stat.all_ticks = stat.own_ticks + take_number(at);
    stat.all_ticks += take_number(at);
    skip_words(at, 2);
    stat.threads = take_number(at);
    skip_words(at, 2);
    stat.mapped = take_number(at);
    stat.resident = take_number(at);
    return true;
}

uint64_t own_pages(int pid) {
    char text[128];
    if (!read_text(pid, "/statm", text, sizeof text)) return 0;
    const char* at = text;
    skip_words(at, 1);
    const uint64_t resident = take_number(at);
    const uint64_t shared = take_number(at);
    return resident > shared ? resident - shared : 0;
}

// A child belongs to the thread that made it; most processes have one thread, which has the
// number of the process, and need no list of them.
void add_children(int pid, uint64_t threads) {
    Path tasks = path_of(pid, "/task/");
    if (threads == 1) {
        tasks.add(pid);
        tasks.add("/children");
        return read_children(tasks, pid);
    }
    for_each_task(tasks, [&](const char* name) {
        Path children = tasks;
        children.add(name);
        children.add("/children");
        read_children(children, pid);
    });
}

bool read_string(int pid, uint64_t address, char* into, unsigned room) {
    constexpr uint64_t page = 4096;
    for (unsigned got = 0; got < room;) {
        constexpr uint64_t usual = 256;
        uint64_t size = page - (address + got) % page;  // the next page may not be there
        if (size > usual && got == 0) size = usual;
        if (size > room - got) size = room - got;
        const long read = sys::process_vm_read(pid, address + got, into + got, size);
        if (read <= 0) return false;
        for (long i = 0; i < read; ++i)
            if (into[got + static_cast<unsigned>(i)] == 0) return true;
        got += static_cast<unsigned>(read);
    }
    return false;
}

}  // namespace proc
