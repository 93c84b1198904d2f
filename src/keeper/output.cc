// A flood passes through this file once: counting must run as fast as memory.
#pragma GCC optimize("O3")

#include "output.h"

#include <asm/errno.h>
#include <asm/ioctls.h>
#include <linux/falloc.h>
#include <linux/fcntl.h>
#include <linux/mman.h>

#include "clock.h"
#include "sys.h"

namespace {

constexpr long page_size = 4096;
constexpr long pipe_default = 64 * 1024;
constexpr long pipe_largest = 256 * 1024;
constexpr unsigned long chunk = 128 * 1024;
constexpr int turns = 16;  // of a flood, before signals and timers are looked at again

alignas(page_size) char buffer[chunk];
// Only what a flood has touched is in memory.
constexpr uint64_t window_size = 1 << 20;
alignas(page_size) char windows[2][window_size];

using Bytes = unsigned char __attribute__((vector_size(16)));

uint64_t count_newlines(const char* data, uint64_t size) {
    constexpr uint64_t width = sizeof(Bytes);
    constexpr uint64_t most_rounds = 255;  // then a lane is full
    uint64_t lines = 0;
    while (size >= width) {
        const uint64_t rounds = size / width < most_rounds ? size / width : most_rounds;
        Bytes sums{};
        for (uint64_t i = 0; i < rounds; ++i, data += width) {
            Bytes piece;
            __builtin_memcpy(&piece, data, width);
            sums -= reinterpret_cast<Bytes>(piece == '\n');  // all ones where it is one
        }
        for (uint64_t lane = 0; lane < width; ++lane) lines += sums[lane];
        size -= rounds * width;
    }
    for (uint64_t i = 0; i < size; ++i) lines += data[i] == '\n' ? 1 : 0;
    return lines;
}

}  // namespace

