#include "tool/engine_values.h"

#include <algorithm>
#include <cstdlib>

#include "request/setting_keys.h"
#include "tool/own_files.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

// For the engine 0 is no limit, and no value the one that is built in.
template <class T>
std::optional<T> limit_of(const config::Setting<std::optional<T>>& limit) {
    if (!limit.is_given()) return std::nullopt;
    return limit.value.value_or(T{});
}

Limits limits_of(const config::Settings& settings) {
    return {.cpu = limit_of(settings.cpu),
            .memory = limit_of(settings.memory),
            .processes = limit_of(settings.processes),
            .open_files = limit_of(settings.open_files),
            .file_size = limit_of(settings.file_size),
            .disk = limit_of(settings.disk)};
}

std::map<std::string, std::optional<std::string>> environment_of(const config::Settings& settings) {
    std::map<std::string, std::optional<std::string>> changes;
    for (const auto& [name, variable] : settings.variables) changes[name] = variable.value;
    // What is given on purpose is not withheld behind walls.
    for (const auto& name : settings.pass)
        if (const char* value = std::getenv(name.value.c_str()))  // NOLINT(concurrency-mt-unsafe)
            changes.emplace(name.value, value);
    return changes;
}

std::vector<fs::path> paths_of(const config::Texts& texts, const fs::path& base) {
    std::vector<fs::path> paths;
    for (const auto& text : texts) paths.push_back(expanded(text.value, base));
    return paths;
}

// Empty: the engine's usual one.
fs::path socket_of(const config::Settings& settings, const fs::path& base) {
    const std::string& socket = settings.engine_socket.value;
    return socket.empty() ? fs::path() : expanded(socket, base);
}

// Absent: there is no list. An entry without text stands for an empty one.
std::optional<std::vector<std::string>> entries_of(const config::Texts& texts) {
    if (texts.empty()) return std::nullopt;
    std::vector<std::string> entries;
    for (const auto& text : texts)
        if (!text.value.empty()) entries.push_back(text.value);
    return entries;
}

contract::SecurityLevel level_of(const std::string& word) {
    using enum contract::SecurityLevel;
    if (word == "none") return None;
    if (word == "low") return Low;
    return word == "medium" ? Medium : High;
}

}  // namespace

std::optional<std::chrono::milliseconds> timeout_of(const config::Settings& settings) {
    const config::Time& most = settings.longest_timeout.value;
    const bool typed = settings.timeout.origin.kind == config::Origin::Kind::Flag;
    if (typed || !most) return settings.timeout.value;
    return std::min(settings.timeout.value.value_or(*most), *most);
}

void apply_limits(const config::Settings& settings, Request& request) {
    request.idle_timeout = settings.idle.value;
    request.output_limit = settings.output.value;
    request.limits = limits_of(settings);
    request.keep_output_bytes = settings.kept_output.value.value_or(request.keep_output_bytes);
    request.env.merge(environment_of(settings));
}

contract::DocwareSettings docware_settings(const Configuration& configuration) {
    const config::Settings& from = configuration.settings;
    contract::DocwareSettings settings;
    settings.command_whitelist = entries_of(from.command_whitelist);
    if (auto paths = entries_of(from.allowed_paths)) {
        for (std::string& path : *paths) path = expanded(path, base_of(configuration)).string();
        settings.allowed_paths = std::move(paths);
    }
    const auto take = [](uint64_t& into, const config::Setting<config::Amount>& given) {
        if (given.is_given()) into = given.value.value_or(into);
    };
    take(settings.max_output_size, from.output);
    take(settings.max_memory, from.memory);
    take(settings.max_cpu_usage, from.max_cpu_usage);
    take(settings.max_processes, from.processes);
    take(settings.max_file_descriptors, from.open_files);
    if (from.disk.is_given()) settings.max_disk_write = from.disk.value;
    if (from.timeout.is_given())
        settings.default_timeout = timeout_of(from).value_or(settings.default_timeout);
    settings.preserves_environment = from.preserve_environment.value == "on";
    settings.may_preserve_environment = settings.preserves_environment;
    settings.security_level = level_of(from.security_level.value);
    settings.log_level = from.docware_log_level.value;
    settings.streaming = from.streaming.value == "on";
    settings.blocks_threats = from.threats.value == "block";
    return settings;
}

EngineValues engine_values(const Configuration& configuration, EngineValues values) {
    const config::Settings& from = configuration.settings;
    values.settings.state = state_directory_of(from);
    values.settings.state_quota = from.quota.value.value_or(values.settings.state_quota);
    values.settings.linger = from.linger.value.value_or(values.settings.linger);
    values.settings.max_lifetime = from.max_lifetime.value.value_or(values.settings.max_lifetime);

    const fs::path base = base_of(configuration);
    Request& request = values.request;
    if (from.working_directory.is_given())
        request.working_dir = working_directory_of(configuration);
    request.timeout = timeout_of(from);
    request.max_output_bytes = from.shown_output.value.value_or(request.max_output_bytes);
    apply_limits(from, request);

    ToolContext& context = values.context;
    context.mode = from.mode.value;
    context.network = from.network.value;
    // Where nothing is said the engine knows best what the user calls this directory.
    if (from.working_directory.is_given()) context.workspace = base;
    context.writable = paths_of(from.write, base);
    if (from.cache.is_given()) context.cache = expanded(from.cache.value, base);
    context.readable = paths_of(from.read, base);
    context.protect = paths_of(from.protect, base);
    for (fs::path& own : reachable_files(configuration, reach_of(context, from)))
        context.protect.push_back(std::move(own));
    context.sockets = paths_of(from.sockets, base);
    context.devices = paths_of(from.devices, base);
    for (const auto& port : from.publish)
        if (const auto number = config::port_of(port.value)) context.publish.push_back(*number);
    context.scratch_bytes = from.scratch.value.value_or(context.scratch_bytes);
    for (const auto& hole : from.accept) context.accept.push_back(hole.value);
    context.watch_denials = from.denials.value != "off";

    if (from.place.value == "container")
        values.container = place::Wanted{.socket = socket_of(from, base),
                                         .image = from.container_image.value,
                                         .workspace = base,
                                         .read_only = context.protect,
                                         .always_read_only = {},
                                         .network = {},
                                         .limits = request.limits,
                                         .session = {}};
    return values;
}

}  // namespace husk::tool
