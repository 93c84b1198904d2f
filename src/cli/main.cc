#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "cli/usage.h"

int main(int argc, char** argv) {
    using namespace husk::cli;
    // Who was started without standard descriptors must not take a file of ours for one.
    while (true) {
        const int null = ::open("/dev/null", O_RDWR);
        if (null > STDERR_FILENO || null < 0) {
            if (null >= 0) ::close(null);
            break;
        }
    }
    // A reader that goes away is an error of write, told where it happens.
    std::signal(SIGPIPE, SIG_IGN);
    // A command's own words are not looked at: "[ -f x ]" would be taken for a list.
    int count = argc;
    std::vector<std::string> words;
    const std::string subcommand = argc > 1 ? argv[1] : "";
    if (subcommand == "run" || subcommand == "check" || subcommand == "place") {
        for (count = 2; count < argc && std::string(argv[count]) != "--"; ++count) {
        }
        for (int i = count + 1; i < argc; ++i) words.emplace_back(argv[i]);
    }
    // A hook that fails otherwise is passed over, and what it should judge is run.
    const auto refused = [&](int failed) { return subcommand == "hook" ? hook_blocks : failed; };
    int code = 0;
    try {
        CLI::App app("Husk: runs an agent's shell commands and tells the truth about them", "husk");
        app.require_subcommand(1);
        app.formatter(usage_lines());
        app.set_version_flag("--version", "husk " HUSK_VERSION);
        add_subcommands(app, words, code);
        add_help(app, code);
        try {
            app.parse(count, argv);
        } catch (const CLI::Success& asked) {
            return app.exit(asked);  // --help, --version
        } catch (const CLI::ParseError& error) {
            return refused(fail(usage_error(app, error)));
        }
    } catch (const std::exception& error) {
        return refused(fail(error.what()));
    }
    return code;
}
