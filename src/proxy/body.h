// Where the body of a request ends: what comes behind it is never passed on, because nobody has
// looked at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "proxy/head.h"

namespace husk::proxy {

class Body {
public:
    // Endless, as a tunnel is.
    Body() = default;
    Body(Framing framing, uint64_t length);

    // How many of the next bytes belong to it; nothing if they are not what was announced.
    std::optional<size_t> take(std::string_view bytes);

    bool ended() const { return part_ == Part::End; }

private:
    enum class Part {
        Endless,
        Length,
        Size,
        Extension,
        SizeEnd,
        Data,
        DataCr,
        DataLf,
        Line,
        Trailer,
        TrailerEnd,
        LastLf,
        End
    };

    bool step(char c);
    bool size_step(char c);
    bool trailer_step(char c);
    size_t skip(size_t available);

    Part part_ = Part::Endless;
    uint64_t left_ = 0;    // of the length, or of the chunk
    unsigned digits_ = 0;  // of the chunk's size
    size_t lines_ = 0;     // bytes in extensions and trailers, which have an end too
};

}  // namespace husk::proxy
