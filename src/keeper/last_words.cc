#include "last_words.h"

#include <stddef.h>

#include "clock.h"
#include "sys.h"

namespace last_words {
namespace {

using husk::record::Record;
using husk::record::State;

template <class T>
void save(int fd, const T& value, size_t at) {
    sys::pwrite(fd, &value, sizeof value, static_cast<int64_t>(at));
}

}  // namespace

void write(int record, husk::record::Reason cause, bool said_all) {
    Record page{};
    if (sys::pread(record, &page, sizeof page, 0) != sizeof page) return;
    const bool known = said_all || page.state == State::Ended;
    const uint64_t now = keeper_clock::realtime();
    if (page.state == State::Running && !known) {
        save(record, cause, offsetof(Record, reason));
        save(record, now, offsetof(Record, ended));
        save(record, now, offsetof(Record, gone));
        save(record, State::Lost, offsetof(Record, state));
    } else if (page.state <= State::Ended && known) {
        save(record, now, offsetof(Record, gone));  // how main ended is known and stays
        save(record, State::Gone, offsetof(Record, state));
    }
}

}  // namespace last_words
