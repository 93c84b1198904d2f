#include "place/container_plan.h"

#include <algorithm>

#include "base/sha256.h"
#include "place/warden_wire.h"

namespace husk::place {
namespace {

Json mount_json(const std::filesystem::path& from, const std::string& to, bool read_only) {
    return {{"Type", "bind"}, {"Source", from.string()}, {"Target", to}, {"ReadOnly", read_only}};
}

Json mounts_json(const Plan& plan) {
    Json mounts = Json::array({mount_json(plan.warden, warden::path, true)});
    for (const Mount& mount : plan.mounts)
        mounts.push_back(mount_json(mount.from, mount.to, mount.read_only));
    return mounts;
}

// What has to be there, for the warden to compare.
std::string identity_of(const Mount& mount) {
    std::string text;
    for (const uint64_t number : {uint64_t{mount.major}, uint64_t{mount.minor}, mount.inode})
        text += std::to_string(number) + ":";
    text += mount.read_only ? warden::mount_read_only : warden::mount_writable;
    return text + ":" + mount.to;
}

Json limit_json(const char* name, uint64_t value) {
    return {{"Name", name}, {"Soft", value}, {"Hard", value}};
}

// Where these two are not named, Podman gives more than it has itself, which it may not everywhere.
// The number of processes that counts is PidsLimit.
Json engine_limits(const Plan& plan) {
    constexpr uint64_t plenty = 32'768;
    const uint64_t files = plan.limits.open_files.value_or(0);
    const uint64_t processes =
        plan.user_processes == 0 ? plenty : std::min(plan.user_processes, plenty);
    Json all = Json::array();
    all.push_back(limit_json("nproc", processes));
    if (files > 0) all.push_back(limit_json("nofile", files));
    return all;
}

// What the warden is told to keep itself.
Json first_process(const Plan& plan) {
    using std::chrono::seconds;
    const auto cpu = std::chrono::ceil<seconds>(plan.limits.cpu.value_or(seconds(0)));
    Json words = {"init",
                  std::to_string(plan.linger_seconds),
                  std::to_string(plan.limits.open_files.value_or(0)),
                  std::to_string(plan.limits.file_size.value_or(0)),
                  std::to_string(cpu.count()),
                  plan.boot_id};
    for (const Mount& mount : plan.mounts) words.push_back(identity_of(mount));
    return words;
}

// As who commands run, so that what they write belongs to the caller.
std::string user_of(const Plan& plan) {
    if (plan.engine == Kind::Rootless) return "0:0";
    return std::to_string(plan.user) + ":" + std::to_string(plan.group);
}

bool is_root_inside(const Plan& plan) { return user_of(plan).starts_with("0:"); }

}  // namespace

std::string Plan::fingerprint() const {
    Json all = create_body(*this);
    all.erase("Labels");
    return sha256(all.dump()).substr(0, 32);
}

Json create_body(const Plan& plan) {
    Json host = {{"Mounts", mounts_json(plan)},
                 {"NetworkMode", plan.network.kind == Network::Kind::Open ? "default" : "none"},
                 {"AutoRemove", true},
                 {"Privileged", false},
                 {"CapDrop", {"ALL"}},
                 {"SecurityOpt", {"no-new-privileges", "label=disable", "seccomp=" + plan.seccomp}},
                 {"Tmpfs", {{"/tmp", "rw,exec,nosuid,nodev,mode=1777,size=1g"}}},
                 {"Ulimits", engine_limits(plan)}};
    // Else root could not work in a directory of another user: as in the mode workspace.
    if (is_root_inside(plan)) host["CapAdd"] = {"CHOWN", "DAC_OVERRIDE", "FOWNER"};
    if (const uint64_t memory = plan.limits.memory.value_or(0); memory > 0)
        host["Memory"] = host["MemorySwap"] = memory;
    if (const uint64_t most = plan.limits.processes.value_or(0); most > 0) host["PidsLimit"] = most;
    Json body = {{"Image", plan.image},          {"Entrypoint", {warden::path}},
                 {"Cmd", first_process(plan)},   {"WorkingDir", workspace_inside},
                 {"User", user_of(plan)},        {"StopSignal", "SIGKILL"},
                 {"HostConfig", std::move(host)}};
    if (!is_root_inside(plan)) body["Env"] = {"HOME=/tmp"};
    body["Labels"] = {{label_session, plan.session}, {label_state, plan.state}};
    return body;
}

}  // namespace husk::place
