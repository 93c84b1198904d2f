#include <unistd.h>

#include <map>

#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "os/kernel.h"
#include "render/report_json.h"
#include "render/table.h"
#include "run/plan.h"
#include "run/state_dir.h"

namespace husk::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    Settings settings;
    bool json = false;
};

std::string availability(const os::Capability& one) {
    if (!one.available) return "no";
    return one.version.empty() ? "yes" : "yes, " + one.version;
}

std::string table_of(const os::Kernel& kernel) {
    std::vector<render::Row> rows = {
        {"MECHANISM", "AVAILABLE", "NEEDED FOR", "WITHOUT IT", "HOW TO GET IT"}};
    for (const os::Capability& one : kernel.capabilities) {
        const std::string how = one.available ? "" : one.remedy + " (" + one.why_not + ")";
        rows.push_back({one.mechanism, availability(one), one.needed_for, one.without, how});
    }
    return render::table(rows, 0);  // advice that is cut is no advice
}

Json json_of(const os::Kernel& kernel) {
    Json mechanisms = Json::array();
    for (const os::Capability& one : kernel.capabilities) {
        mechanisms.push_back({{"mechanism", one.mechanism},
                              {"available", one.available},
                              {"version", one.version.empty() ? Json(nullptr) : Json(one.version)},
                              {"required", one.required},
                              {"needed_for", one.needed_for},
                              {"without", one.without},
                              {"remedy", one.remedy},
                              {"why_not", one.available ? Json(nullptr) : Json(one.why_not)}});
    }
    const bool works = kernel.missing().empty();
    return {{"engine", works}, {"modes", kernel.modes()}, {"mechanisms", std::move(mechanisms)}};
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

int doctor(const Options& options) {
    const std::filesystem::path& chosen = options.settings.state;
    const os::Kernel kernel =
        os::Kernel::probe({.state = chosen.empty() ? run::default_state_path() : chosen,
                           .bash = run::find_bash().value_or("")});
    const std::vector<os::Capability> missing = kernel.missing();
    if (options.json) {
        write_out(STDOUT_FILENO, render::dump(json_of(kernel)) + "\n");
    } else {
        std::string text = table_of(kernel) + "\n";
        if (missing.empty()) text += "The engine works here.\n";
        text += "Modes that can be offered:";
        for (const std::string& mode : kernel.modes()) text += " " + mode;
        text += "\n";
        for (const std::string& wall : kernel.missing_walls())
            text += "No closed modes: there is no " + wall + ".\n";
        write_out(STDOUT_FILENO, text);
    }
    return missing.empty() ? 0 : fail(complaint(missing));
}

}  // namespace

void add_doctor(CLI::App& app, int& code) {
    auto options = std::make_shared<Options>();
    CLI::App* sub = app.add_subcommand("doctor", "What this machine and this user can do");
    sub->add_flag("--json", options->json, "Print it as JSON");
    add_state(*sub, options->settings);
    sub->callback([options, &code] { code = doctor(*options); });
}

}  // namespace husk::cli
