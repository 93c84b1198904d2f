// Whether one entry of a list of hosts allows no more than another.
#pragma once

#include <string_view>

namespace husk::config {

// `*.example.org` covers `a.example.org` and `*.b.example.org`; `example.org:*` covers
// `example.org:8443`. What is not a plain name is covered only by the very same text.
bool covers(std::string_view wide, std::string_view narrow);

}  // namespace husk::config
