#include "held.h"

#include "proc.h"
#include "sockets.h"
#include "sys.h"
#include "sysv.h"
#include "usage.h"

namespace held {
namespace {

// Objects that were measured, so that one that many processes have counts once. When there is no
// room left, an object counts for each of them.
enum class Kind : uint64_t { File = 1, Segment = 2, Socket = 3 };
constexpr unsigned slots = 1 << 14;
constexpr unsigned most_seen = slots / 4 * 3;
uint64_t seen[slots];
unsigned seen_count = 0;

uint64_t key_of(Kind kind, uint64_t device, uint64_t inode) {
    constexpr uint64_t odd = 0x9e3779b97f4a7c15;
    const uint64_t key = ((inode * odd) ^ (device << 8) ^ static_cast<uint64_t>(kind)) * odd;
    return key == 0 ? 1 : key;
}

uint64_t& slot_of(uint64_t key) {
    unsigned at = static_cast<unsigned>(key >> 40) % slots;
    while (seen[at] != 0 && seen[at] != key) at = (at + 1) % slots;
    return seen[at];
}

// False when it has been measured.
bool add(uint64_t key) {
    if (seen_count >= most_seen) return slot_of(key) != key;
    uint64_t& slot = slot_of(key);
    if (slot == key) return false;
    slot = key;
    ++seen_count;
    return true;
}

void add_segment(uint64_t id) { add(key_of(Kind::Segment, 0, id)); }

void forget() {
    if (seen_count == 0) return;
    for (uint64_t& slot : seen) slot = 0;
    seen_count = 0;
}

int32_t* socket_asker = nullptr;
bool may_ask = false;  // about sockets, for the length of a look

// Lines of a file of /proc, one after the other; what is longer than the room is cut off.
template <class Visit>
void for_each_line(int fd, const Visit& visit) {
    char text[4096];
    char line[512];
    unsigned length = 0;
    for (long got = 0; (got = sys::read(fd, text, sizeof text)) > 0;) {
        for (long i = 0; i < got; ++i) {
            if (text[i] != '\n') {
                if (length < sizeof line - 1) line[length++] = text[i];
                continue;
            }
            line[length] = 0;
            visit(line);
            length = 0;
        }
    }
}

uint64_t take(const char*& at, unsigned base) {
    uint64_t number = 0;
    for (;; ++at) {
        const bool digit = *at >= '0' && *at <= '9';
        const bool letter = base == 16 && *at >= 'a' && *at <= 'f';
        if (!digit && !letter) return number;
        number = number * base + static_cast<uint64_t>(digit ? *at - '0' : *at - 'a' + 10);
    }
}

void skip_words(const char*& at, int count) {
    for (; count > 0 && *at != 0; ++at)
        if (*at == ' ') --count;
}

bool starts_with(const char* text, const char* start) {
    while (*start != 0 && *text == *start) ++text, ++start;
    return *start == 0;
}

// File systems whose files are memory.
constexpr unsigned most_devices = 64;
uint64_t devices[most_devices];
unsigned device_count = 0;
bool devices_known = false;

constexpr uint64_t device(uint64_t major, uint64_t minor) { return major << 32 | minor; }

// "36 35 0:31 / /dev/shm rw,nosuid shared:4 - tmpfs tmpfs rw": no file system is asked, because one
// that does not answer would hold up the keeper.
void find_devices() {
    devices_known = true;
    device_count = 0;
    const int fd = proc::open(static_cast<int>(sys::getpid()), "/mountinfo");
    if (fd < 0) return;
    for_each_line(fd, [](const char* line) {
        const char* at = line;
        skip_words(at, 2);
        const uint64_t major = take(at, 10);
        if (*at++ != ':') return;
        const uint64_t minor = take(at, 10);
        while (*at != 0 && !starts_with(at, " - ")) ++at;
        const bool memory = starts_with(at, " - tmpfs ") || starts_with(at, " - ramfs ") ||
                            starts_with(at, " - hugetlbfs ");
        if (memory && device_count < most_devices) devices[device_count++] = device(major, minor);
    });
    sys::close(fd);
}

bool is_memory(uint64_t wanted) {
    if (!devices_known) find_devices();
    for (unsigned i = 0; i < device_count; ++i)
        if (devices[i] == wanted) return true;
    return false;
}

// What has a name stays when it is closed, so nothing is gained by counting it here.
uint64_t bytes_of_nameless(int directory, const char* name, bool is_memfd) {
    constexpr unsigned as_known = 0x4000;                   // AT_STATX_DONT_SYNC
    constexpr unsigned wanted = 0x1 | 0x4 | 0x100 | 0x400;  // type, links, inode, blocks
    constexpr unsigned format = 0170000, regular = 0100000;
    constexpr uint64_t block = 512;
    sys::FileStatus status{};
    if (sys::statx(directory, name, as_known, wanted, &status) != 0) return 0;
    if ((status.mode & format) != regular || status.links != 0 || status.blocks == 0) return 0;
    const uint64_t where = device(status.device_major, status.device_minor);
    if (!is_memfd && !is_memory(where)) return 0;
    return add(key_of(Kind::File, where, status.inode)) ? status.blocks * block : 0;
}

uint64_t bytes_behind(int directory, const char* name) {
    constexpr char deleted[] = " (deleted)";
    constexpr long deleted_length = sizeof deleted - 1;
    static char link[4096];
    const long length = sys::readlinkat(directory, name, link, sizeof link - 1);
    if (length <= 0) return 0;
    link[length] = 0;
    if (starts_with(link, "socket:[")) {
        const char* at = link + sizeof "socket:[" - 1;
        const uint64_t inode = take(at, 10);
        const bool is_new = may_ask && add(key_of(Kind::Socket, 0, inode));
        return is_new ? sockets::bytes_sent_by(inode) : 0;
    }
    if (length < deleted_length || !starts_with(link + length - deleted_length, deleted)) return 0;
    return bytes_of_nameless(directory, name, starts_with(link, "/memfd:"));
}

uint64_t bytes_behind_descriptors(int pid, unsigned& budget) {
    const int fd = proc::open(pid, "/fd");
    if (fd < 0) return 0;
    uint64_t sum = 0;
    alignas(8) char buffer[2048];
    for (long got = 0; budget > 0 && (got = sys::getdents64(fd, buffer, sizeof buffer)) > 0;) {
        for (long at = 0; at < got;) {
            const auto* entry = reinterpret_cast<const proc::DirectoryEntry*>(buffer + at);
            at += entry->size;
            if (entry->name[0] == '.') continue;
            sum += bytes_behind(fd, entry->name);
            if (budget > 0) --budget;
        }
    }
    sys::close(fd);
    return sum;
}

// One mapping of /proc/<pid>/smaps: "7f10-7f20 rw-s 00000000 00:01 1045  /memfd:x (deleted)", and
// behind that line its sizes.
struct Mapping {
    bool is_measured = false;
    uint64_t share = 0;  // a page that many processes have is split between them
    uint64_t anonymous = 0;

