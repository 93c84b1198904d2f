#include "confine/own_network.h"

#include <sys/mount.h>
#include <unistd.h>

#include <cstring>

#include "confine/view.h"
#include "confine/walls.h"
#include "keeper/forwarding.h"
#include "proxy/proxy.h"

namespace husk::confine {

namespace fs = std::filesystem;
using wire::WallOp;

namespace {

constexpr uint16_t forward_port = 3129;

// An entry that cannot be understood was refused before.
Step forward_step(const Wanted& wanted) {
    forwarding::Ways ways{
        .raw = forward_port, .ports = 0, .addresses = 0, .local = {}, .listed = {}};
    if (const auto list = proxy::parse_hosts(wanted.network.hosts)) {
        for (const uint16_t port : list->local_ports())
            if (ways.ports < forwarding::most_listed) ways.local[ways.ports++] = port;
        for (const proxy::Address& address : list->listed_addresses())
            if (proxy::is_v4(address) && ways.addresses < forwarding::most_listed)
                std::memcpy(ways.listed[ways.addresses++], &address.bytes[12], 4);
    }
    Step step{WallOp::Forward, "forward connections"};
    step.texts = {std::string(reinterpret_cast<const char*>(&ways), sizeof ways)};
    return step;
}

}  // namespace

bool has_own_network(const Wanted& wanted) {
    return wanted.network.kind != Network::Kind::Open && wanted.machine.network_namespace;
}

bool answers_names(const Wanted& wanted) {
    const Machine& machine = wanted.machine;
    return wanted.closed() && has_own_network(wanted) && machine.pid_namespace &&
           machine.mount_namespace &&
           (wanted.network.kind == Network::Kind::None || has_witness(wanted));
}

fs::path resolver_file(const Wanted& wanted) {
    if (!answers_names(wanted)) return {};
    std::error_code failed;
    fs::path file = fs::canonical("/etc/resolv.conf", failed);
    return !failed && fs::is_regular_file(file, failed) ? file : fs::path();
}

// One attempt: whoever answers is here. There are no search domains, and libc shall not make one of
// the machine's own name.
void make_resolver_file(const Wanted& wanted, const fs::path& store, uint64_t slot, Steps& steps) {
    if (resolver_file(wanted).empty()) return;
    const fs::path file = store / "resolv.conf";
    steps.make_file(file);
    steps.add({WallOp::WriteFile,
               "name the session's own resolver",
               0,
               0,
               0,
               {file,
                "# Husk answers here for this session.\n"
                "nameserver 127.0.0.1\nsearch .\noptions timeout:1 attempts:1\n"}});
    steps.add({WallOp::CloneTree,
               "copy " + file.string(),
               slot,
               0,
               MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY,
               {file}});
}

void open_own_network(const Wanted& wanted, Steps& steps) {
    if (!has_own_network(wanted)) return;
    const auto set = [&](const char* name, const char* setting, const std::string& value) {
        Step step{WallOp::WriteFile, name};
        step.texts = {std::string("/proc/sys/net/ipv4/") + setting, value};
        step.optional = true;
        steps.add(std::move(step));
    };
    set("open the ports below 1024 of the session's own network", "ip_unprivileged_port_start",
        "0");
    // A user namespace knows no other group.
    const std::string group = std::to_string(::getegid());
    set("let the session ping its own network", "ping_group_range",
        wanted.machine.user_namespace ? group + " " + group : "0 2147483647");
}

void add_network(const Wanted& wanted, Steps& steps) {
    if (!has_own_network(wanted)) return;
    // With a /proc of its own that has been done: by now it is read-only.
    if (!wanted.machine.pid_namespace) open_own_network(wanted, steps);
    const bool has_proxy = wanted.network.kind == Network::Kind::Hosts;
    const bool forwards = has_proxy && answers_names(wanted);
    steps.add(
        {WallOp::RaiseLoopback, "raise the loopback", forwards ? forwarding::own_address : 0U});
    if (has_proxy)
        steps.add({WallOp::ListenOnLoopback, "listen for the proxy", proxy_port_of(wanted)});
    if (!answers_names(wanted)) return;
    steps.add({WallOp::AnswerNames, "answer for names", has_proxy ? 1U : 0U});
    if (!forwards) return;
    steps.add({WallOp::ListenOnLoopback, "listen for forwarded connections", forward_port});
    steps.add(forward_step(wanted));
}

}  // namespace husk::confine
