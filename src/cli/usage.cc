#include "cli/usage.h"

#include <unistd.h>

#include <map>
#include <vector>

#include "base/text.h"
#include "cli/terminal.h"

namespace husk::cli {
namespace {

// The subcommand that the words are about.
const CLI::App& innermost(const CLI::App& app) {
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty()) at = at->get_subcommands()[0];
    return *at;
}

std::string full_name(const CLI::App& app) {
    const CLI::App* parent = app.get_parent();
    return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

std::string with_advice(const std::string& wrong, const std::string& word,
                        const std::vector<std::string>& names, const CLI::App& app) {
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string meant = text::closest(word, candidates);
    return wrong + (meant.empty() ? "; see " + full_name(app) + " --help"
                                  : "; did you mean " + meant + "?");
}

std::vector<std::string> subcommands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(sub->get_name());
    return names;
}

std::string no_such_subcommand(const CLI::App& app, const std::string& word) {
    return with_advice("there is no subcommand " + word, word, subcommands_of(app), app);
}

// "--timeout: 1 required TEXT missing", as the parser has it.
std::string without_value(const std::string& what) {
    const size_t colon = what.find(':');
    const bool is_that = what.starts_with('-') && what.ends_with(" missing");
    return is_that ? what.substr(0, colon) + " needs a value" : what;
}

class UsageLines : public CLI::Formatter {
public:
    std::string make_usage(const CLI::App* app, std::string name) const override {
        static const std::map<std::string, std::string> taken = {
            {"run", "COMMAND"}, {"check", "COMMAND"}, {"place", "COMMAND"}, {"call", "TOOL JSON"}};
        std::string line = Formatter::make_usage(app, std::move(name));
        const auto found = taken.find(app->get_name());
        const size_t end = line.find_last_not_of('\n');
        if (found != taken.end() && end != line.npos) line.insert(end + 1, " " + found->second);
        return line;
    }
};

}  // namespace

std::string no_such_option(const CLI::App& app, const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& one : option->get_lnames()) names.push_back("--" + one);
    return with_advice("there is no option " + name, name, names, app);
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App& at = innermost(app);
    const std::vector<std::string> words = at.remaining();
    const bool about_words = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                             (at.get_require_subcommand_min() > 0 && !words.empty());
    if (about_words && !words.empty()) {
        if (words[0].starts_with('-')) return no_such_option(at, words[0]);
        if (!subcommands_of(at).empty()) return no_such_subcommand(at, words[0]);
        return "\"" + words[0] + "\" was not expected; see " + full_name(at) + " --help";
    }
    return without_value(error.what()) + "; see " + full_name(at) + " --help";
}

std::shared_ptr<CLI::FormatterBase> usage_lines() { return std::make_shared<UsageLines>(); }

void add_help(CLI::App& app, int& code) {
    auto about = std::make_shared<std::string>();
    CLI::App* help = app.add_subcommand("help", "Tell about Husk, or about one of these");
    help->add_option("SUBCOMMAND", *about, "What to tell about");
    help->callback([&app, &code, about] {
        const auto named = app.get_subcommands(
            [&about](const CLI::App* sub) { return sub->get_name() == *about; });
        if (about->empty())
            // app.help() would be about the subcommand that is being run: this one.
            write_out(STDOUT_FILENO, app.get_formatter()->make_help(&app, app.get_name(),
                                                                    CLI::AppFormatMode::Normal));
        else if (named.empty())
            code = fail(no_such_subcommand(app, *about));
        else
            write_out(STDOUT_FILENO, named[0]->help(app.get_name()));
    });
    CLI::App* version = app.add_subcommand("version", "Print which version this is");
    version->callback([] { write_out(STDOUT_FILENO, "husk " HUSK_VERSION "\n"); });
}

}  // namespace husk::cli
