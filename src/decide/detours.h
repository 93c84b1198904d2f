// What leads a request to another machine than its address names: proxies.
#pragma once

#include "decide/check.h"

namespace husk::decide {

// http_proxy, ALL_PROXY; also the variables that name the files in which curl and wget find one.
bool names_proxy(std::string_view variable);

// The command sets a variable that names a proxy, for those that follow or are inside of it.
bool sets_proxy(const parse::Command& command);

// A variable may name a proxy for the command: one of its own, of what runs it, or of the script.
bool may_have_proxy(const Scene& scene);

// -J gate, -o ProxyCommand=x and the like, among the arguments of ssh.
bool leads_ssh_away(std::span<const parse::Word> arguments);
// The same of scp.
bool leads_scp_away(std::span<const parse::Word> arguments);

}  // namespace husk::decide
