#include "request/setting_keys.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/terminal_text.h"
#include "base/text.h"
#include "base/units.h"

namespace husk::config {
namespace {

using std::chrono::milliseconds;
using std::string_view_literals::operator""sv;

constexpr auto contracts = std::to_array({"husk"sv, "phoenix"sv, "codegen"sv, "docware"sv,
                                          "agentrail"sv, "yoi"sv, "claude-code"sv, "anthropic"sv});
constexpr auto extents = std::to_array({"few"sv, "full"sv});
constexpr auto modes = std::to_array({"read-only"sv, "workspace"sv, "open"sv});
constexpr auto places = std::to_array({"host"sv, "container"sv});
constexpr auto on_or_off = std::to_array({"on"sv, "off"sv});
constexpr auto read_only_or_writable = std::to_array({"read-only"sv, "writable"sv});
constexpr auto block_or_tell = std::to_array({"block"sv, "tell"sv});
// That a user may let stay open, as confine/ calls them.
constexpr auto holes = std::to_array({"signals"sv, "metadata"sv, "protected-paths"sv});

constexpr auto only_on = std::to_array({"on"sv});
constexpr auto security_levels = std::to_array({"high"sv, "medium"sv, "low"sv, "none"sv});
constexpr auto shells = std::to_array({"/bin/bash"sv, "/usr/bin/bash"sv, "bash"sv});
// Those of MCP, and that of a server that logs only for clients who ask for it.
constexpr auto log_levels = std::to_array({"off"sv, "debug"sv, "info"sv, "notice"sv, "warning"sv,
                                           "error"sv, "critical"sv, "alert"sv, "emergency"sv});

using enum Key::Least;
using enum Workspace;

// The configuration of the contract docware is the user's alone.
constexpr Key of_docware(std::string_view name, Setting<std::string> Settings::* place,
                         std::span<const std::string_view> words, std::string_view reason = {}) {
    return {"docware", name, place, Unit::Word, SaysNothing, Anything, words, {}, reason};
}

constexpr Key of_docware(std::string_view name, Key::Place place, Unit unit) {
    const Key::Least least = unit == Unit::Path ? Anything : MoreThanZero;
    return {"docware", name, place, unit, SaysNothing, least};
}

constexpr auto table = std::to_array<Key>({
    {"", "contract", &Settings::contract, Unit::Word, SaysNothing, Anything, contracts},
    {"", "tools", &Settings::tools, Unit::Word, SaysNothing, Anything, extents},
    {"", "mode", &Settings::mode, Unit::Mode, Narrows, Anything, modes},
    {"", "network", &Settings::network, Unit::Network, Narrows},
    {"", "place", &Settings::place, Unit::Word, SaysNothing, Anything, places},
    {"container", "socket", &Settings::engine_socket, Unit::Path, SaysNothing},
    {"container", "image", &Settings::container_image, Unit::Name, SaysNothing},
    {"", "denials", &Settings::denials, Unit::Word, SaysNothing, Anything, on_or_off},
    {"", "working_directory", &Settings::working_directory, Unit::Path, SaysNothing},
    {"", "state", &Settings::state, Unit::Path, SaysNothing},
    {"", "cache", &Settings::cache, Unit::Path, SaysNothing},
    {"", "scratch", &Settings::scratch, Unit::Size, Narrows, MoreThanZero},
    {"limits", "cpu", &Settings::cpu, Unit::Duration, Narrows, MoreThanZeroOrNone, {}, "10s"},
    {"limits", "memory", &Settings::memory, Unit::Size, Narrows, MoreThanZeroOrNone, {}, "2G"},
    {"limits",
     "processes",
     &Settings::processes,
     Unit::Count,
     Narrows,
     MoreThanZeroOrNone,
     {},
     "100"},
    {"limits",
     "open_files",
     &Settings::open_files,
     Unit::Count,
     Narrows,
     MoreThanZeroOrNone,
     {},
     "1024"},
    {"limits",
     "file_size",
     &Settings::file_size,
     Unit::Size,
     Narrows,
     MoreThanZeroOrNone,
     {},
     "1G"},
    {"limits", "disk", &Settings::disk, Unit::Size, Narrows, MoreThanZeroOrNone, {}, "5G"},
    {"limits", "output", &Settings::output, Unit::Size, Narrows, MoreThanZeroOrNone, {}, "10M"},
    {"limits", "idle", &Settings::idle, Unit::Duration, Narrows, MoreThanZeroOrNone, {}, "30s"},
    {"timeouts",
     "default",
     &Settings::timeout,
     Unit::Duration,
     Narrows,
     MoreThanZeroOrNone,
     {},
     "5m"},
    {"timeouts",
     "maximum",
     &Settings::longest_timeout,
     Unit::Duration,
     Narrows,
     MoreThanZeroOrNone,
     {},
     "1h"},
    {"output", "shown", &Settings::shown_output, Unit::Size, SaysNothing},
    {"output", "kept", &Settings::kept_output, Unit::Size, SaysNothing},
    {"retention", "quota", &Settings::quota, Unit::Size, SaysNothing, MoreThanZero},
    {"session", "linger", &Settings::linger, Unit::Duration, SaysNothing, MoreThanZero},
    {"session", "max_lifetime", &Settings::max_lifetime, Unit::Duration, SaysNothing, MoreThanZero},
    {"agentrail", "memo", &Settings::memo, Unit::Word, SaysNothing, Anything,
     read_only_or_writable},
    {"yoi", "output_dir", &Settings::output_dir, Unit::Path, SaysNothing},
    of_docware("enable_sandbox", &Settings::docware_sandbox, on_or_off),
    of_docware("security_level", &Settings::security_level, security_levels),
    of_docware("default_timeout", &Settings::docware_timeout, Unit::Milliseconds),
    of_docware("max_output_size", &Settings::docware_output, Unit::Size),
    of_docware("enable_streaming", &Settings::streaming, on_or_off),
    of_docware("max_memory_usage", &Settings::docware_memory, Unit::Size),
    of_docware("max_cpu_usage", &Settings::max_cpu_usage, Unit::Percent),
    of_docware("max_processes", &Settings::docware_processes, Unit::Count),
    of_docware("max_file_descriptors", &Settings::docware_open_files, Unit::Count),
    of_docware("preserve_environment", &Settings::preserve_environment, on_or_off),
    of_docware("default_working_directory", &Settings::docware_directory, Unit::Path),
    of_docware("default_shell", &Settings::docware_shell, shells,
               "Husk parses bash only, so no other shell can run a command that was checked"),
    of_docware("enable_monitoring", &Settings::docware_monitoring, only_on,
               "limits hold because each command is watched, so this cannot be switched off"),
    of_docware("enable_auditing", &Settings::docware_auditing, only_on,
               "every call is recorded, so this cannot be switched off; see `husk log`"),
    of_docware("log_level", &Settings::docware_log_level, log_levels),
    of_docware("threats", &Settings::threats, block_or_tell),
});

constexpr auto lists = std::to_array<ListKey>({
    {"", "write", &Settings::write, ListKey::Kind::Path},
    {"", "read", &Settings::read, ListKey::Kind::Path},
    {"", "protect", &Settings::protect, ListKey::Kind::Path},
    {"", "sockets", &Settings::sockets, ListKey::Kind::Path},
    {"", "devices", &Settings::devices, ListKey::Kind::Path},
    {"", "publish", &Settings::publish, ListKey::Kind::Port},
    {"", "accept", &Settings::accept, ListKey::Kind::Wall},
    {"environment", "pass", &Settings::pass, ListKey::Kind::Variable},
    {"docware", "command_whitelist", &Settings::command_whitelist, ListKey::Kind::Command, true},
    {"docware", "allowed_paths", &Settings::allowed_paths, ListKey::Kind::Path, true},
});

template <class List>
auto find_in(const List& list, std::string_view section, std::string_view name) {
    const auto found = std::ranges::find_if(
        list, [&](const auto& key) { return key.section == section && key.name == name; });
    return found == list.end() ? nullptr : &*found;
}

std::string all_of(std::span<const std::string_view> words) {
    return text::join(std::vector<std::string>(words.begin(), words.end()), ", ");
}

// YAML's own words for `on` and `off`; and a level is often written in capitals.
std::string meant_by(const Key& key, std::string_view text) {
    std::string word(text);
    if (key.section == "docware")
        for (char& letter : word)
            if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    const bool is_switch = std::ranges::find(key.words, "on") != key.words.end();
    if (is_switch && word == "true") return "on";
    if (is_switch && word == "false") return "off";
    if (word == "warn" && key.name == "log_level") return "warning";
    return word;
}

// One value read; false when the text is none.
bool read(const Key& key, std::string_view text, std::string& value) {
    if (key.unit == Unit::Path || key.unit == Unit::Name) {
        value = text;
        return !text.empty();
    }
    value = meant_by(key, text);
    return std::ranges::find(key.words, value) != key.words.end();
}

bool read(const Key&, std::string_view text, Mode& value) {
    const auto* const found = std::ranges::find(modes, text);
    if (found != modes.end()) value = static_cast<Mode>(found - modes.begin());
    return found != modes.end();
}

bool read(const Key&, std::string_view text, Network& value) {
    value = network_of(text);
    return value.kind != Network::Kind::Hosts || !value.hosts.empty();
}

template <class T>
bool read_number(const Key& key, std::string_view text, std::optional<T> parsed,
                 std::optional<T>& value) {
    const bool none = text == "none" && key.least == MoreThanZeroOrNone;
    const bool too_little = parsed == T{} && key.least != Anything;
    if (!none && (!parsed || too_little)) return false;
    value = none ? std::nullopt : parsed;
    return true;
}

bool read(const Key& key, std::string_view text, Time& value) {
    // For parse_duration, a number without a unit is seconds.
    const bool has_unit = !text.empty() && text.find_last_not_of("0123456789.") == text.size() - 1;
    if (key.unit != Unit::Milliseconds || has_unit)
        return read_number(key, text, text::parse_duration(text), value);
    const auto plain = text::parse_number(text);
    if (!plain || *plain > static_cast<uint64_t>(text::longest_duration.count())) return false;
    return read_number(key, text, std::optional(milliseconds(*plain)), value);
}

bool read(const Key& key, std::string_view text, Amount& value) {
    const auto number = key.unit == Unit::Size ? text::parse_size(text) : text::parse_number(text);
    constexpr uint64_t most_percent = 100;
    if (key.unit == Unit::Percent && number > most_percent) return false;
    return read_number(key, text, number, value);
}

struct Step {
    uint64_t size;
    const char* unit;
};

// In the largest unit that leaves nothing over.
std::string in_units(uint64_t value, std::span<const Step> steps) {
    for (const Step& step : steps)
        if (value >= step.size && value % step.size == 0)
            return std::to_string(value / step.size) + step.unit;
    return std::to_string(value);
}

std::string written(const Key&, const std::string& value) { return value; }
std::string written(const Key&, Mode mode) { return word(mode); }
std::string written(const Key&, const Network& network) { return to_text(network); }
std::string written(const Key&, const Time& time) {
    constexpr Step steps[] = {{3'600'000, "h"}, {60'000, "m"}, {1000, "s"}, {1, "ms"}};
    return time ? in_units(static_cast<uint64_t>(time->count()), steps) : "none";
}
std::string written(const Key& key, const Amount& amount) {
    constexpr Step steps[] = {{1ULL << 30, "G"}, {1ULL << 20, "M"}, {1ULL << 10, "K"}};
    if (!amount) return "none";
    return key.unit == Unit::Size ? in_units(*amount, steps) : std::to_string(*amount);
}

bool is_variable_name(std::string_view name) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9');
    });
}

}  // namespace

