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

void write(int fd, husk::record::Reason cause, bool said_all) {
    Record record{};
    if (sys::pread(fd, &record, sizeof record, 0) != sizeof record) return;
    const bool known = said_all || record.state == State::Ended;
    const uint64_t now = keeper_clock::realtime();
    if (record.state == State::Running && !known) {
        save(fd, cause, offsetof(Record, reason));
        save(fd, now, offsetof(Record, ended));
        save(fd, now, offsetof(Record, gone));
        save(fd, State::Lost, offsetof(Record, state));
    } else if (record.state <= State::Ended && known) {
        save(fd, now, offsetof(Record, gone));  // how main ended is known and stays
        save(fd, State::Gone, offsetof(Record, state));
    }
}

}  // namespace last_words
