#include "place/streams.h"

#include <algorithm>

#include "place/warden_wire.h"

namespace husk::place {
namespace {

constexpr size_t head_size = 8;

// The length of the longest end of `text` that is a beginning of `mark`.
size_t begun(std::string_view text, std::string_view mark) {
    for (size_t size = std::min(text.size(), mark.size()); size > 0; --size)
        if (mark.starts_with(text.substr(text.size() - size))) return size;
    return 0;
}

}  // namespace

bool Apart::take(std::string_view bytes, const Sink& sink) {
    while (!bytes.empty()) {
        if (left_ > 0) {
            const std::string_view piece = bytes.substr(0, left_);
            sink(stream_, piece);
            left_ -= piece.size();
            bytes.remove_prefix(piece.size());
            continue;
        }
        const size_t missing = std::min(head_size - head_.size(), bytes.size());
        head_ += bytes.substr(0, missing);
        bytes.remove_prefix(missing);
        if (head_.size() < head_size) return true;
        stream_ = static_cast<unsigned char>(head_[0]);
        if (stream_ > 2 || head_[1] != 0 || head_[2] != 0 || head_[3] != 0) return false;
        for (size_t i = 4; i < head_size; ++i)
            left_ = left_ << 8 | static_cast<unsigned char>(head_[i]);
        head_.clear();
    }
    return true;
}

Sieve::Sieve(const std::string& secret)
    : mark_(std::string(warden::note_mark, warden::note_mark_size) + secret) {}

std::string Sieve::take(std::string_view bytes) {
    held_ += bytes;
    if (code_) return std::move(held_);
    const size_t at = held_.find(mark_);
    if (at != std::string::npos) {
        if (held_.size() < at + warden::note_size) {
            std::string out = held_.substr(0, at);
            held_.erase(0, at);
            return out;
        }
        int code = 0;
        for (size_t i = 0; i < 3; ++i) code = code * 10 + (held_[at + mark_.size() + i] - '0');
        code_ = code;
        held_.erase(at, warden::note_size);
        return std::move(held_);
    }
    const size_t kept = begun(held_, mark_);
    std::string out = held_.substr(0, held_.size() - kept);
    held_.erase(0, out.size());
    return out;
}

}  // namespace husk::place
