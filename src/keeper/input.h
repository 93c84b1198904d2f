// From a file of the caller's to the pipe that a command reads. The command never holds the file
// itself: whoever holds a descriptor can change the mode, the times and the attributes of its file,
// even where no path leads to it.
#pragma once

#include <linux/poll.h>

namespace input {

class Feed {
public:
    static constexpr unsigned poll_count = 2;

    // Takes over the source and makes the pipe. Returns the end for the command, which the caller
    // closes, or -errno.
    long open(int source);
    void close();

    void add(pollfd* fds) const;
    // Passes on what there is, within reason.
    void pump(const pollfd* fds);

private:
    void pass_on();

    int source_ = -1;
    int pipe_ = -1;
    long at_ = 0;    // of what is in the buffer, so much has been passed on
    long held_ = 0;  // and so much is there
};

}  // namespace input
