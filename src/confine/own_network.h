// The network of a session that has one of its own: a loopback, and somebody who answers for names.
#pragma once

#include "confine/steps.h"
#include "confine/wanted.h"

namespace husk::confine {

bool has_own_network(const Wanted& wanted);

// Whether Husk itself answers when the session asks for names: its mason or, with listed hosts, its
// proxy. Else a command finds the machine's resolv.conf, and no name server that it can reach.
bool answers_names(const Wanted& wanted);

// Where the file lies that names the session's own resolver; empty if the machine has none. Then
// libraries ask 127.0.0.1, which is right.
std::filesystem::path resolver_file(const Wanted& wanted);

// For `add_view`, whose slot this is: makes the file in `store`, and copies it there.
void make_resolver_file(const Wanted& wanted, const std::filesystem::path& store, uint64_t slot,
                        Steps& steps);

// In the session's own network namespace every user may bind every port, and ping.
void open_own_network(const Wanted& wanted, Steps& steps);

// The loopback, and the sockets on it.
void add_network(const Wanted& wanted, Steps& steps);

}  // namespace husk::confine
