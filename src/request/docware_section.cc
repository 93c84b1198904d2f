#include "request/docware_section.h"

#include <tuple>

namespace husk::config {
namespace {

// A setting of the section, and the general one.
constexpr auto pairs = std::tuple{
    std::pair{&Settings::docware_timeout, &Settings::timeout},
    std::pair{&Settings::docware_output, &Settings::output},
    std::pair{&Settings::docware_memory, &Settings::memory},
    std::pair{&Settings::docware_processes, &Settings::processes},
    std::pair{&Settings::docware_open_files, &Settings::open_files},
    std::pair{&Settings::docware_directory, &Settings::working_directory},
};

template <class Action>
void for_each_pair(const Action& action) {
    std::apply([&](const auto&... pair) { (action(pair.first, pair.second), ...); }, pairs);
}

}  // namespace

std::expected<void, std::vector<Complaint>> apply_docware_section(Settings& file) {
    for_each_pair([&](auto own, auto general) {
        if ((file.*own).is_given()) file.*general = file.*own;
    });
    const Setting<std::string>& sandbox = file.docware_sandbox;
    if (!sandbox.is_given()) return {};
    const bool open = sandbox.value == "off";
    if (file.mode.is_given() && (file.mode.value == Mode::Open) != open)
        return std::unexpected(std::vector<Complaint>{
            {{sandbox.origin.name, sandbox.origin.line},
             "docware.enable_sandbox: " + sandbox.value + " contradicts `mode` in line " +
                 std::to_string(file.mode.origin.line) +
                 ": the mode open has no sandbox, and the others have one; delete one of them"}});
    if (open) file.mode = {Mode::Open, sandbox.origin};
    return {};
}

void complete_docware_section(Settings& settings) {
    for_each_pair([&](auto own, auto general) { settings.*own = settings.*general; });
    settings.docware_sandbox = {settings.mode.value == Mode::Open ? "off" : "on",
                                settings.mode.origin};
}

}  // namespace husk::config
