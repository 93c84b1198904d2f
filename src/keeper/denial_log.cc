#include "denial_log.h"

#include <linux/fcntl.h>

#include "line.h"
#include "path.h"
#include "sys.h"

namespace denial_log {
namespace {

constexpr int from_here = 1;
constexpr int from_end = 2;
constexpr unsigned width = 12;        // of a count
constexpr unsigned behind_count = 2;  // "}\n"
constexpr long nowhere = -1;

// One line of the file.
struct Noted {
    uint64_t what;
    uint64_t count;
    long end;  // where it ends
};

struct Slot {
    Call call;
    uint64_t last;  // when it was stopped; 0: the slot is free
    unsigned count;
    unsigned bytes;
    Noted lines[most_lines];
    Noted others;  // what did not get a line of its own
};

// A mason has one log.
int appending = -1;
int in_place = -1;  // the same file, for writing anywhere
Slot slots[most_calls];
Line<longest_line + 64> whole;

void append(Noted& noted, const char* line, unsigned length) {
    whole.length = 0;
    while (length-- > 0) whole.put(*line++);
    whole.add(R"(,"count":)");
    whole.add_padded(noted.count, width);
    whole.add("}\n");
    sys::write(appending, whole.text, whole.length);
    noted.end = sys::lseek(appending, 0, from_here);
}

void append_others(Slot& slot) {
    Line<128> text;
    text.add(R"({"ns":)");
    text.add(slot.last);
    if (slot.call.keeper != 0) {
        text.add(R"(,"keeper":)");
        text.add(slot.call.keeper);
    }
    text.add(R"(,"others":true)");
    append(slot.others, text.text, text.length);
}

void count_again(Noted& noted) {
    ++noted.count;
    Line<width> number;
    number.add_padded(noted.count, width);
    if (noted.end > 0)
        sys::pwrite(in_place, number.text, width, noted.end - long{behind_count} - long{width});
}

// The one that this call has, or the one that was not used for longest.
Slot& slot_of(const Call& call) {
    Slot* oldest = &slots[0];
    for (Slot& slot : slots) {
        const bool same = slot.call.keeper == call.keeper && slot.call.word == call.word;
        if (slot.last != 0 && same) return slot;
        if (slot.last < oldest->last) oldest = &slot;
    }
    *oldest = {};
    oldest->call = call;
    return *oldest;
}

// The file is full. Its lines go, and every call that is still known keeps its count.
void begin_again(uint64_t now) {
    sys::ftruncate(appending, 0);
    Line<64> note;
    note.add(R"({"dropped":true,"ns":)");
    note.add(now);
    note.add("}\n");
    sys::write(appending, note.text, note.length);
    for (Slot& slot : slots) {
        uint64_t all = slot.others.count;
        for (unsigned i = 0; i < slot.count; ++i) all += slot.lines[i].count;
        slot.count = slot.bytes = 0;
        slot.others = {0, all, nowhere};
        if (all > 0) append_others(slot);
    }
}

}  // namespace

void open(int fd, int proc) {
    appending = fd;
    if (fd < 0 || in_place >= 0) return;
    Path self;
    self.add("self/fd/");
    self.add(fd);
    in_place = static_cast<int>(sys::openat(proc, self.text, O_WRONLY | O_CLOEXEC));
}

bool is_open() { return appending >= 0; }

void add_line(int fd, const char* line, unsigned length) {
    if (fd >= 0 && sys::lseek(fd, 0, from_end) + length <= longest_with_others)
        sys::write(fd, line, length);
}

void note(const Call& call, uint64_t now, uint64_t what, const char* line, unsigned length) {
    if (appending < 0) return;
    if (sys::lseek(appending, 0, from_end) > longest) begin_again(now);
    Noted own{what, 1, nowhere};
    if (in_place < 0) return append(own, line, length);  // nothing can be counted in its place
    Slot& slot = slot_of(call);
    slot.last = now;
    for (unsigned i = 0; i < slot.count; ++i)
        if (slot.lines[i].what == what) return count_again(slot.lines[i]);
    if (slot.count < most_lines && slot.bytes + length <= most_bytes) {
        append(own, line, length);
        slot.lines[slot.count++] = own;
        slot.bytes += length;
        return;
    }
    if (slot.others.count > 0) return count_again(slot.others);
    slot.others = {0, 1, nowhere};
    append_others(slot);
}

}  // namespace denial_log
