#include "contract/ask_for.h"

#include <algorithm>

#include "base/terminal_text.h"
#include "base/text.h"
#include "base/utf8.h"
#include "contract/modes.h"
#include "request/network_hosts.h"

namespace husk::contract {
namespace {

using schema::Field;
using schema::Type;
using Wrong = std::unexpected<std::string>;

constexpr size_t most_entries = 16;
constexpr size_t longest_path = 1024;
constexpr size_t longest_reason = 400;
constexpr size_t longest_question = 4000;
constexpr std::string_view of_hosts =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_*:[]";

// The entries that `given` does not have. Paths have to be such that a person reads them as the
// kernel does.
std::expected<std::vector<std::string>, std::string> new_paths(
    const std::vector<std::string>& asked, const std::vector<std::filesystem::path>& given,
    const std::string& field) {
    std::vector<std::string> fresh;
    if (asked.size() > most_entries)
        return Wrong("`ask_for." + field + "` has more than " + std::to_string(most_entries) +
                     " entries; nobody can judge so many at once");
    for (const std::string& path : asked) {
        const std::filesystem::path clean = std::filesystem::path(path).lexically_normal();
        const bool is_plain = text::inert(path) == path && !path.contains('\n') &&
                              !path.contains('\t') && path.size() <= longest_path;
        if (!path.starts_with('/') || !is_plain)
            return Wrong("`ask_for." + field + "` has absolute paths without control characters");
        if (std::ranges::find(given, clean) == given.end()) fresh.push_back(clean.string());
    }
    return fresh;
}

std::expected<std::optional<Network>, std::string> wider_network(const std::string& text,
                                                                 const Network& given) {
    if (text.empty()) return std::nullopt;
    Network network = network_named(text);
    if (network.kind == Network::Kind::None)
        return Wrong("`ask_for.network` is \"open\", or hosts with commas between them");
    for (const std::string& host : network.hosts)
        if (host.find_first_not_of(of_hosts) != std::string::npos)
            return Wrong("`ask_for.network`: \"" + text::inert(host) + "\" is not a host");
    if (network.hosts.size() > most_entries)
        return Wrong("`ask_for.network` has more than " + std::to_string(most_entries) +
                     " hosts; nobody can judge so many at once");
    std::erase_if(network.hosts, [&](const std::string& host) {
        return std::ranges::any_of(
            given.hosts, [&](const std::string& one) { return config::covers(one, host); });
    });
    const bool opens = network.kind == Network::Kind::Open || !network.hosts.empty();
    if (!opens || given.kind == Network::Kind::Open) return std::nullopt;
    return network;
}

std::string shown_reason(const std::string& reason) {
    std::string shown = text::one_line(text::inert(reason));
    if (shown.size() > longest_reason)
        shown = std::string(text::whole_prefix(shown, longest_reason)) + "…";
    return shown;
}

std::vector<std::string> lines_of(const AskFor& asked) {
    std::vector<std::string> lines;
    if (asked.mode == Mode::Open)
        lines.emplace_back("mode open: no walls, all rights of the user");
    else if (asked.mode)
        lines.emplace_back("mode workspace: write in the workspace");
    if (asked.network && asked.network->kind == Network::Kind::Open)
        lines.emplace_back("network open: reach every address");
    if (asked.network)
        for (const std::string& host : asked.network->hosts)
            lines.push_back("network: reach " + host);
    for (const std::string& path : asked.write) lines.push_back("write: " + path);
    for (const std::string& path : asked.sockets) lines.push_back("socket: connect to " + path);
    return lines;
}

std::string yaml_list(const std::string& key, const std::vector<std::string>& entries) {
    std::string text = key + ":\n";
    for (const std::string& entry : entries) text += "  - " + Json(entry).dump() + "\n";
    return entries.empty() ? "" : text;
}

}  // namespace

Field ask_for_field(bool shown) {
    return {
        .name = "ask_for",
        .type = Type::Object,
        .description =
            "Asks the user for more access than the walls allow, for this call "
            "alone. Give only what the command needs.",
        .shown = shown,
        .fields = {
            {.name = "mode",
             .description = "open: outside of the walls.",
             .choices = {"workspace", "open"}},
            {.name = "network", .description = "Hosts, with commas between, or open."},
            {.name = "write", .type = Type::TextList, .description = "Directories to write in."},
            {.name = "sockets",
             .type = Type::TextList,
             .description = "Unix sockets to connect to."},
            {.name = "reason", .description = "Why, for the user.", .required = true}}};
}

std::expected<std::optional<AskFor>, std::string> decode_ask_for(const Json& arguments,
                                                                 const Situation& situation) {
    const auto found = arguments.find("ask_for");
    if (found == arguments.end()) return std::nullopt;
    if (situation.place == Situation::Place::Container)
        return Wrong("`ask_for` is not possible in a container: tell the user what you need");
    for (const char* other : {"mode", "network", "session"})
        if (arguments.contains(other))
            return Wrong("give either `ask_for` or `" + std::string(other) +
                         "`: a call that asks for more has a session and walls of its own");
    AskFor asked{.reason = schema::text_of(*found, "reason")};
    const auto mode = mode_named(schema::text_of(*found, "mode"));
    if (mode && *mode > situation.mode) asked.mode = mode;
    const Mode then = asked.mode.value_or(situation.mode);
    if (then == Mode::Open) return asked.mode ? std::optional(asked) : std::nullopt;
    auto network = wider_network(schema::text_of(*found, "network"), situation.network);
    if (!network) return Wrong(network.error());
    asked.network = *std::move(network);
    auto write = new_paths(schema::texts_of(*found, "write"), situation.writable, "write");
    if (!write) return Wrong(write.error());
    asked.write = *std::move(write);
    auto sockets = new_paths(schema::texts_of(*found, "sockets"), {}, "sockets");
    if (!sockets) return Wrong(sockets.error());
    asked.sockets = *std::move(sockets);
    if (then == Mode::ReadOnly && (asked.network || !asked.write.empty()))
        return Wrong("in mode read-only `ask_for` needs `mode`: \"workspace\" as well");
    if (lines_of(asked).empty()) return std::nullopt;
    if (question_text(asked).size() > longest_question)
        return Wrong("`ask_for` asks for more than a person can judge at once");
    return asked;
}

std::string question_text(const AskFor& asked) {
    return "the call asks for more than the walls allow, for this call alone:\n  " +
           text::join(lines_of(asked), "\n  ") + "\nThe model's words: \"" +
           shown_reason(asked.reason) + "\"";
}

std::string settings_text(const AskFor& asked) {
    if (asked.mode) return "";
    std::string text;
    if (asked.network && asked.network->kind == Network::Kind::Open) text += "network: open\n";
    if (asked.network) text += yaml_list("network", asked.network->hosts);
    return text + yaml_list("write", asked.write) + yaml_list("sockets", asked.sockets);
}

void widen(const AskFor& asked, ToolContext& walls) {
    if (asked.mode) walls.mode = *asked.mode;
    if (asked.network) {
        Network network = *asked.network;
        if (network.kind == Network::Kind::Hosts)
            network.hosts.insert(network.hosts.begin(), walls.network.hosts.begin(),
                                 walls.network.hosts.end());
        walls.network = std::move(network);
    }
    if (walls.mode == Mode::Open) walls.network = {};
    walls.writable.insert(walls.writable.end(), asked.write.begin(), asked.write.end());
    walls.sockets.insert(walls.sockets.end(), asked.sockets.begin(), asked.sockets.end());
}

}  // namespace husk::contract