    // Pages that a private mapping has copied are not the file's.
    uint64_t bytes() const {
        constexpr uint64_t kilobyte = 1024;
        return is_measured && share > anonymous ? (share - anonymous) * kilobyte : 0;
    }
};

bool was_measured(const char* mapping) {
    const char* at = mapping;
    skip_words(at, 3);
    const uint64_t major = take(at, 16);
    if (*at++ != ':') return false;
    const uint64_t minor = take(at, 16);
    while (*at == ' ') ++at;
    const uint64_t inode = take(at, 10);
    while (*at == ' ') ++at;
    const bool segment =
        at[0] == '/' && at[1] == 'S' && at[2] == 'Y' && at[3] == 'S' && at[4] == 'V';
    const uint64_t key =
        segment ? key_of(Kind::Segment, 0, inode) : key_of(Kind::File, major << 32 | minor, inode);
    return slot_of(key) == key;
}

}  // namespace

void ask_with(int32_t* asker) { socket_asker = asker; }

uint64_t measure(uint64_t since) {
    // A look must not take seconds. What it does not reach is the first that the next one looks at.
    constexpr unsigned most_descriptors = 1 << 16;
    static unsigned first = 0;
    forget();
    devices_known = false;
    uint64_t sum = sysv::measure(since, add_segment);
    may_ask = socket_asker != nullptr && sockets::claim(*socket_asker);
    unsigned budget = most_descriptors;
    const unsigned count = proc::kin_count();
    for (unsigned i = 0; i < count; ++i) {
        if (budget == 0) {
            first += i;
            break;
        }
        sum += bytes_behind_descriptors(proc::kin((first + i) % count).thread, budget);
    }
    if (may_ask) sockets::release(*socket_asker);
    return sum;
}

uint64_t mapped_by(int pid) {
    if (seen_count == 0) return 0;
    const int fd = proc::open(pid, "/smaps");
    if (fd < 0) return 0;
    Mapping mapping;
    uint64_t sum = 0;
    for_each_line(fd, [&](const char* line) {
        const bool begins = (*line >= '0' && *line <= '9') || (*line >= 'a' && *line <= 'f');
        if (!begins) {
            usage::number_after(line, "Pss", mapping.share);
            usage::number_after(line, "Anonymous", mapping.anonymous);
            return;
        }
        sum += mapping.bytes();
        mapping = {};
        mapping.is_measured = was_measured(line);
    });
    sys::close(fd);
    return sum + mapping.bytes();
}

uint64_t page_tables_of(int pid) {
    constexpr uint64_t kilobyte = 1024;
    char text[4096];
    uint64_t tables = 0;
    if (!proc::read_text(pid, "/status", text, sizeof text)) return 0;
    return usage::number_after(text, "VmPTE", tables) ? tables * kilobyte : 0;
}

}  // namespace held
