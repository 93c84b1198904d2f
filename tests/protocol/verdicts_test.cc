// One call gets one verdict, whichever way it comes in: a table of calls goes through the command
// line, both tools of the library, MCP and HTTP.
#include <gmock/gmock.h>

#include <memory>

#include "client.h"
#include "http_client.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;

// Nothing in the table does anything: `forbidden` and `dubious` are no programs.
constexpr const char* rules = R"yaml(permissions:
  allow: ["Bash(true:*)", "Bash(bash:*)", "Bash(cat:*)", "Bash(echo:*)", "Bash(python3 -V)"]
  ask: ["Bash(dubious:*)"]
  deny: ["Bash(forbidden:*)"]
  mode: )yaml";

struct Case {
    std::string command;
    std::map<std::string, std::optional<std::string>> env = {};
    std::string input = {};
    std::string decision = {};  // in every mode; empty: whatever it is, it has to be the same
};

const std::vector<Case> table = {
    {"true"},
    {"forbidden now"},
    {"dubious"},
    {"unknown"},
    {"echo ("},
    {"echo ${x[}"},
    {"true; $(forbidden)"},
    // Standard input that is a script.
    {"bash", {}, "true"},
    {"bash", {}, "forbidden x"},
    {"bash", {}, "dubious x"},
    {"bash -s", {}, "echo (\nforbidden"},
    {"true | bash", {}, "forbidden x"},
    {"cat", {}, "forbidden x"},
    {"python3 -V", {}, "forbidden x"},
    // Variables that decide what runs.
    {"true", {{"LD_PRELOAD", "/nonexistent.so"}}},
    {"true", {{"BASH_ENV", "/nonexistent"}}},
    {"true", {{"PATH", "/nonexistent"}}},
    {"true", {{"GIT_SSH_COMMAND", "forbidden"}}, "", "deny"},
    {"true", {{"BASH_FUNC_true%%", "() { forbidden; }"}}, "", "deny"},
    {"echo $((x))", {{"x", "a[$(dubious)]"}}},
    {"true", {{"HARMLESS", "1"}}},
    {"true", {{"LD_PRELOAD", std::nullopt}}},
    {"cat ~/x", {{"HOME", "/nonexistent"}}},
    // Both.
    {"bash", {{"LD_PRELOAD", "/nonexistent.so"}}, "true"},
    {"bash", {{"HARMLESS", "1"}}, "forbidden x"},
};

std::string said(const Json& verdict) {
    const auto text = [&](const char* name) {
        return verdict.contains(name) && verdict[name].is_string()
                   ? verdict[name].get<std::string>()
                   : "";
    };
    return text("decision") + ": " + text("reason");
}

class Verdicts : public testing::Test {
protected:
    void go_by(const std::string& mode) const { configure(rules + mode + "\n"); }
    void configure(const std::string& text) const {
        fs::create_directories(file_.parent_path());
        write_text(file_, text);
    }

    std::vector<std::string> options_of(const Case& one) const {
        std::vector<std::string> options;
        for (const auto& [name, value] : one.env)
            options.insert(options.end(), {"--env", value ? name + "=" + *value : name});
        if (!one.input.empty()) options.insert(options.end(), {"--stdin-text", one.input});
        return options;
    }
    Json arguments_of(const Case& one) const {
        Json arguments = {{"command", one.command}};
        for (const auto& [name, value] : one.env)
            arguments["env"][name] = value ? Json(*value) : Json(nullptr);
        if (!one.input.empty()) arguments["stdin"] = one.input;
        return arguments;
    }

    Json by_run(const Case& one) const {
        std::vector<std::string> words = {"run", "--json", "--mode", "open", "--cwd", husk_.dir()};
        for (const std::string& option : options_of(one)) words.push_back(option);
        words.insert(words.end(), {"--", one.command});
        return husk_(words).json()["verdict"];
    }
    Json by_check(const Case& one) const {
        std::vector<std::string> words = {"check", "--json", "--cwd", husk_.dir()};
        for (const std::string& option : options_of(one)) words.push_back(option);
        words.insert(words.end(), {"--", one.command});
        return husk_(words).json();
    }
    // Of a Bash that was not told anything.
    Json by_bash(const Case& one) const { return by_bash(one, husk_.settings()); }
    Json by_library(const Case& one) const {
        Settings settings = husk_.settings();
        settings.checks = Checks{.file = file_};
        return by_bash(one, settings);
    }
    Json by_bash(const Case& one, const Settings& settings) const {
        Bash bash(settings);
        Request request;
        request.command = one.command;
        request.env = one.env;
        if (!one.input.empty()) request.input = InputText{one.input};
        const Report report = bash.run(request, {.working_dir = husk_.dir()});
        if (!report.verdict) return nullptr;
        return {{"decision", report.verdict->decision}, {"reason", report.verdict->reason}};
    }
    Json by_tools(const Case& one) const {
        Tools tools({.contract = "husk",
                     .config = file_,
                     .overrides = "mode: open",
                     .state = husk_.state(),
                     .report_in_meta = true});
        const auto result =
            tools.call("bash", arguments_of(one).dump(), {.working_dir = husk_.dir()});
        const auto* json = std::get_if<std::string>(&result);
        if (json == nullptr) return nullptr;
        return Json::parse(*json).value("/_meta/husk~1report/verdict"_json_pointer, Json());
    }

