// From a pipe to a log: complete up to the cap; beyond it the first and the last part, and
// exact counts of all of it. A log's file offset is the stream's offset, always: what is
// dropped from the middle becomes a hole in the file.
#pragma once

#include <stdint.h>

#include "page.h"
#include "record.h"

namespace output {

class Stream {
public:
    // Takes over the pipe's reading end and the log.
    void open(int pipe, int log, uint64_t cap, keeper::Page& page, husk::record::Stream& counts);
    void close();

    // Reads what is there, within reason. False when all writers have closed.
    bool pump();
    // Reads exactly what the pipe holds at this moment, however fast somebody fills it.
    void drain();
    // Gives memory back when nothing has come for a while.
    void rest();

    int pipe() const { return pipe_; }
    bool at_end() const { return pipe_ < 0; }
    uint64_t bytes() const { return counts_ != nullptr ? counts_->bytes : 0; }

private:
    void take(const char* data, uint64_t size);
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
};

}  // namespace output
