#include "contract/modes.h"

#include <algorithm>

#include "base/text.h"

namespace husk::contract {

const char* word(Mode mode) {
    switch (mode) {
        case Mode::ReadOnly: return "read-only";
        case Mode::Workspace: return "workspace";
        case Mode::Open: return "open";
    }
    return "";
}

std::optional<Mode> mode_named(std::string_view name) {
    for (const Mode mode : {Mode::ReadOnly, Mode::Workspace, Mode::Open})
        if (name == word(mode)) return mode;
    return std::nullopt;
}

Network network_named(std::string_view text) {
    if (text.empty() || text == "none") return {};
    if (text == "open") return {Network::Kind::Open, {}};
    Network network{Network::Kind::Hosts, {}};
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        if (end > at) network.hosts.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return network;
}

bool is_within(const Network& narrower, const Network& wider) {
    if (narrower.kind == Network::Kind::None || wider.kind == Network::Kind::Open) return true;
    if (narrower.kind == Network::Kind::Open || wider.kind == Network::Kind::None) return false;
    return std::ranges::all_of(narrower.hosts, [&](const std::string& host) {
        return std::ranges::find(wider.hosts, host) != wider.hosts.end();
    });
}

std::string sentence(const Network& network) {
    switch (network.kind) {
        case Network::Kind::None: break;
        case Network::Kind::Open: return "The network is open.";
        case Network::Kind::Hosts:
            return "Of the network only these hosts can be reached, over HTTP and HTTPS: " +
                   text::join(network.hosts, ", ") + ".";
    }
    return "There is no network; localhost works between your own commands.";
}

}  // namespace husk::contract
