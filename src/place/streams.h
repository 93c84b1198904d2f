// What comes out of a command in a container, on its way from the engine: taken apart into standard
// output and standard error, and relieved of the warden's notes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace husk::place {

// Two streams in one, as engines send them: each piece has a head of eight bytes with the stream's
// number and its size.
class Apart {
public:
    using Sink = std::function<void(int stream, std::string_view bytes)>;

    // False when it is nothing of the kind; nothing more can be understood then.
    bool take(std::string_view bytes, const Sink& sink);

private:
    std::string head_;
    int stream_ = 0;
    size_t left_ = 0;  // of the piece
};

// One stream with at most one note of the warden in it.
class Sieve {
public:
    explicit Sieve(const std::string& secret);

    // What of the stream can be passed on. The beginning of what may be a note is held back.
    std::string take(std::string_view bytes);
    // At the end: what was held back.
    std::string rest() { return std::move(held_); }
    // The exit code that the note has told.
    const std::optional<int>& code() const { return code_; }

private:
    std::string mark_;  // that a note begins with
    std::string held_;
    std::optional<int> code_;
};

}  // namespace husk::place
