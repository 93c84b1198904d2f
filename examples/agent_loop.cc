// An agent's loop without the agent: commands go in, and what happened comes out.
//
// The state directory is $HUSK_STATE, or ~/.local/state/husk; `husk shells` shows what was run.
#include <husk/husk.h>

#include <iostream>

using namespace std::chrono_literals;

namespace {

// What a model would be told. A command that fails is an ordinary answer.
void tell(const husk::Report& report) {
    std::cout << "$ " << report.command << "\n" << report.output;
    std::cout << "[" << husk::status_word(report.ending);
    if (const auto code = husk::exit_code(report.ending)) std::cout << " " << *code;
    std::cout << "]\n";
}

}  // namespace

int main() {
    husk::Bash bash;  // one for all conversations
    const husk::ToolContext conversation{.working_dir = "/"};

    tell(bash.run({.command = "pwd; ls -d etc"}, conversation));
    tell(bash.run({.command = "cat /no/such/file"}, conversation));
    tell(bash.run({.command = "echo patience; sleep 600", .timeout = 2s}, conversation));

    // A server: it runs on in the background, under an id.
    const husk::Report server =
        bash.run({.command = "sleep 2; echo listening on port 8080; sleep 600", .background = true},
                 conversation);
    tell(server);

    // Anybody with the id can wait for it, read it and end it: this program, another, `husk`.
    const husk::Shells shells;
    const auto waited = shells.wait(server.shell_id, {.match = "listening"}, 30s);
    if (const auto* error = std::get_if<husk::Error>(&waited)) {
        std::cerr << error->text() << "\n";
        return 1;
    }
    std::cout << "it says: " << std::get<husk::Waited>(waited).line << "\n";

    // The whole tree goes, not only the shell that was started.
    const auto killed = shells.kill(server.shell_id);
    if (const auto* report = std::get_if<husk::Report>(&killed)) tell(*report);
    return 0;
}
