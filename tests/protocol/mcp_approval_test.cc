// What a rule asks about is asked of the user, through a client that can.
#include "client.h"

#include <gmock/gmock.h>

#include <fstream>

namespace husk::test {
namespace {

using testing::HasSubstr;

// A file of rules by which touching something is to be asked about.
std::vector<std::string> with_rules(const Husk& husk) {
    const auto file = husk.dir() / "rules.yaml";
    std::ofstream(file) << "permissions:\n  ask: [\"Bash(touch:*)\"]\n";
    return {"--config", file.string()};
}

bool is_denied(const Json& answer) {
    const Json result = answer.value("result", Json::object());
    return result.value("/structuredContent/status"_json_pointer, "") == "denied" &&
           result.value("isError", false);
}

TEST(McpApproval, IsAskedOfTheClient) {
    struct Case {
        Json result;
        bool runs;
        std::string says;
    };
    const Case cases[] = {
        {{{"action", "accept"}, {"content", Json::object()}}, true, ""},
        {{{"action", "decline"}}, false, "the user was asked and declined"},
        {{{"action", "cancel"}}, false, "the user was asked and declined"},
        {{{"action", 7}}, false, "nobody can be asked"},
    };
    for (const Case& one : cases) {
        const Husk husk;
        Client client(husk, with_rules(husk));
        client.initialize("2025-06-18", asks);
        client.bash(1, "touch made");
        const Json question = client.next();
        ASSERT_EQ(question["method"], "elicitation/create");
        EXPECT_THAT(question["params"]["message"].get<std::string>(), HasSubstr("touch made"));
        EXPECT_EQ(client.ask(2, "ping")["result"], Json::object());  // meanwhile
        client.say(Json{{"jsonrpc", "2.0"}, {"id", question["id"]}, {"result", one.result}});
        const Json answer = client.answer(1);
        EXPECT_EQ(is_denied(answer), !one.runs) << answer;
        EXPECT_THAT(answer.dump(), HasSubstr(one.says));
        EXPECT_EQ(std::filesystem::exists(husk.dir() / "made"), one.runs);
    }
}

TEST(McpApproval, IsForEverWhenTheUserSaysSo) {
    const Husk husk;
    const auto options = with_rules(husk);
    Client client(husk, options);
    client.initialize("2025-06-18", asks);
    const auto is_asked = [&](int id, const std::string& command, const Json& content) {
        client.bash(id, command);
        const Json said = client.next();
        if (said.value("id", Json()) == Json(id)) return Json();
        client.say(Json{{"jsonrpc", "2.0"},
                        {"id", said["id"]},
                        {"result", {{"action", "accept"}, {"content", content}}}});
        EXPECT_EQ(client.answer(id)["result"]["structuredContent"]["exit_code"], 0);
        return said["params"]["requestedSchema"]["properties"];
    };
    const Json fields = is_asked(1, "touch made", {{"always", true}});
    EXPECT_THAT(fields["always"]["description"].get<std::string>(), HasSubstr("rules.yaml"));
    EXPECT_EQ(read_text(husk.dir() / "rules.yaml"),
              "permissions:\n  ask: [\"Bash(touch:*)\"]\n  approved:\n    " + husk.dir().string() +
                  ": [\"touch made\"]\n");
    EXPECT_EQ(is_asked(2, "touch made", {}), Json());
    EXPECT_NE(is_asked(3, "touch other", {{"always", "yes"}}), Json());  // only true is meant
    EXPECT_NE(is_asked(4, "touch other", {{"always", false}}), Json());
    EXPECT_NE(is_asked(5, "touch made; true", Json::object()), Json());
    // Not where it could not stand, whatever the client says.
    EXPECT_EQ(is_asked(6, "touch mad*", {{"always", true}}), Json::object());
    EXPECT_EQ(is_asked(7, "touch mad*", {{"always", true}}), Json::object());
}

// Of a bash that stays: it is free while the user thinks, and where it went meanwhile the command
// means something else.
TEST(McpApproval, IsAskedAgainWhenTheBashWentElsewhere) {
    const Husk husk;
    auto options = with_rules(husk);
    options.insert(options.end(), {"--contract", "anthropic"});
    Client client(husk, options);
    client.initialize("2025-06-18", asks);
    const auto agree = [&](const Json& question) {
        EXPECT_EQ(question["method"], "elicitation/create") << question;
        client.say(Json{{"jsonrpc", "2.0"},
                        {"id", question["id"]},
                        {"result", {{"action", "accept"}, {"content", Json::object()}}}});
    };
    client.bash(1, "x=kept; touch first");
    agree(client.next());
    EXPECT_EQ(client.next()["id"], 1);
    EXPECT_TRUE(std::filesystem::exists(husk.dir() / "first"));

    client.bash(2, "touch second; echo $x");
    const Json question = client.next();
    client.bash(3, "mkdir sub; cd sub");
    EXPECT_EQ(client.next()["id"], 3);
    agree(question);
    agree(client.next());
    EXPECT_EQ(client.next()["result"]["content"][0]["text"], "kept\n");
    EXPECT_TRUE(std::filesystem::exists(husk.dir() / "sub" / "second"));
    EXPECT_FALSE(std::filesystem::exists(husk.dir() / "second"));
}

TEST(McpApproval, IsADenialWhereTheClientCannotAsk) {
    const Husk husk;
    Client client(husk, with_rules(husk));
    for (const Json& able : {Json::object(), Json{{"elicitation", {{"url", Json::object()}}}}}) {
        client.initialize("2025-11-25", able);
        client.bash(1, "touch made");
        const Json answer = client.answer(1);
        EXPECT_TRUE(is_denied(answer));
        EXPECT_THAT(answer.dump(), HasSubstr("nobody can be asked here"));
        client.bash(2, "touch made", Json::object(), meta_2026(able));
        EXPECT_TRUE(is_denied(client.answer(2)));
    }
}

// Nobody agrees to what a form does not show.
TEST(McpApproval, IsNotAskedForWhatCannotBeShown) {
    const std::pair<std::string, std::string> cases[] = {
        {"touch made;" + std::string(4000, ' ') + "touch other", "4022 bytes"},
        {"touch made #\recho harmless", "characters"},
        {"touch made # \u202etxt", "characters"},
    };
    const Husk husk;
    Client client(husk, with_rules(husk));
    client.initialize("2025-06-18", asks);
    for (const auto& [command, says] : cases) {
        client.bash(1, command);
        const Json answer = client.next();
        EXPECT_TRUE(is_denied(answer)) << answer;
        EXPECT_THAT(answer.dump(), HasSubstr(says));
        EXPECT_THAT(answer.dump(), HasSubstr("not asked about"));
        client.bash(2, command, Json::object(), meta_2026(asks));
        EXPECT_TRUE(is_denied(client.next()));
    }
    EXPECT_FALSE(std::filesystem::exists(husk.dir() / "made"));
    // As long as can be, with what lines and indents are made of.
    const std::string longest = "touch made\n\t" + std::string(3988, '#');
    client.bash(3, longest);
    EXPECT_THAT(client.next()["params"]["message"].get<std::string>(), HasSubstr(longest));
}

TEST(McpApproval, IsTakenBackWithTheCall) {
    const Husk husk;
    Client client(husk, with_rules(husk));
    client.initialize("2025-06-18", asks);
    client.bash(1, "touch made");
    const Json question = client.next();
    client.notify("notifications/cancelled", {{"requestId", 1}});
    const Json taken_back = client.next();
    EXPECT_EQ(taken_back["method"], "notifications/cancelled");
    EXPECT_EQ(taken_back["params"]["requestId"], question["id"]);
    client.say(
        Json{{"jsonrpc", "2.0"}, {"id", question["id"]}, {"result", {{"action", "accept"}}}});
    EXPECT_TRUE(client.is_silent_about(1));
    EXPECT_FALSE(std::filesystem::exists(husk.dir() / "made"));
}

// ---- without a connection the call is made again, with the answer

Json call_2026(const std::string& command, const Json& state, const Json& action) {
    Json params = {
        {"name", "bash"}, {"arguments", {{"command", command}}}, {"_meta", meta_2026(asks)}};
    if (!state.is_null()) params["requestState"] = state;
    if (!action.is_null()) params["inputResponses"] = {{"approve", {{"action", action}}}};
    return params;
}

TEST(McpApproval2026, ComesWithTheSecondCall) {
    const Husk husk;
    Client client(husk, with_rules(husk));
    const auto ask = [&](const std::string& command, const Json& state, const Json& action) {
        return client.ask(1, "tools/call", call_2026(command, state, action));
    };
    const Json first = ask("touch made", nullptr, nullptr)["result"];
    EXPECT_EQ(first["resultType"], "input_required");
    const Json& approve = first["inputRequests"]["approve"];
    EXPECT_EQ(approve["method"], "elicitation/create");
    EXPECT_THAT(approve["params"]["message"].get<std::string>(), HasSubstr("touch made"));
    const Json& state = first["requestState"];

    // An answer to another call, one that was made up, and none.
    EXPECT_EQ(ask("touch other", state, "accept")["error"]["code"], -32602);
    EXPECT_EQ(ask("touch made", "made-up.0000", "accept")["error"]["code"], -32602);
    EXPECT_EQ(ask("touch made", 7, "accept")["error"]["code"], -32602);
    EXPECT_EQ(ask("touch made", nullptr, "accept")["result"]["resultType"], "input_required");
    EXPECT_EQ(ask("touch made", state, nullptr)["result"]["resultType"], "input_required");
    EXPECT_FALSE(std::filesystem::exists(husk.dir() / "made"));

    EXPECT_EQ(ask("touch made", state, "accept")["result"]["structuredContent"]["exit_code"], 0);
    EXPECT_TRUE(std::filesystem::exists(husk.dir() / "made"));
    EXPECT_EQ(ask("touch made", state, "accept")["error"]["code"], -32602);  // once

    Json always = call_2026(
        "touch kept", ask("touch kept", nullptr, nullptr)["result"]["requestState"], "accept");
    always["inputResponses"]["approve"]["content"] = {{"always", true}};
    EXPECT_EQ(client.ask(1, "tools/call", always)["result"]["structuredContent"]["exit_code"], 0);
    EXPECT_EQ(ask("touch kept", nullptr, nullptr)["result"]["structuredContent"]["exit_code"], 0);

    const Json again = ask("touch more", nullptr, nullptr)["result"]["requestState"];
    EXPECT_TRUE(is_denied(ask("touch more", again, "decline")));
    EXPECT_FALSE(std::filesystem::exists(husk.dir() / "more"));
}

}  // namespace
}  // namespace husk::test
