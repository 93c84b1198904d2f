#include "request/settings_layers.h"

#include <algorithm>
#include <filesystem>

#include "base/terminal_text.h"
#include "request/network_hosts.h"
#include "request/rule_layers.h"
#include "request/setting_keys.h"

namespace husk::config {
namespace {

bool is_wider(const std::string& one, const std::string& other) { return one != other; }
bool is_wider(Mode one, Mode other) { return one > other; }
template <class T>
bool is_wider(const std::optional<T>& one, const std::optional<T>& other) {
    return other && (!one || *one > *other);
}
bool is_wider(const Network& one, const Network& other) { return one.kind > other.kind; }

static_assert(Mode::ReadOnly < Mode::Workspace && Mode::Workspace < Mode::Open);
static_assert(Network::Kind::None < Network::Kind::Hosts &&
              Network::Kind::Hosts < Network::Kind::Open);

bool allows(const Network& network, const std::string& host) {
    if (network.kind == Network::Kind::Open) return true;
    return std::ranges::any_of(network.hosts,
                               [&](const std::string& wide) { return covers(wide, host); });
}

// What both allow. Hosts that only the second has are left over.
Network common(const Network& most, const Network& asked, std::vector<std::string>& left_over) {
    if (asked.kind != Network::Kind::Hosts) return is_wider(asked, most) ? most : asked;
    Network both{Network::Kind::Hosts, {}};
    for (const std::string& host : asked.hosts)
        (allows(most, host) ? both.hosts : left_over).push_back(host);
    if (both.hosts.empty()) both.kind = Network::Kind::None;
    return both;
}

// Of the workspace itself. A protected name that does not exist is taken away when it comes to be,
// which is no affair of the workspace anywhere else.
bool is_inside(const std::filesystem::path& path) {
    return path.is_relative() && !path.string().starts_with('~') &&
           std::ranges::find(path, "..") == path.end();
}

// The file of a workspace on top of the settings of the user.
class Narrowing {
public:
    Narrowing(Settings users, const Settings& workspace)
        : result_{std::move(users), {}}, workspace_(workspace) {}

    Narrowed take() && {
        // First, because an open mode that is closed here gives way to a network of hosts.
        narrow_network();
        for (const Key& key : keys()) narrow(key);
        narrow_lists();
        for (const auto& [name, variable] : workspace_.variables)
            if (variable.is_given()) ignore(variable.origin, "environment: " + name);
        husk::Narrowed rules = husk::narrowed(workspace_.rules);
        result_.settings.rules = together(std::move(result_.settings.rules), rules.rules);
        for (Complaint& ignored : rules.ignored) result_.ignored.push_back(std::move(ignored));
        std::ranges::stable_sort(result_.ignored, {},
                                 [](const Complaint& one) { return one.where.line; });
        return std::move(result_);
    }

private:
    void ignore(const Origin& origin, const std::string& what) {
        result_.ignored.push_back({{origin.name, origin.line}, text::one_line(what)});
    }

    void narrow_network() {
        const Setting<Network>& asked = workspace_.network;
        if (!asked.is_given()) return;
        const Network most = reachable(result_.settings);
        std::vector<std::string> left_over;
        const Network both = common(most, asked.value, left_over);
        for (const std::string& host : left_over) ignore(asked.origin, "network: " + host);
        if (is_wider(asked.value, most) && left_over.empty())
            ignore(asked.origin, "network: " + to_text(asked.value));
        else if (most.kind != Network::Kind::None || left_over.empty())
            result_.settings.network = {both, asked.origin};
    }

    void narrow(const Key& key) {
        const Origin& origin = origin_of(workspace_, key);
        if (origin.kind == Origin::Kind::BuiltIn || key.unit == Unit::Network) return;
        const bool wider = std::visit(
            [&](auto place) {
                return is_wider((workspace_.*place).value, (result_.settings.*place).value);
            },
            key.place);
        if (key.workspace == Workspace::Narrows && !wider)
            config::take(result_.settings, workspace_, key);
        else
            ignore(origin, full_name(key.section, key.name) + ": " + value_text(workspace_, key));
    }

    void narrow_lists() {
        Settings& users = result_.settings;
        for (const auto& path : workspace_.protect) {
            if (is_inside(path.value))
                users.protect.push_back(path);
            else
                ignore(path.origin, "protect: " + path.value);
        }
        // Of roots that may be written, those that both name. A directory below one of them
        // could be a link to anywhere.
        const auto is_named = [](const Texts& list, const std::string& text) {
            return std::ranges::find(list, text, &Setting<std::string>::value) != list.end();
        };
        for (const auto& root : workspace_.write)
            if (!is_named(users.write, root.value)) ignore(root.origin, "write: " + root.value);
        if (!workspace_.write.empty())
            std::erase_if(users.write, [&](const Setting<std::string>& root) {
                return !is_named(workspace_.write, root.value);
            });
        for (const ListKey& key : list_keys())
            if (key.name != "write" && key.name != "protect")
                for (const auto& item : workspace_.*key.place)
                    ignore(item.origin, full_name(key.section, key.name) + ": " + item.value);
    }

    Narrowed result_;
    const Settings& workspace_;
};

// One call on top of the settings.
class Call {
public:
    explicit Call(Settings settings) : settings_(std::move(settings)) {}

