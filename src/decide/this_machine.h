// Whether an address means this machine.
#pragma once

#include <string_view>

#include "parse/script.h"

namespace husk::decide {

// A host, a host with a port, or a URL: localhost, an address in 127.0.0.0/8 or ::1. Every way of
// writing an IPv4 address counts that programs understand: 127.1, 0x7f000001.
bool is_this_machine(std::string_view host_or_url);

// False if a part of the host is not known before running.
bool is_this_machine(const parse::Word& host_or_url);

}  // namespace husk::decide
