// `husk place`: not for people. Stands on this host for a command that runs in a container.
#include <cstdlib>
#include <memory>

#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "place/carrier.h"

namespace husk::cli {
namespace {

int carry(place::Errand errand, const std::vector<std::string>& names) {
    // Only the names are arguments, which everybody can read.
    for (const std::string& name : names)
        if (const char* value = std::getenv(name.c_str()))  // NOLINT(concurrency-mt-unsafe)
            errand.env.push_back(name + "=" + value);
    if (errand.command.empty()) return fail("husk place needs a command");
    return place::carry(errand);
}

}  // namespace

void add_place(CLI::App& app, const std::vector<std::string>& words, int& code) {
    auto errand = std::make_shared<place::Errand>();
    auto names = std::make_shared<std::vector<std::string>>();
    CLI::App* sub = app.add_subcommand("place", "Stands for a command that runs in a container");
    sub->group("");  // hidden
    sub->add_option("--socket", errand->container.socket, "Of the engine")->required();
    sub->add_option("--container", errand->container.id, "Its name or id")->required();
    sub->add_option("--directory", errand->directory, "Inside of it")->required();
    sub->add_option("--env", *names, "A variable to hand on")->allow_extra_args(false);
    sub->callback([errand, names, &words, &code] {
        errand->command = words;
        code = carry(std::move(*errand), *names);
    });
}

}  // namespace husk::cli