    void ask_for_mode(Mode mode) {
        const Setting<Mode>& most = settings_.mode;
        if (is_wider(mode, most.value))
            refuse(std::string("the mode \"") + word(mode) + "\" is wider than \"" +
                       word(most.value) + "\"",
                   most.origin);
        else
            settings_.mode = {mode, call};
    }

    void ask_for_network(const Network& asked, const Network& most) {
        std::vector<std::string> left_over;
        const Network both = common(most, asked, left_over);
        if (!left_over.empty())
            refuse("the host \"" + text::one_line(left_over[0]) +
                       "\" is not among those that may be reached (" + to_text(most) + ")",
                   settings_.network.origin);
        else if (is_wider(asked, most))
            refuse("the network \"" + to_text(asked) + "\" is wider than \"" + to_text(most) + "\"",
                   settings_.network.origin);
        else
            settings_.network = {both, call};
    }

    // 0 is no limit at all.
    template <class T>
    void ask_for(const std::optional<T>& asked, Setting<std::optional<T>> Settings::* place,
                 const char* section, const char* name) {
        if (!asked) return;
        const std::optional<T> value = *asked == T{} ? std::nullopt : asked;
        ask_for_less(value, (settings_.*place), settings_.*place, section, name);
    }

    void ask_for_timeout(const std::optional<std::chrono::milliseconds>& asked) {
        if (!asked) return;
        const Time value = asked->count() == 0 ? std::nullopt : asked;
        ask_for_less(value, settings_.longest_timeout, settings_.timeout, "timeouts", "maximum");
    }

    std::expected<Settings, std::string> take() && {
        if (!refusal_.empty()) return std::unexpected(std::move(refusal_));
        return std::move(settings_);
    }

private:
    static inline const Origin call = {Origin::Kind::Call, {}, 0};

    template <class T>
    void ask_for_less(const std::optional<T>& value, const Setting<std::optional<T>>& most,
                      Setting<std::optional<T>>& into, const char* section, const char* name) {
        if (is_wider(value, most.value))
            refuse("more is asked for than " + full_name(section, name) + ": " +
                       value_text(settings_, *find_key(section, name)),
                   most.origin);
        else
            into = {value, call};
    }

    void refuse(const std::string& why, const Origin& origin) {
        if (refusal_.empty())
            refusal_ =
                why + ", which is " +
                (origin.kind == Origin::Kind::BuiltIn ? "built in" : "set by " + to_text(origin)) +
                "; only the user can change that, in husk.yaml";
    }

    Settings settings_;
    std::string refusal_;
};

}  // namespace

Settings layered(Settings under, const Settings& over) {
    for (const Key& key : keys())
        if (origin_of(over, key).kind != Origin::Kind::BuiltIn) take(under, over, key);
    for (const ListKey& key : list_keys()) {
        Texts& list = under.*key.place;
        list.insert(list.end(), (over.*key.place).begin(), (over.*key.place).end());
    }
    for (const auto& [name, variable] : over.variables)
        if (variable.is_given()) under.variables[name] = variable;
    under.rules = on_top(std::move(under.rules), over.rules);
    return under;
}

Narrowed narrowed_by(Settings users, const Settings& workspace) {
    return Narrowing(std::move(users), workspace).take();
}

std::expected<Settings, std::string> narrowed(const Settings& settings, const Asked& asked) {
    Call call(settings);
    // Of the settings as they were: a mode that the call closes has not closed the network.
    if (asked.network) call.ask_for_network(*asked.network, reachable(settings));
    if (asked.mode) call.ask_for_mode(*asked.mode);
    // Which has none, whatever the others have.
    if (asked.mode == Mode::ReadOnly && !asked.network) call.ask_for_network({}, {});
    call.ask_for(asked.limits.cpu, &Settings::cpu, "limits", "cpu");
    call.ask_for(asked.limits.memory, &Settings::memory, "limits", "memory");
    call.ask_for(asked.limits.processes, &Settings::processes, "limits", "processes");
    call.ask_for(asked.limits.open_files, &Settings::open_files, "limits", "open_files");
    call.ask_for(asked.limits.file_size, &Settings::file_size, "limits", "file_size");
    call.ask_for(asked.limits.disk, &Settings::disk, "limits", "disk");
    call.ask_for(asked.output, &Settings::output, "limits", "output");
    call.ask_for(asked.idle, &Settings::idle, "limits", "idle");
    call.ask_for_timeout(asked.timeout);
    return std::move(call).take();
}

std::string network_refusal(const Settings& settings) {
    const Setting<Network>& network = settings.network;
    const Setting<Mode>& mode = settings.mode;
    if (!network.is_given()) return "";
    if (settings.place.value == "container" && mode.value == Mode::Open) return "";
    const std::string why = cannot_be_kept(network.value, mode.value);
    if (why.empty()) return "";
    return to_text(network.value) + " is asked for (" + to_text(network.origin) +
           ") and the mode is " + word(mode.value) + " (" + to_text(mode.origin) + "): " + why;
}

Network reachable(const Settings& settings) {
    if (settings.mode.value == Mode::Open && !settings.network.is_given())
        return {Network::Kind::Open, {}};
    return settings.network.value;
}

}  // namespace husk::config
