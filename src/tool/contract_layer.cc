#include "tool/contract_layer.h"

#include <algorithm>

#include "base/result.h"
#include "contract/contract.h"
#include "decide/check.h"
#include "request/docware_section.h"
#include "request/environment.h"
#include "request/settings_file.h"

namespace husk::tool {
namespace {

using config::Origin;
using contract::Contract;

const Contract* contract_in(const config::Settings& settings, Contracts which) {
    if (which == Contracts::Named && !settings.contract.is_given()) return nullptr;
    return contract::find_contract(settings.contract.value);
}

Origin origin_of(const Contract& contract) {
    return {Origin::Kind::Contract, std::string(contract.name), 0};
}

// Its calls have these where nobody says otherwise, and may not ask for more.
void add_docware(config::Settings& settings, const Origin& origin) {
    const contract::DocwareSettings own;
    settings.timeout = {own.default_timeout, origin};
    settings.output = {own.max_output_size, origin};
    settings.memory = {own.max_memory, origin};
    settings.processes = {own.max_processes, origin};
    settings.open_files = {own.max_file_descriptors, origin};
    settings.disk = {own.max_disk_write, origin};
    settings.max_cpu_usage = {own.max_cpu_usage, origin};
}

void add_timeouts(config::Settings& settings, const contract::Timeouts& timeouts,
                  const Origin& origin) {
    if (timeouts.usual) settings.timeout = {timeouts.usual, origin};
    if (timeouts.longest) settings.longest_timeout = {timeouts.longest, origin};
}

// Bytes kept of each stream, where that is not the usual amount. The disk is reserved when a call
// starts, so a contract that shows little keeps little. A log that is cut keeps half of this from
// its start, and that must be as much as an answer shows.
config::Amount kept_output(const Contract& contract) {
    constexpr uint64_t mebibyte = 1 << 20;
    // The file that an answer of yoi names has all of the output, up to this.
    if (&contract == &contract::yoi_contract) return 128 * mebibyte;
    // Both show the first MiB.
    if (&contract == &contract::codegen_contract || &contract == &contract::agentrail_contract)
        return 4 * mebibyte;
    if (&contract == &contract::docware_contract)
        return 2 * contract::DocwareSettings().max_output_size;
    return std::nullopt;
}

config::Settings layer_of(const Contract& contract, const config::Settings& chosen) {
    const contract::Defaults& defaults = contract.defaults;
    const bool in_container = chosen.place.value == "container";
    const Origin origin = origin_of(contract);
    config::Settings settings;
    settings.mode = {defaults.mode, origin};
    settings.variables.clear();
    if (defaults.environment == contract::Environment::Scrubbed)
        for (auto& [name, value] : agent_environment()) settings.variables[name] = {value, origin};
    const auto packs = in_container ? defaults.packs_in_container : defaults.packs;
    for (const decide::Pack* pack : decide::all_packs())
        settings.rules.packs[std::string(pack->name)] =
            std::ranges::find(packs, pack->name) != packs.end();
    settings.packs_origin = origin;
    // A container makes these names itself, so that it can hold them: deployment.cc.
    if (!in_container && chosen.memo.value != "writable")
        for (const std::string_view name : defaults.read_only)
            settings.protect.push_back({std::string(name), origin});
    add_timeouts(settings, defaults.timeouts, origin);
    if (&contract == &contract::docware_contract) add_docware(settings, origin);
    if (const config::Amount kept = kept_output(contract)) settings.kept_output = {kept, origin};
    return settings;
}

Complaint refused_timeout(const config::Settings& flags, const Contract& contract) {
    return {{to_text(flags.timeout.origin), 0},
            "wall has no effect in the contract " + std::string(contract.name) +
                ", whose timeouts are part of the contract; leave it out, and let each call choose "
                "its time by the arguments of the tool"};
}

}  // namespace

std::expected<Configuration, std::vector<Complaint>> read_with_contract(
    const std::string& named, const config::Settings& flags, Contracts which) {
    const auto below = [which](const config::Settings& chosen) {
        const Contract* contract = contract_in(chosen, which);
        if (contract == nullptr) return Below{};
        return Below{layer_of(*contract, chosen), std::string(contract->defaults.agents_file)};
    };
    const auto specialize = [which](config::Settings& file, const config::Settings& chosen) {
        return contract_in(chosen, which) == &contract::docware_contract
                   ? config::apply_docware_section(file)
                   : std::expected<void, std::vector<Complaint>>();
    };
    auto configuration =
        TRY(read_configuration(named, flags, {.below = below, .specialize = specialize}));
    const Contract* contract = contract_in(configuration.settings, which);
    const bool fixed = contract != nullptr &&
                       contract->defaults.timeouts.whose == contract::Timeouts::Whose::Contracts;
    if (fixed && flags.timeout.origin.kind == Origin::Kind::Flag)
        return std::unexpected(std::vector{refused_timeout(flags, *contract)});
    if (fixed)
        add_timeouts(configuration.settings, contract->defaults.timeouts, origin_of(*contract));
    if (contract == &contract::docware_contract)
        config::complete_docware_section(configuration.settings);
    return configuration;
}

std::expected<config::Settings, std::vector<Complaint>> read_file_beside(
    std::string_view text, const std::filesystem::path& file) {
    const std::string name = file.filename();
    const bool is_agents = std::ranges::any_of(contract::all_contracts(), [&](const Contract* one) {
        return !one->defaults.agents_file.empty() && one->defaults.agents_file == name;
    });
    return is_agents ? config::read_agents_file(text, file) : config::read_settings(text, file);
}

}  // namespace husk::tool
