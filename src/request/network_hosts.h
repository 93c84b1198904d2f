// What can be said of a network: in which mode it can be kept, and what one entry of a list of
// hosts allows.
#pragma once

#include <husk/request.h>

#include <string>
#include <string_view>

namespace husk::config {

// `*.example.org` covers `a.example.org` and `*.b.example.org`; `example.org:*` covers
// `example.org:8443`. What is not a plain name is covered only by the very same text.
bool covers(std::string_view wide, std::string_view narrow);

// Why that cannot be kept in this mode if somebody asks for it, and what to do; empty when it can.
std::string cannot_be_kept(const Network& network, Mode mode);

}  // namespace husk::config
