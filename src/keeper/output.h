// From a pipe to a log: complete up to the cap; beyond it the first and the last part, and
// exact counts of all of it. A log's file offset is the stream's offset, always: what is
// dropped from the middle becomes a hole in the file.
//
// Of a flood, four times the cap and more, most would be written only to be dropped. There the
// newest part waits in memory until flush(), and what is overtaken meanwhile never costs the
// command the time to write it.
#pragma once

#include <stdint.h>

#include "page.h"
#include "record.h"

namespace output {

// Where the newest part of a flood waits; one for each stream of a command.
char* window_of(unsigned stream);

class Stream {
public:
    // Takes over the pipe's reading end and the log. The window is for a flood.
    void open(int pipe, int log, uint64_t cap, char* window, keeper::Page& page,
              husk::record::Stream& counts);
    void close();

    // Reads what is there, within reason. False when all writers have closed.
    bool pump();
    // Reads exactly what the pipe holds at this moment, however fast somebody fills it.
    void drain();
    // Stores what waits in memory. True when it was a flood, and some had been overtaken.
    bool flush();
    // Writes what is not output behind it.
    void end_with(const char* line, uint64_t size);
    // Gives memory back when nothing has come for a while.
    void rest();

    int pipe() const { return pipe_; }
    bool at_end() const { return pipe_ < 0; }
    uint64_t bytes() const { return counts_ != nullptr ? counts_->bytes + waiting_.bytes : 0; }

private:
    // What came and is not in the counts yet; its last part is in the window, which is a ring.
    struct Waiting {
        uint64_t bytes = 0;
        uint64_t lines = 0;
    };

    long read_some(uint64_t most);
    bool in_flood() const;
    void take(const char* data, uint64_t size);
    void hold(const char* data, uint64_t size);
    void skip(uint64_t bytes);
    void store(const char* data, uint64_t size);
    void bound_the_tail();
    void resize_pipe(long size);

    int pipe_ = -1;
    int log_ = -1;
    long pipe_size_ = 0;
    uint64_t unit_ = 0;  // of dropping; the head is two of them
    uint64_t tail_ = 0;  // at most: the rest of the cap
    keeper::Page* page_ = nullptr;
    husk::record::Stream* counts_ = nullptr;
    char* window_ = nullptr;
    uint64_t window_at_ = 0;  // where the next byte goes
    Waiting waiting_;
};

}  // namespace output
