#include "walk.h"

#include <asm/errno.h>
#include <asm/statfs.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "path.h"
#include "usage.h"

namespace walk {
namespace {

constexpr unsigned longest_path = 4096;
constexpr unsigned longest_name = 255;
constexpr int most_links = 40;  // as the kernel has it

// Static: a mason has one thread. What is left of the path, and room to put a link before it.
char rest[longest_path * 2];
char joined[longest_path * 2];
char status_text[2048];

unsigned length_of(const char* text) {
    unsigned length = 0;
    while (text[length] != 0) ++length;
    return length;
}

bool is_same(const char* one, const char* other) {
    while (*one != 0 && *one == *other) ++one, ++other;
    return *one == *other;
}

// "NSpid:	1234	17": the session's own number is the last one.
uint64_t last_number(const char* at) {
    uint64_t last = 0;
    while (at != nullptr && *at != 0 && *at != '\n') {
        last = 0;
        while (*at == '\t' || *at == ' ') ++at;
        for (; *at >= '0' && *at <= '9'; ++at) last = last * 10 + static_cast<uint64_t>(*at - '0');
        if (*at != '\t' && *at != '\n' && *at != 0) break;
    }
    return last;
}

// What "self" and "thread-self" in the session's /proc are to this process. False if it is gone.
bool find_self(const Walker& walker, bool of_thread, Path& self) {
    Path path;
    path.add(walker.pid);
    path.add("/status");
    const long fd = sys::openat(walker.proc, path.text, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const long got = sys::read(static_cast<int>(fd), status_text, sizeof status_text - 1);
    sys::close(static_cast<int>(fd));
    if (got <= 0) return false;
    status_text[got] = 0;
    self.add(static_cast<int>(last_number(usage::line_after(status_text, "NStgid"))));
    if (!of_thread) return true;
    self.add("/task/");
    self.add(static_cast<int>(last_number(usage::line_after(status_text, "NSpid"))));
    return true;
}

bool is_in_proc(int directory) {
    constexpr long proc_magic = 0x9fa0;
    struct statfs info{};
    return sys::fstatfs(directory, &info) == 0 && info.f_type == proc_magic;
}

unsigned kind_of(int object) {
    constexpr unsigned empty_path = 0x1000;  // AT_EMPTY_PATH
    sys::FileStatus status{};
    if (sys::statx(object, "", empty_path, STATX_TYPE, &status) != 0) return 0;
    return status.mode & unsigned{S_IFMT};
}

long open_start(const Walker& walker, int start, const char* path) {
    if (path[0] == '/') return sys::openat(AT_FDCWD, "/", O_PATH | O_CLOEXEC);
    if (start < 0 && start != at_working_directory) return -EBADF;
    Path place;
    place.add(walker.pid);
    place.add(start == at_working_directory ? "/cwd" : "/fd/");
    if (start != at_working_directory) place.add(start);
    const long opened = sys::openat(walker.proc, place.text, O_PATH | O_CLOEXEC);
    return opened == -ENOENT ? -EBADF : opened;
}

// Puts `target` before what is left of the path. False if the room is too small.
bool put_before(const char* target, unsigned at) {
    const unsigned first = length_of(target);
    const unsigned left = length_of(rest + at);
    if (first + left + 2 > sizeof joined) return false;
    unsigned length = 0;
    for (unsigned i = 0; i < first; ++i) joined[length++] = target[i];
    for (unsigned i = 0; i < left; ++i) joined[length++] = rest[at + i];
    joined[length] = 0;
    for (unsigned i = 0; i <= length; ++i) rest[i] = joined[i];
    return true;
}

class Steps {
public:
    Steps(const Walker& walker, int here, LastLink last, End& end)
        : walker_(walker), here_(here), last_(last), end_(end) {}
    ~Steps() { sys::close_once(here_); }
    Steps(const Steps&) = delete;
    Steps& operator=(const Steps&) = delete;

    void take() {
        while (end_.error == 0 && !is_over_) step();
    }

private:
    void fail(long error) { end_.error = error; }

    void enter(int directory) {
        sys::close_once(here_);
        here_ = directory;
    }

    // The path ended with a directory, which is known by no name.
    void stop_here() {
        is_over_ = true;
        end_.is_named = false;
        end_.object = here_;
        here_ = -1;
    }

    void stop_at(int object) {
        is_over_ = true;
        end_.is_named = true;
        end_.object = object;
        end_.parent = here_;
        here_ = -1;
    }

    bool can_search() const {
        constexpr int search = 1;  // X_OK
        return walker_.permissions.allow(here_, search);
    }

    // Takes the next name off the path.
    bool take_name() {
        while (rest[at_] == '/') ++at_;
        unsigned length = 0;
        while (rest[at_ + length] != 0 && rest[at_ + length] != '/') ++length;
        if (length > longest_name) return fail(-ENAMETOOLONG), false;
        for (unsigned i = 0; i < length; ++i) end_.name[i] = rest[at_ + i];
        end_.name[length] = 0;
        at_ += length;
        end_.has_slash = rest[at_] == '/';
        unsigned behind = at_;
        while (rest[behind] == '/') ++behind;
        is_last_ = rest[behind] == 0;
        return true;
    }

    void step() {
        if (!take_name()) return;
        if (end_.name[0] == 0) return stop_here();
        const long kind = kind_of(here_);
        if (kind != S_IFDIR) return fail(-ENOTDIR);
        if (!can_search()) return fail(-EACCES);
        if (is_same(end_.name, ".")) return is_last_ ? stop_here() : void();
        const long opened = sys::openat(here_, end_.name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (is_same(end_.name, "..")) {
            if (opened < 0) return fail(opened);
            enter(static_cast<int>(opened));
            return is_last_ ? stop_here() : void();
        }
        if (opened == -ENOENT && is_last_) return stop_at(-1);
        if (opened < 0) return fail(opened);
        arrive(static_cast<int>(opened));
    }

    void arrive(int object) {
        const bool is_link = kind_of(object) == S_IFLNK;
        if (is_link && (!is_last_ || last_ == LastLink::Followed)) return follow(object);
        if (is_last_) return stop_at(object);
        enter(object);
    }

    void follow(int link) {
        if (++links_ > most_links) {
            sys::close(link);
            return fail(-ELOOP);
        }
        if (is_in_proc(here_)) {
            sys::close(link);
            return follow_in_proc();
        }
        static char target[longest_path];
        const long got = sys::readlinkat(link, "", target, sizeof target - 1);
        sys::close(link);
        if (got <= 0) return fail(got < 0 ? got : -ENOENT);
        target[got] = 0;
        go_on_with(target);
    }

    void go_on_with(const char* target) {
        const bool is_absolute = target[0] == '/';
        if (!put_before(target, at_)) return fail(-ENAMETOOLONG);
        at_ = 0;
        if (!is_absolute) return;
        const long root = sys::openat(AT_FDCWD, "/", O_PATH | O_CLOEXEC);
        if (root < 0) return fail(root);
        enter(static_cast<int>(root));
    }

    // "self" means something else to each process; the other links lead to objects, whatever their
    // text says.
    void follow_in_proc() {
        const bool is_thread = is_same(end_.name, "thread-self");
        if (is_thread || is_same(end_.name, "self")) {
            Path self;
            if (!find_self(walker_, is_thread, self)) return fail(-ENOENT);
            return go_on_with(self.text);
        }
        const long opened = sys::openat(here_, end_.name, O_PATH | O_CLOEXEC);
        if (opened < 0) {
            // "mounts" and "net" are ordinary links to "self/mounts" and "self/net".
            static char target[longest_path];
            const long got = sys::readlinkat(here_, end_.name, target, sizeof target - 1);
            if (got <= 0) return fail(opened);
            target[got] = 0;
            if (target[0] == '/') return fail(opened);
            return go_on_with(target);
        }
        if (is_last_) return stop_at(static_cast<int>(opened));
        enter(static_cast<int>(opened));
    }

    const Walker& walker_;
    int here_;
    LastLink last_;
    End& end_;
    unsigned at_ = 0;
    int links_ = 0;
    bool is_last_ = false;
    bool is_over_ = false;
};

}  // namespace

End::~End() {
    sys::close_once(parent);
    sys::close_once(object);
}

void go(const Walker& walker, int start, const char* path, LastLink last, End& end) {
    if (path[0] == 0) {
        end.error = -ENOENT;
        return;
    }
    if (length_of(path) >= longest_path) {
        end.error = -ENAMETOOLONG;
        return;
    }
    const long here = open_start(walker, start, path);
    if (here < 0) {
        end.error = here;
        return;
    }
    rest[0] = 0;
    for (unsigned i = 0; i <= length_of(path); ++i) rest[i] = path[i];
    Steps(walker, static_cast<int>(here), last, end).take();
}

}  // namespace walk