std::span<const Key> keys() { return table; }
std::span<const ListKey> list_keys() { return lists; }

const Key* find_key(std::string_view section, std::string_view name) {
    return find_in(table, section, name);
}

const ListKey* find_list_key(std::string_view section, std::string_view name) {
    return find_in(lists, section, name);
}

std::string full_name(std::string_view section, std::string_view name) {
    return section.empty() ? std::string(name) : std::string(section) + "." + std::string(name);
}

std::string words_for(const Key& key) {
    std::string words;
    if (key.words.size() == 1) return std::string(key.words[0]);
    switch (key.unit) {
        case Unit::Word:
        case Unit::Mode: return "one of " + all_of(key.words);
        case Unit::Path: return "a path";
        case Unit::Name: return "a name such as debian:12";
        case Unit::Network: return "none, open, or hosts such as example.org";
        case Unit::Duration: words = "a time such as 500ms, 30s, 5m or 1h"; break;
        case Unit::Milliseconds: words = "milliseconds such as 30000, or a time such as 30s"; break;
        case Unit::Size: words = "a size such as 256K, 64M or 2G"; break;
        case Unit::Count: words = "a number"; break;
        case Unit::Percent: words = "a percentage up to 100"; break;
    }
    if (key.least != Anything) words += ", more than 0";
    if (key.least == MoreThanZeroOrNone) words += ", or none";
    return words;
}