    void expect_equal_verdicts() const;

    Husk husk_;
    fs::path file_ = husk_.dir() / "config/husk/husk.yaml";
};

// Of a client that cannot be asked: what is not allowed is refused, with the same reason.
void expect_by_mcp(Client& client, int id, const Json& arguments, const Json& wanted) {
    const Json answer = client.ask(id, "tools/call", {{"name", "bash"}, {"arguments", arguments}});
    const Json said = answer.value("/result/structuredContent"_json_pointer, Json::object());
    const bool allowed = wanted["decision"] == "allow";
    EXPECT_EQ(said.value("status", "") != "denied", allowed) << answer;
    if (allowed) return;
    EXPECT_EQ(said.value("/verdict/reason"_json_pointer, ""), wanted["reason"]) << answer;
}

void Verdicts::expect_equal_verdicts() const {
    const HttpServer server(husk_);
    Client client(husk_);
    client.initialize();
    int id = 100;
    for (const Case& one : table) {
        const Json arguments = arguments_of(one);
        SCOPED_TRACE(arguments.dump());
        const Json by_library_says = by_library(one);
        const std::string wanted = said(by_library_says);
        if (!one.decision.empty()) {
            EXPECT_EQ(by_library_says["decision"], one.decision);
        }
        EXPECT_EQ(said(by_run(one)), wanted) << "husk run";
        EXPECT_EQ(said(by_check(one)), wanted) << "husk check";
        EXPECT_EQ(said(by_tools(one)), wanted) << "Tools";
        EXPECT_EQ(said(server.post("/v1/verdicts", arguments).json()), wanted) << "/v1/verdicts";
        expect_by_mcp(client, ++id, arguments, by_library_says);
        // A question would wait for somebody to answer it.
        if (by_library_says["decision"] == "ask") continue;
        const Json call = {{"tool", "bash"}, {"arguments", arguments}, {"wait", true}};
        EXPECT_EQ(said(server.post("/v1/calls", call)
                           .json()
                           .value("/report/verdict"_json_pointer, Json::object())),
                  wanted)
            << "/v1/calls";
    }
}

TEST_F(Verdicts, AreTheSameWhicheverWayACallComesIn) {
    for (const char* mode : {"default", "strict"}) {
        SCOPED_TRACE(mode);
        go_by(mode);
        expect_equal_verdicts();
    }
}

// What is on when nobody has said anything. None of these does anything where there is nothing
// that it could be done to.
TEST_F(Verdicts, AreTheSameByDefault) {
    configure("");
    for (const Case& one : std::vector<Case>{{"true", {}, "", "allow"},
                                             {"git add -A", {}, "", "deny"},
                                             {"git push --force", {}, "", "deny"},
                                             {"rm -rf .git", {}, "", "deny"},
                                             {"mkfs.ext4 /dev/husk-none", {}, "", "deny"},
                                             {"echo (", {}, "", "deny"},
                                             {"cd /usr && env git add ."},
                                             {"bash", {}, "git add -A", "deny"},
                                             {"true", {{"BASH_FUNC_true%%", "() { git add -A; }"}}},
                                             {"dd if=/dev/null of=/nonexistent/husk"},
                                             {"echo ${x[}"}}) {
        SCOPED_TRACE(arguments_of(one).dump());
        const Json wanted = by_check(one);
        if (!one.decision.empty()) {
            EXPECT_EQ(wanted["decision"], one.decision) << wanted;
        }
        EXPECT_EQ(said(by_run(one)), said(wanted)) << "husk run";
        EXPECT_EQ(said(by_bash(one)), said(wanted)) << "Bash";
        EXPECT_EQ(said(by_tools(one)), said(wanted)) << "Tools";
    }
}

// The one setting by which the library differs, as `--checks off` is that of the program.
TEST_F(Verdicts, AreLeftOutOnlyIfThatIsSaid) {
    configure("");
    EXPECT_EQ(by_bash({"git add -A"}, husk_.unchecked_settings()), nullptr);
    EXPECT_EQ(husk_({"run", "--json", "--checks", "off", "--mode", "open", "--cwd", husk_.dir(),
                     "--", "git add -A"})
                  .json()["verdict"],
              nullptr);
}

// The table must not be of one opinion only.
TEST_F(Verdicts, WeighInputAndVariables) {
    go_by("default");
    EXPECT_EQ(by_run({"cat", {}, "forbidden x"})["decision"], "allow");
    EXPECT_EQ(by_run({"bash", {}, "forbidden x"})["decision"], "deny");
    EXPECT_EQ(by_run({"bash", {}, "dubious x"})["decision"], "ask");
    go_by("strict");
    EXPECT_EQ(by_run({"true", {{"HARMLESS", "1"}}})["decision"], "allow");
    EXPECT_EQ(by_run({"true", {{"LD_PRELOAD", "/nonexistent.so"}}})["decision"], "deny");
}

}  // namespace
}  // namespace husk::test
