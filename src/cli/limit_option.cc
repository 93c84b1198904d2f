#include "cli/limit_option.h"

#include <array>
#include <string_view>

#include "base/units.h"

namespace husk::cli {
namespace {

using std::chrono::milliseconds;
using Duration = std::optional<milliseconds>;
using Amount = std::optional<uint64_t>;

enum class Unit { Time, Size, Count };

struct Name {
    std::string_view name;
    Unit unit;
    std::string_view example;
    Duration* (*time)(Request&);  // where a time goes,
    Amount* (*amount)(Request&);  // or anything else
    bool zero_is_none;            // else none is no value at all
};

constexpr std::array names = {
    Name{"cpu", Unit::Time, "cpu=10s", [](Request& to) { return &to.limits.cpu; }, nullptr, true},
    Name{"memory", Unit::Size, "memory=2G", nullptr, [](Request& to) { return &to.limits.memory; },
         true},
    Name{"processes", Unit::Count, "processes=100", nullptr,
         [](Request& to) { return &to.limits.processes; }, true},
    Name{"files", Unit::Count, "files=1024", nullptr,
         [](Request& to) { return &to.limits.open_files; }, true},
    Name{"file_size", Unit::Size, "file_size=1G", nullptr,
         [](Request& to) { return &to.limits.file_size; }, true},
    Name{"disk", Unit::Size, "disk=5G", nullptr, [](Request& to) { return &to.limits.disk; }, true},
    Name{"output", Unit::Size, "output=10M", nullptr, [](Request& to) { return &to.output_limit; },
         false},
    Name{"idle", Unit::Time, "idle=30s", [](Request& to) { return &to.idle_timeout; }, nullptr,
         false},
    Name{"wall", Unit::Time, "wall=5m", [](Request& to) { return &to.timeout; }, nullptr, false},
};

std::string all_names() {
    std::string all;
    for (const Name& each : names) all += (all.empty() ? "" : ", ") + std::string(each.name);
    return all;
}

const char* words_of(Unit unit) {
    switch (unit) {
        case Unit::Time: return "a time such as 500ms, 30s, 5m or 1h";
        case Unit::Size: return "a size such as 256K, 64M or 2G";
        case Unit::Count: return "a number";
    }
    return "";
}

template <class T>
void lift(std::optional<T>& value, bool zero_is_none) {
    value = zero_is_none ? std::optional(T{}) : std::nullopt;
}

// Whether the value was one. Zero is none: it would end every command, or mean no limit at all.
template <class T>
bool take(std::optional<T>& into, const std::optional<T>& value) {
    if (!value || *value == T{}) return false;
    into = value;
    return true;
}

bool set(Request& request, const Name& name, std::string_view value) {
    const bool none = value == "none";
    if (name.unit == Unit::Time) {
        Duration& time = *name.time(request);
        if (!none) return take(time, text::parse_duration(value));
        lift(time, name.zero_is_none);
        return true;
    }
    Amount& amount = *name.amount(request);
    if (!none)
        return take(amount,
                    name.unit == Unit::Size ? text::parse_size(value) : text::parse_number(value));
    lift(amount, name.zero_is_none);
    return true;
}

}  // namespace

Result<void> set_limit(Request& request, const std::string& text) {
    const size_t equals = text.find('=');
    const std::string_view wanted = std::string_view(text).substr(0, equals);
    const std::string quoted = "\"" + text + "\"";
    for (const Name& name : names) {
        if (name.name != wanted) continue;
        if (equals == std::string::npos)
            return failure("--limit", 0,
                           quoted + " has no value; write " + std::string(name.example));
        if (set(request, name, std::string_view(text).substr(equals + 1))) return {};
        return failure("--limit", 0,
                       quoted + ": the value is not " + words_of(name.unit) +
                           ", more than 0, or none; for example " + std::string(name.example));
    }
    return failure(
        "--limit", 0,
        quoted + " names no limit; there are " + all_names() + "; for example memory=2G");
}

CLI::Option* add_limit_option(CLI::App& app, Request& request) {
    return app
        .add_option_function<std::vector<std::string>>(
            "--limit",
            [&request](const std::vector<std::string>& all) {
                for (const std::string& each : all) {
                    const auto done = set_limit(request, each);
                    if (!done) throw CLI::ValidationError(done.error().step, done.error().detail);
                }
            },
            "NAME=VALUE, may be repeated: " + all_names() + "; for example memory=2G, cpu=none")
        ->allow_extra_args(false);
}

}  // namespace husk::cli
