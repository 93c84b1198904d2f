#include <unistd.h>

#include "base/terminal_text.h"
#include "cli/consent.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "render/report_json.h"
#include "render/table.h"
#include "request/settings_layers.h"
#include "run/state_dir.h"
#include "tool/contract_layer.h"
#include "tool/trust.h"

namespace husk::cli {
namespace {

using Json = nlohmann::ordered_json;

enum class Wish { Trust, List, Revoke };

struct TrustOptions {
    Settings settings;
    std::string file = "husk.yaml";
    Wish wish = Wish::Trust;
    bool json = false;

    std::filesystem::path state() const {
        return settings.state.empty() ? run::default_state_path() : settings.state;
    }
};

// What the user is about to let count, and where it can be read.
void tell_what_counts(const config::Settings& here) {
    const config::Narrowed narrowed = config::narrowed_by({}, here);
    if (!narrowed.ignored.empty()) write_out(STDOUT_FILENO, "this counts from now on:\n");
    for (const Complaint& entry : narrowed.ignored)
        write_out(STDOUT_FILENO,
                  "  " + text::one_line(to_text(entry.where) + ": " + entry.message) + "\n");
}

int trust(const TrustOptions& options) {
    std::error_code failed;
    const std::filesystem::path whole = std::filesystem::absolute(options.file, failed);
    if (!std::filesystem::exists(whole, failed))
        return fail("there is no " + whole.string() +
                    "; husk trust is for the husk.yaml or agentrail.yaml of a workspace, and takes "
                    "its path");
    const auto content = tool::read_rules_text(options.file);
    if (!content) return fail(content.error());
    const auto here = tool::read_file_beside(*content, options.file);
    if (!here) return fail(here.error());
    if (const auto rules = tool::usable_rules(here->rules); !rules) return fail(rules.error());
    if (const auto done = tool::trust(options.state(), options.file, *content); !done)
        return fail(done.error());
    tell_what_counts(*here);
    write_out(STDOUT_FILENO, text::one_line(options.file) +
                                 " is trusted as it is now; any change of it ends that\n");
    return 0;
}

int list(const TrustOptions& options) {
    const auto all = tool::list_trusted(options.state());
    if (!all) return fail(all.error());
    Json rows = Json::array();
    std::vector<render::Row> table = {{"FILE", "NOW", "SHA-256"}};
    for (const tool::Trusted& one : *all) {
        const auto content = tool::read_rules_text(one.file);
        const bool same = content && tool::is_trusted(options.state(), one.file, *content);
        const char* now = same ? "trusted" : content ? "changed, not trusted" : "not there";
        table.push_back({one.file.string(), now, one.digest});
        rows.push_back({{"file", one.file.string()}, {"now", now}, {"sha256", one.digest}});
    }
    write_out(STDOUT_FILENO, options.json ? render::dump({{"trusted", rows}}) + "\n"
                                          : render::table(table, terminal_width()));
    return 0;
}

int revoke(const TrustOptions& options) {
    const auto revoked = tool::revoke(options.state(), options.file);
    if (!revoked) return fail(revoked.error());
    if (!*revoked) return fail(options.file + " was not trusted");
    write_out(STDOUT_FILENO, text::one_line(options.file) + " is no longer trusted\n");
    return 0;
}

int run(const TrustOptions& options) {
    switch (options.wish) {
        case Wish::Trust: return trust(options);
        case Wish::List: return list(options);
        case Wish::Revoke: return revoke(options);
    }
    std::unreachable();
}

}  // namespace

void add_trust(CLI::App& app, int& code) {
    auto options = std::make_shared<TrustOptions>();
    CLI::App* sub = app.add_subcommand(
        "trust",
        "Let the husk.yaml or agentrail.yaml of a workspace count as your own, until it changes");
    sub->add_option("FILE", options->file, "The file (default: husk.yaml here)");
    CLI::Option* list = sub->add_flag_callback(
        "--list", [options] { options->wish = Wish::List; }, "Print what is trusted");
    sub->add_flag_callback(
           "--revoke", [options] { options->wish = Wish::Revoke; }, "Trust the file no longer")
        ->excludes(list);
    sub->add_flag("--json", options->json, "With --list: print it as JSON")->needs(list);
    add_state(*sub, options->settings);
    sub->callback([options, &code] { code = run(*options); });
}

}  // namespace husk::cli