namespace output {

char* window_of(unsigned stream) { return windows[stream]; }

void Stream::open(int pipe, int log, uint64_t cap, char* window, keeper::Page& page,
                  husk::record::Stream& counts) {
    window_ = window;
    page_ = &page;
    pipe_ = pipe;
    log_ = log;
    pipe_size_ = pipe_default;
    unit_ = husk::record::drop_unit(cap);
    tail_ = (cap > 4 * unit_ ? cap : 4 * unit_) - 2 * unit_;
    counts_ = &counts;
}

void Stream::close() {
    if (pipe_ >= 0) sys::close(pipe_);
    if (log_ >= 0) sys::close(log_);
    if (window_at_ > 0) sys::madvise(window_, window_size, MADV_DONTNEED);
    *this = Stream();
}

bool Stream::pump() {
    for (int turn = 0; turn < turns; ++turn) {
        const long got = read_some(chunk);
        if (got == -EAGAIN || got == -EINTR) return true;
        if (got <= 0) {
            sys::close_once(pipe_);
            return false;
        }
        // A full pipe means that the command waits for us; a larger one costs fewer switches.
        if (got >= pipe_size_) resize_pipe(pipe_size_ < pipe_default ? pipe_default : pipe_largest);
        // In a flood there is more by now, and asking costs less than waiting to be told.
        if (static_cast<unsigned long>(got) < chunk && !in_flood()) return true;
    }
    return true;
}

void Stream::drain() {
    if (pipe_ < 0) return;
    int waiting = 0;
    if (sys::ioctl(pipe_, FIONREAD, &waiting) != 0) return;
    for (auto left = static_cast<unsigned long>(waiting); left > 0;) {
        const long got = read_some(left < chunk ? left : chunk);
        if (got <= 0) return;
        left -= static_cast<unsigned long>(got);
    }
}

long Stream::read_some(uint64_t most) {
    const bool held = in_flood();
    if (held && most > window_size - window_at_) most = window_size - window_at_;
    char* to = held ? window_ + window_at_ : buffer;
    const long got = sys::read(pipe_, to, most);
    if (got > 0 && held) hold(to, static_cast<uint64_t>(got));
    if (got > 0 && !held) take(to, static_cast<uint64_t>(got));
    return got;
}

bool Stream::in_flood() const { return counts_->bytes >= 4 * (2 * unit_ + tail_); }

void Stream::rest() {
    if (pipe_ >= 0) resize_pipe(page_size);
    sys::madvise(buffer, chunk, MADV_DONTNEED);
    if (window_at_ > 0 && waiting_.bytes == 0) sys::madvise(window_, window_size, MADV_DONTNEED);
}

void Stream::resize_pipe(long size) {
    if (size == pipe_size_) return;
    // Refused when the user holds too many pages in pipes, or the pipe is fuller than that.
    const long now = sys::fcntl(pipe_, F_SETPIPE_SZ, size);
    if (now > 0) pipe_size_ = now;
}

void Stream::take(const char* data, uint64_t size) {
    // Before it is stored: what is saved when the tail is bounded counts up to its end.
    counts_->lines += count_newlines(data, size);
    counts_->last_byte = static_cast<unsigned char>(data[size - 1]);
    counts_->last_write = keeper_clock::realtime();
    counts_->bytes += size;
    store(data, size);
}

void Stream::hold(const char* data, uint64_t size) {
    waiting_.bytes += size;
    waiting_.lines += count_newlines(data, size);
    window_at_ = (window_at_ + size) % window_size;
}

bool Stream::flush() {
    if (waiting_.bytes == 0) return false;
    const uint64_t room = window_size < tail_ ? window_size : tail_;
    const uint64_t size = waiting_.bytes < room ? waiting_.bytes : room;
    const uint64_t overtaken = waiting_.bytes - size;
    counts_->bytes += waiting_.bytes;
    counts_->lines += waiting_.lines;
    counts_->last_write = keeper_clock::realtime();
    waiting_ = {};
    if (overtaken > 0) skip(overtaken);
    const uint64_t from = (window_at_ + window_size - size) % window_size;
    const uint64_t first = size < window_size - from ? size : window_size - from;
    counts_->last_byte =
        static_cast<unsigned char>(window_[(window_at_ + window_size - 1) % window_size]);
    store(window_ + from, first);
    store(window_, size - first);
    return overtaken > 0;
}

// Between what is stored and what will be: never written, and so is all of the tail before it.
void Stream::skip(uint64_t bytes) {
    if (counts_->error != 0) return;
    const uint64_t from = counts_->tail_start;
    const uint64_t stored = counts_->stored_end;
    counts_->tail_start = counts_->stored_end = stored + bytes;
    page_->save_counts();
    long result = sys::fallocate(log_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                 static_cast<int64_t>(from), static_cast<int64_t>(stored - from));
    // The log is written at its end, and that is now further on.
    if (result == 0) result = sys::ftruncate(log_, static_cast<int64_t>(counts_->stored_end));
    if (result < 0) counts_->error = static_cast<uint32_t>(-result);
}

void Stream::store(const char* data, uint64_t size) {
    while (size > 0 && counts_->error == 0) {
        const long written = sys::write(log_, data, size);
        if (written == -EINTR) continue;
        if (written <= 0) {
            counts_->error = static_cast<uint32_t>(written < 0 ? -written : EIO);
            return;
        }
        data += written;
        size -= static_cast<uint64_t>(written);
        counts_->stored_end += static_cast<uint64_t>(written);
        const uint64_t head = counts_->stored_end < 2 * unit_ ? counts_->stored_end : 2 * unit_;
        if (counts_->head_end < head) counts_->head_end = counts_->tail_start = head;
        bound_the_tail();
    }
}

void Stream::end_with(const char* line, uint64_t size) {
    if (counts_->error != 0) return;
    const bool torn = counts_->bytes > 0 && counts_->last_byte != '\n';
    if (torn) sys::write(log_, "\n", 1);
    sys::write(log_, line, size);
}

void Stream::bound_the_tail() {
    while (counts_->error == 0 && counts_->stored_end - counts_->tail_start > tail_) {
        const uint64_t from = counts_->tail_start;
        // First told, then done: a reader looks again after it has read.
        counts_->tail_start += unit_;
        page_->save_counts();
        const long result = sys::fallocate(log_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                           static_cast<int64_t>(from), static_cast<int64_t>(unit_));
        if (result < 0) counts_->error = static_cast<uint32_t>(-result);
    }
}

}  // namespace output
