// One direction of a connection: at most 16 KiB on their way from one socket to another.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "proxy/body.h"

namespace husk::proxy {

enum class Progress { None, Some, Broken };

class Flow {
public:
    // Passes on what belongs to `body` and drops what comes behind it.
    explicit Flow(Body body = Body()) : body_(body) {}

    // What goes first, however long it is: not part of the body.
    void put(std::string_view bytes) { waiting_ += bytes; }
    // What was already read from the source.
    Progress receive(std::string_view bytes);
    // Nothing more will come.
    void finish() { source_ended_ = true; }

    // One read and one write, as far as they go without waiting. The source's end is passed
    // on when everything before it was.
    Progress pump(int source, int sink);
    Progress fill(int source);
    Progress drain(int sink);

    bool wants_input() const { return !source_ended_ && waiting_.size() < room; }
    bool has_output() const { return !waiting_.empty(); }
    bool source_ended() const { return source_ended_; }
    bool ended() const { return passed_on_; }

private:
    static constexpr size_t room = size_t{16} << 10;

    Body body_;
    std::string waiting_;
    bool source_ended_ = false;
    bool passed_on_ = false;
};

}  // namespace husk::proxy