std::expected<void, std::string> set(Settings& settings, const Key& key, std::string_view text,
                                     const Origin& origin) {
    const bool done = std::visit(
        [&](auto place) {
            auto value = (settings.*place).value;
            if (!read(key, text, value)) return false;
            settings.*place = {std::move(value), origin};
            return true;
        },
        key.place);
    if (done) return {};
    const std::string reason = key.reason.empty() ? "" : ": " + std::string(key.reason);
    const std::string wrong =
        key.words.size() == 1 ? "\" is refused, only \"" + std::string(key.words[0]) + "\" counts"
                              : "\" is not " + words_for(key);
    return std::unexpected("\"" + text::one_line(text) + wrong + reason);
}

std::string complaint_about(const ListKey& key, std::string_view text) {
    const std::string quoted = "\"" + text::one_line(text) + "\"";
    switch (key.kind) {
        case ListKey::Kind::Path: return text.empty() ? "a path must not be empty" : "";
        case ListKey::Kind::Command: return text.empty() ? "a command must not be empty" : "";
        case ListKey::Kind::Variable:
            return is_variable_name(text) ? "" : quoted + " is no name of a variable";
        case ListKey::Kind::Port:
            if (port_of(text)) return "";
            return quoted + " is no port; those are numbers from 1 to 65535";
        case ListKey::Kind::Wall:
            if (std::ranges::find(holes, text) != holes.end()) return "";
            return quoted + " is no hole that could stay open; those are " + all_of(holes);
    }
    std::unreachable();
}

