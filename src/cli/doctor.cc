#include <unistd.h>

#include <map>

#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "confine/machine.h"
#include "os/kernel.h"
#include "render/report_json.h"
#include "render/table.h"
#include "render/text_or_null.h"
#include "run/plan.h"
#include "run/state_dir.h"

namespace husk::cli {
namespace {

using Json = nlohmann::ordered_json;

struct DoctorOptions {
    Settings settings;
    bool json = false;
};

std::string table_of(const os::Kernel& kernel) {
    std::vector<render::Row> rows = {{"MECHANISM", "AVAILABLE", "IS FOR, OR CLOSES", "VERSION"}};
    for (const os::Capability& one : kernel.capabilities)
        rows.push_back({one.mechanism, one.available ? "yes" : "no", one.needed_for,
                        one.available ? one.version : ""});
    return render::table(rows, 0);
}

// In lines of their own: advice that is cut is no advice.
std::string advice_of(const os::Kernel& kernel) {
    std::string text;
    for (const os::Capability& one : kernel.capabilities)
        if (!one.available)
            text += "\nNo " + one.mechanism + ": " + one.why_not +
                    ".\n  lost without it: " + one.without + "\n  how to get it: " + one.remedy +
                    "\n";
    return text;
}

confine::Machine machine_of(const os::Kernel& kernel) {
    confine::Machine machine = confine::Machine::assumed();
    if (!kernel.has("Landlock")) machine.landlock = 0;
    machine.seccomp = machine.seccomp && kernel.has("seccomp");
    for (const char* name : {confine::mechanism::mount_namespace, confine::mechanism::pid_namespace,
                             confine::mechanism::network_namespace, confine::mechanism::overlay})
        if (!kernel.has(name)) machine.take_away(name);
    return machine;
}

struct ModeOffer {
    const char* mode;
    confine::Offer offer;
};

// None if the engine does not work here.
std::vector<ModeOffer> offers_of(const os::Kernel& kernel) {
    if (!kernel.missing().empty()) return {};
    const confine::Machine machine = machine_of(kernel);
    const auto of = [&](Mode mode) {
        return confine::offer(machine, mode, Network::Kind::None, {});
    };
    return {{"read-only", of(Mode::ReadOnly)},
            {"workspace", of(Mode::Workspace)},
            {"open", of(Mode::Open)}};
}

Json json_of(const os::Kernel& kernel) {
    Json mechanisms = Json::array();
    for (const os::Capability& one : kernel.capabilities) {
        mechanisms.push_back({{"mechanism", one.mechanism},
                              {"available", one.available},
                              {"version", render::text_or_null(one.version)},
                              {"required", one.required},
                              {"needed_for", one.needed_for},
                              {"without", one.without},
                              {"remedy", one.remedy},
                              {"why_not", one.available ? Json(nullptr) : Json(one.why_not)}});
    }
    Json modes = Json::array();
    Json refused = Json::array();
    for (const auto& [mode, offer] : offers_of(kernel)) {
        if (offer.refusal.empty())
            modes.push_back(mode);
        else
            refused.push_back({{"mode", mode}, {"reason", offer.refusal}, {"accept", offer.holes}});
    }
    return {{"engine", kernel.missing().empty()},
            {"modes", std::move(modes)},
            {"refused", std::move(refused)},
            {"checks", true},
            {"mechanisms", std::move(mechanisms)}};
}

std::string modes_text(const os::Kernel& kernel) {
    std::string offered = "Modes that can be offered:";
    std::string rest;
    for (const auto& [mode, offer] : offers_of(kernel)) {
        const std::string name = mode;
        if (!offer.refusal.empty()) rest += "Not offered: " + name + ": " + offer.refusal + ".\n";
        if (!offer.refusal.empty()) continue;
        offered += " " + name;
        for (const std::string& lacking : offer.missing)
            rest += "Mode " + name + " has to do without: " + lacking + ".\n";
    }
    return offered + "\n" + rest + "Commands are checked in every mode.\n";
}

// On one line, all that has to be done before a command can be run.
std::string complaint(const std::vector<os::Capability>& missing) {
    std::map<std::string, std::string> mechanisms;  // by their common cure
    for (const os::Capability& one : missing) {
        std::string& names = mechanisms[one.why_not + "; " + one.remedy];
        names += (names.empty() ? "" : ", ") + one.mechanism;
    }
    std::string text = "the engine does not work here";
    for (const auto& [cure, names] : mechanisms) text += "; no " + names + ": " + cure;
    return text;
}

int doctor(const DoctorOptions& options) {
    const std::filesystem::path& chosen = options.settings.state;
    const os::Kernel kernel =
        os::Kernel::probe({.state = chosen.empty() ? run::default_state_path() : chosen});
    const std::vector<os::Capability> missing = kernel.missing();
    if (options.json) {
        write_out(STDOUT_FILENO, render::dump(json_of(kernel)) + "\n");
    } else {
        std::string text = table_of(kernel) + advice_of(kernel) + "\n";
        if (missing.empty()) text += "The engine works here.\n";
        write_out(STDOUT_FILENO, text + modes_text(kernel));
    }
    return missing.empty() ? 0 : fail(complaint(missing));
}

}  // namespace

void add_doctor(CLI::App& app, int& code) {
    auto options = std::make_shared<DoctorOptions>();
    CLI::App* sub = app.add_subcommand("doctor", "What this machine and this user can do");
    sub->add_flag("--json", options->json, "Print it as JSON");
    add_state(*sub, options->settings);
    sub->callback([options, &code] { code = doctor(*options); });
}

}  // namespace husk::cli
