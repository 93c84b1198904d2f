#include "proxy/body.h"

#include <algorithm>

namespace husk::proxy {
namespace {

constexpr size_t longest_lines = size_t{16} << 10;
constexpr unsigned most_digits = 15;

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

bool is_text(char c) { return c == '\t' || (c >= ' ' && c < 0x7f); }

}  // namespace

Body::Body(Framing framing, uint64_t length) : left_(length) {
    if (framing == Framing::None) part_ = Part::End;
    if (framing == Framing::Length) part_ = length == 0 ? Part::End : Part::Length;
    if (framing == Framing::Chunked) part_ = Part::Size;
}

std::optional<size_t> Body::take(std::string_view bytes) {
    if (part_ == Part::Endless) return bytes.size();
    size_t taken = 0;
    while (taken < bytes.size() && part_ != Part::End) {
        if (part_ == Part::Length || part_ == Part::Data) {
            taken += skip(bytes.size() - taken);
        } else if (!step(bytes[taken++])) {
            return std::nullopt;
        }
    }
    return taken;
}

size_t Body::skip(size_t available) {
    const auto skipped = static_cast<size_t>(std::min<uint64_t>(left_, available));
    left_ -= skipped;
    if (left_ == 0) part_ = part_ == Part::Length ? Part::End : Part::DataCr;
    return skipped;
}

bool Body::step(char c) {
    switch (part_) {
        case Part::Size:
        case Part::Extension:
        case Part::SizeEnd: return size_step(c);
        case Part::DataCr: part_ = Part::DataLf; return c == '\r';
        case Part::DataLf:
            part_ = Part::Size;
            digits_ = 0;
            return c == '\n';
        default: return trailer_step(c);
    }
}

bool Body::size_step(char c) {
    if (part_ == Part::SizeEnd) {
        part_ = left_ == 0 ? Part::Line : Part::Data;
        return c == '\n';
    }
    if (c == '\r') {
        part_ = Part::SizeEnd;
        return digits_ > 0;
    }
    if (part_ == Part::Extension) return is_text(c) && ++lines_ <= longest_lines;
    if (c == ';') {
        part_ = Part::Extension;
        return digits_ > 0;
    }
    const auto digit = hex_digit(c);
    if (!digit || ++digits_ > most_digits) return false;
    left_ = left_ * 16 + *digit;  // it was 0 when the chunk began
    return true;
}

// Behind the last chunk: lines, and an empty one.
bool Body::trailer_step(char c) {
    if (part_ == Part::LastLf) {
        part_ = Part::End;
        return c == '\n';
    }
    if (part_ == Part::TrailerEnd) {
        part_ = Part::Line;
        return c == '\n';
    }
    if (c == '\r') {
        part_ = part_ == Part::Line ? Part::LastLf : Part::TrailerEnd;
        return true;
    }
    part_ = Part::Trailer;
    return is_text(c) && ++lines_ <= longest_lines;
}

}  // namespace husk::proxy