std::string value_text(const Settings& settings, const Key& key) {
    return std::visit([&](auto place) { return written(key, (settings.*place).value); }, key.place);
}

const Origin& origin_of(const Settings& settings, const Key& key) {
    return std::visit([&](auto place) -> const Origin& { return (settings.*place).origin; },
                      key.place);
}

void take(Settings& to, const Settings& from, const Key& key) {
    std::visit([&](auto place) { to.*place = from.*place; }, key.place);
}

std::optional<uint16_t> port_of(std::string_view text) {
    uint16_t port = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
    const bool is_number = failed == std::errc() && end == text.data() + text.size();
    return is_number && port != 0 ? std::optional(port) : std::nullopt;
}

const char* word(Mode mode) { return modes[static_cast<size_t>(mode)].data(); }

Network network_of(std::string_view text) {
    if (text == "none") return {};
    if (text == "open") return {Network::Kind::Open, {}};
    Network network{Network::Kind::Hosts, {}};
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        if (end > at) network.hosts.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return network;
}

std::string to_text(const Network& network) {
    switch (network.kind) {
        case Network::Kind::None: return "none";
        case Network::Kind::Open: return "open";
        case Network::Kind::Hosts: return text::join(network.hosts, ",");
    }
    std::unreachable();
}

}  // namespace husk::config
