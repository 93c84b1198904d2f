#include "sysv.h"

#include <asm/errno.h>
#include <linux/fcntl.h>

#include "proc.h"
#include "sys.h"

namespace {

// Columns of the three lists, counted from 0.
struct List {
    const char* path;
    unsigned id;
    unsigned owner;  // the user who made it
    unsigned made;   // when it was made or changed, in seconds
    unsigned maker;  // its process, or of queues who sent last; none: `no_column`
    unsigned amount;
    unsigned count;  // how many parts have a cost of their own; none: `no_column`
    uint64_t unit;   // of the amount
};
constexpr unsigned no_column = ~0U;
constexpr unsigned most_columns = 16;
constexpr uint64_t message_cost = 64;  // of its header, about

constexpr List segments = {"/proc/sysvipc/shm", 1, 9, 13, 4, 14, no_column, 1};
constexpr List queues = {"/proc/sysvipc/msg", 1, 9, 13, 5, 3, 4, 1};
constexpr List semaphores = {"/proc/sysvipc/sem", 1, 6, 9, no_column, 3, no_column, 64};

bool is_kin_or_gone(int pid) {
    for (unsigned i = 0; i < proc::kin_count(); ++i)
        if (proc::kin(i).pid == pid) return true;
    return pid <= 0 || sys::kill(pid, 0) == -ESRCH;
}

uint64_t bytes_of(const List& list, const uint64_t* row, uint64_t since) {
    if (row[list.made] < since || row[list.owner] != static_cast<uint64_t>(sys::geteuid()))
        return 0;
    if (list.maker != no_column && !is_kin_or_gone(static_cast<int>(row[list.maker]))) return 0;
    const uint64_t parts = list.count == no_column ? 0 : row[list.count] * message_cost;
    return row[list.amount] * list.unit + parts;
}

// A row of numbers, read letter by letter.
struct Row {
    uint64_t numbers[most_columns] = {};
    unsigned column = 0;
    bool in_number = false;

    // Returns true when the letter ends the row.
    bool take(char letter) {
        if (letter != ' ' && letter != '\n') {
            in_number = true;
            const bool digit = letter >= '0' && letter <= '9';
            if (digit && column < most_columns)
                numbers[column] = numbers[column] * 10 + static_cast<uint64_t>(letter - '0');
            return false;
        }
        if (in_number) ++column;
        in_number = false;
        return letter == '\n';
    }
};

// Reads a table of numbers whose first line has the names of its columns.
template <class Visit>
void for_each_row(const char* path, const Visit& visit) {
    const long fd = sys::openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    char text[4096];
    Row row;
    bool is_head = true;
    for (long got = 0; (got = sys::read(static_cast<int>(fd), text, sizeof text)) > 0;) {
        for (long i = 0; i < got; ++i) {
            if (!row.take(text[i])) continue;
            if (!is_head) visit(row.numbers);
            is_head = false;
            row = {};
        }
    }
    sys::close(static_cast<int>(fd));
}

}  // namespace

namespace sysv {

uint64_t measure(uint64_t since, void (*found)(uint64_t id)) {
    uint64_t sum = 0;
    constexpr const List* lists[] = {&segments, &queues, &semaphores};
    for (const List* list : lists) {
        for_each_row(list->path, [&](const uint64_t* row) {
            const uint64_t bytes = bytes_of(*list, row, since);
            sum += bytes;
            if (bytes > 0 && list == &segments) found(row[list->id]);
        });
    }
    return sum;
}

}  // namespace sysv
