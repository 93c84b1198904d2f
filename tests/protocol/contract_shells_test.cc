// Background shells of the contracts belong to no server: they outlive the one that started them,
// and the next one finds them.
#include <gmock/gmock.h>

#include <csignal>
#include <functional>

#include "client.h"

namespace husk::test {
namespace {

using testing::HasSubstr;

std::string text_of_call(Client& client, const std::string& tool, const Json& arguments) {
    const Json answer = client.ask(tool, "tools/call", {{"name", tool}, {"arguments", arguments}});
    return answer["result"]["content"][0]["text"];
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    if (at == std::string::npos) return "";
    return text.substr(at + from.size(), text.find(to, at + from.size()) - at - from.size());
}

// Every way in which a server comes to its end.
void end_by_input(Client& client) { client.close_input(); }
void end_by_request(Client& client) { client.kill(SIGTERM); }
void end_by_force(Client& client) { client.kill(SIGKILL); }
const std::function<void(Client&)> ends[] = {end_by_input, end_by_request, end_by_force};

// Goes on until the file is there, and then prints a line.
std::string waiting_for(const std::filesystem::path& gate) {
    return "echo up; until [ -e " + gate.string() + " ]; do sleep 0.05; done; echo late";
}

TEST(CodegenShells, OutliveTheirServerAndAreFoundByTheNext) {
    const Husk husk;
    for (const auto& end : ends) {
        const std::filesystem::path gate = husk.dir() / "gate";
        std::filesystem::remove(gate);
        std::string id;
        {
            Client client(husk, {"--contract", "codegen"});
            client.initialize();
            id = between(text_of_call(client, "Bash",
                                      {{"command", waiting_for(gate)},
                                       {"description", "d"},
                                       {"run_in_background", true}}),
                         "shell_id: ", "\n");
            end(client);
            EXPECT_TRUE(client.exit_code());
        }
        Client next(husk, {"--contract", "codegen"});
        next.initialize();
        const auto output = [&] { return text_of_call(next, "BashOutput", {{"shell_id", id}}); };
        EXPECT_THAT(output(), HasSubstr("status: running\n"));
        write_text(gate, "");
        EXPECT_TRUE(eventually([&] { return output().contains("status: completed (exit 0)"); }));
        EXPECT_THAT(output(), HasSubstr("up\nlate\n"));
        EXPECT_EQ(text_of_call(next, "KillShell", {{"shell_id", id}}), "killed: " + id + "\n");
        EXPECT_EQ(output(), "unknown shell_id: " + id);
    }
}

TEST(PhoenixShells, OutliveTheirServerAndTheirFileToo) {
    const Husk husk;
    for (const auto& end : ends) {
        const std::filesystem::path gate = husk.dir() / "gate";
        std::filesystem::remove(gate);
        std::string file;
        {
            Client client(husk, {"--contract", "phoenix"});
            client.initialize();
            file = between(text_of_call(client, "bash",
                                        {{"command", waiting_for(gate)}, {"mode", "background"}}),
                           "<output_file>", "</output_file>");
            end(client);
            EXPECT_TRUE(client.exit_code());
        }
        EXPECT_TRUE(eventually([&] { return read_text(file) == "up\n"; })) << read_text(file);
        write_text(gate, "");
        EXPECT_TRUE(eventually([&] {
            return read_text(file) == "up\nlate\n[background process completed with exit code 0]\n";
        })) << read_text(file);
    }
}

}  // namespace
}  // namespace husk::test
