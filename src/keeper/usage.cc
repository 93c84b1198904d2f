#include "usage.h"

#include <linux/fcntl.h>

#include "sys.h"

namespace {

uint64_t microseconds(const __kernel_old_timeval& time) {
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_usec);
}

}  // namespace

namespace usage {

const char* line_after(const char* text, const char* name) {
    for (const char* line = text; *line != 0; ++line) {
        if (line != text && line[-1] != '\n') continue;
        const char* at = line;
        const char* want = name;
        while (*want != 0 && *at == *want) ++at, ++want;
        if (*want != 0 || *at != ':') continue;
        for (++at; *at == ' ' || *at == '\t';) ++at;
        return at;
    }
    return nullptr;
}

bool number_after(const char* text, const char* name, uint64_t& value) {
    const char* at = line_after(text, name);
    if (at == nullptr) return false;
    value = 0;
    for (; *at >= '0' && *at <= '9'; ++at) value = value * 10 + static_cast<uint64_t>(*at - '0');
    return true;
}

uint64_t last_number(const char* at) {
    uint64_t number = 0;
    bool in_number = false;
    for (; *at != 0 && *at != '\n'; ++at) {
        const bool is_digit = *at >= '0' && *at <= '9';
        if (is_digit) number = (in_number ? number * 10 : 0) + static_cast<uint64_t>(*at - '0');
        in_number = is_digit;
    }
    return number;
}

bool read_io(int fd, uint64_t& read, uint64_t& written) {
    char text[512];
    const long got = fd < 0 ? -1 : sys::pread(fd, text, sizeof text - 1, 0);
    if (got <= 0) return false;
    text[got] = 0;
    return number_after(text, "read_bytes", read) && number_after(text, "write_bytes", written);
}

void Meter::open() { counts_bytes_ = sys::faccessat2(AT_FDCWD, "/proc/self/io", 0, 0) == 0; }

void Meter::add(const rusage& reaped) {
    constexpr uint64_t block = 512;
    sum_.user_us += microseconds(reaped.ru_utime);
    sum_.system_us += microseconds(reaped.ru_stime);
    sum_.read_bytes += static_cast<uint64_t>(reaped.ru_inblock) * block;
    sum_.written_bytes += static_cast<uint64_t>(reaped.ru_oublock) * block;
    const uint64_t peak = static_cast<uint64_t>(reaped.ru_maxrss) * 1024;
    if (peak > sum_.peak_process_bytes) sum_.peak_process_bytes = peak;
}

bool Meter::read(husk::record::Usage& into) const {
    into = sum_;
    return counts_bytes_;
}

}  // namespace usage
