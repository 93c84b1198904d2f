#include "request/settings.h"

#include <husk/bash.h>

#include <utility>

#include "request/default_limits.h"
#include "request/environment.h"

namespace husk::config {

std::string to_text(const Origin& origin) {
    switch (origin.kind) {
        case Origin::Kind::BuiltIn: return "built in";
        case Origin::Kind::Contract: return "contract " + origin.name;
        case Origin::Kind::File:
            return origin.line == 0 ? origin.name : origin.name + ":" + std::to_string(origin.line);
        case Origin::Kind::Variable: return "$" + origin.name;
        case Origin::Kind::Flag: return origin.name;
        case Origin::Kind::Call: return "the call";
    }
    std::unreachable();
}

Settings::Settings() {
    const Limits limits = default_limits();
    cpu.value = limits.cpu;
    memory.value = limits.memory;
    processes.value = limits.processes;
    open_files.value = limits.open_files;
    file_size.value = limits.file_size;
    const Request request;
    shown_output.value = request.max_output_bytes;
    kept_output.value = request.keep_output_bytes;
    const husk::Settings engine;
    quota.value = engine.state_quota;
    linger.value = engine.linger;
    max_lifetime.value = engine.max_lifetime;
    for (auto& [name, value] : agent_environment()) variables[name].value = value;
}

}  // namespace husk::config
