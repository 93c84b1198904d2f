// Answers of an engine as text: HTTP/1.1, as far as engines speak it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace husk::place {

struct Head {
    int status = 0;
    size_t size = 0;                    // of the head itself, with the empty line
    std::optional<size_t> length = {};  // of the body, where it is told
    bool chunked = false;
};

// Nothing while it is not complete; status 0 when it is no head at all.
std::optional<Head> read_head(std::string_view text);

// What a chunked body says; nothing while it is not complete.
std::optional<std::string> unchunked(std::string_view text);

// The body behind that head; nothing while it is not complete. Without a length it ends with the
// connection.
std::optional<std::string> read_body(const Head& head, std::string_view text, bool closed);

std::string request_text(std::string_view method, std::string_view path, std::string_view body,
                         std::string_view more_headers = {});

// A path's parameter, or a part of a path, as it may stand there.
std::string escaped(std::string_view text);

}  // namespace husk::place
