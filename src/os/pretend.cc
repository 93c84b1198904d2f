#include "os/pretend.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace husk::os {
namespace {

struct Switch {
    std::string_view name;
    bool Pretended::* member;
};

constexpr Switch switches[] = {
    {"seccomp", &Pretended::seccomp},          {"userns", &Pretended::user_namespaces},
    {"mountns", &Pretended::mount_namespaces}, {"pidns", &Pretended::pid_namespaces},
    {"netns", &Pretended::network_namespaces}, {"overlay", &Pretended::overlay},
    {"listener", &Pretended::listener},
};

bool take(Pretended& result, std::string_view name, std::string_view value) {
    if (name == "landlock" && value == "no") return result.landlock = 0, true;
    if (name == "landlock") {
        const char* begin = std::to_address(value.begin());
        const char* end = std::to_address(value.end());
        const auto read = std::from_chars(begin, end, result.landlock);
        return read.ec == std::errc() && read.ptr == end && result.landlock >= 0;
    }
    if (name == "cgroup") {
        result.cgroup_v1 = value == "v1";
        result.cgroup_v2 = value == "v2";
        return value == "none" || value == "v1" || value == "v2";
    }
    if (name == "fail") return result.failing_step = value, !value.empty();
    const auto* found = std::ranges::find(switches, name, &Switch::name);
    if (found == std::end(switches) || value != "no") return false;
    result.*found->member = false;
    return true;
}

Pretended read_variable() {
    Pretended result;
    const char* variable = std::getenv("HUSK_PRETEND");  // NOLINT(concurrency-mt-unsafe)
    std::string_view rest = variable != nullptr ? variable : "";
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(','), rest.size());
        const std::string_view word = rest.substr(0, end);
        const size_t equals = std::min(word.find('='), word.size());
        const std::string_view value =
            equals < word.size() ? word.substr(equals + 1) : std::string_view();
        if (!take(result, word.substr(0, equals), value)) result.understood = false;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return result;
}

}  // namespace

const Pretended& pretended() {
    static const Pretended result = read_variable();
    return result;
}

}  // namespace husk::os
