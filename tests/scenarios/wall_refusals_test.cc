// What is asked of the walls and cannot be had is refused, by every way in, before anything runs.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class WallRefusals : public Walled, public testing::Test {
protected:
    WallRefusals() : Walled(Who::Caller) {}

    Ran husk_in(const fs::path& cwd, std::vector<std::string> words) const {
        words.insert(words.begin() + 1, {"--cwd", cwd.string()});
        words = husk().argv(words);
        words.insert(std::ranges::find(words, HUSK_BINARY), "HOME=" + home().string());
        return run_program(words);
    }
    // By each of the four, with these options.
    std::vector<std::vector<std::string>> ways_in(const std::vector<std::string>& options) const {
        std::vector<std::vector<std::string>> ways = {
            {"run"}, {"call"}, {"mcp"}, {"serve", "--socket", (husk().dir() / "socket").string()}};
        for (auto& way : ways) way.insert(way.end(), options.begin(), options.end());
        ways[0].insert(ways[0].end(), {"--checks", "off", "--", "touch", proof()});
        ways[1].insert(ways[1].end(), {"bash", R"({"command": "touch )" + proof() + "\"}"});
        return ways;
    }
    std::string proof() const { return (work() / "it-was-started").string(); }
    void TearDown() override { EXPECT_FALSE(fs::exists(proof())); }
};

// A network that no wall would keep.
TEST_F(WallRefusals, OfANetworkThatTheModeCannotKeep) {
    const fs::path config = husk().dir() / "config" / "husk" / "husk.yaml";
    struct Case {
        std::string users;
        std::vector<std::string> flags;
        std::string asked;
        std::string advice;
    };
    const std::vector<Case> cases = {
        {"", {"--mode", "open", "--network", "none"}, "none is asked for (--network)", "workspace"},
        {"", {"--mode", "open", "--network", "a.org"}, "a.org is asked for", "the network open"},
        {"mode: open\nnetwork: none\n", {}, "husk.yaml:2", "no walls to keep that"},
        {"network: none\n", {"--mode", "open"}, "husk.yaml:1", "no walls to keep that"},
        {"", {"--mode", "read-only", "--network", "open"}, "open is asked for", "workspace"},
        {"", {"--mode", "read-only", "--network", "a.org"}, "a.org is asked for", "workspace"},
        {"network: [a.org]\n", {"--mode", "read-only"}, "husk.yaml:1", "the network none"},
    };
    for (const auto& [users, flags, asked, advice] : cases) {
        write(config, users);
        for (const auto& way : ways_in(flags)) {
            const Ran ran = husk_in(work(), way);
            EXPECT_TRUE(is_refusal(ran)) << way[0] << " " << users << testing::PrintToString(flags);
            EXPECT_THAT(ran.err, AllOf(HasSubstr(asked), HasSubstr(advice))) << way[0];
        }
    }
    write(config, "network: none\n");
    write(work() / "husk.yaml", "network: none\n");
    EXPECT_EQ(husk_in(work(), {"run", "--mode", "open", "--network", "open", "--", "echo"}).code,
              0);
}

// A file beside the work may narrow; what it asks for then holds, or nothing is started.
TEST_F(WallRefusals, OfANetworkThatTheWorkspaceAsksFor) {
    write(work() / "husk.yaml", "network: none\n");
    const Ran ran = husk_in(work(), {"run", "--json", "--mode", "open", "--", "touch", proof()});
    EXPECT_EQ(ran.code, 125);
    EXPECT_EQ(ran.json()["status"], "not_started");
    EXPECT_THAT(ran.json()["error"].get<std::string>(), HasSubstr("husk.yaml:1"));
}

TEST_F(WallRefusals, LeaveACallThatNarrowsTheModeWithoutANetwork) {
    write(husk().dir() / "config" / "husk" / "husk.yaml", "network: [a.org]\n");
    const auto call = [&](const std::string& more) {
        return husk_in(work(), {"call", "--report", "bash",
                                R"({"command": "echo hi", "mode": "read-only")" + more + "}"})
            .json();
    };
    const auto plain = call("");
    EXPECT_EQ(plain["structuredContent"]["output"], "hi\n") << plain;
    EXPECT_EQ(plain["_meta"]["husk/report"]["confinement"]["network"], "own loopback only");
    const auto asked = call(R"(, "network": "a.org")");
    EXPECT_THAT(asked["structuredContent"]["error"].get<std::string>(),
                HasSubstr("the mode read-only has no network"))
        << asked;
}

// No walls stood around what never ran.
TEST_F(WallRefusals, LeaveAReportWithoutWalls) {
    write(husk().dir() / "config" / "husk" / "husk.yaml", "permissions: {deny: [Bash(touch:*)]}\n");
    const auto denied = husk_in(work(), {"run", "--json", "--", "touch", proof()}).json();
    const auto not_started = husk_in("/no/such", {"run", "--json", "--", "true"}).json();
    EXPECT_EQ(denied["status"], "denied");
    EXPECT_EQ(not_started["status"], "not_started");
    for (const auto& report : {denied, not_started}) {
        EXPECT_EQ(report["confinement"], nullptr) << report;
        EXPECT_EQ(report["denials_complete"], nullptr) << report;
        EXPECT_EQ(report["denials"], nlohmann::json::array());
    }
    const auto call =
        husk_in(work(), {"call", "--report", "bash", R"({"command": "touch )" + proof() + "\"}"})
            .json();
    EXPECT_EQ(call["_meta"]["husk/report"]["confinement"], nullptr) << call;
}

// Through the library "none" is what a context says that says nothing.
TEST_F(WallRefusals, OfHostsInModeOpenThroughTheLibrary) {
    Bash bash(husk().settings());
    const auto ending = [&](Mode mode, Network network) {
        return bash.run({.command = "true"}, {.mode = mode, .network = std::move(network)}).ending;
    };
    using enum Network::Kind;
    EXPECT_STREQ(status_word(ending(Mode::Open, {Hosts, {"a.org"}})), "not_started");
    EXPECT_STREQ(status_word(ending(Mode::ReadOnly, {Open, {}})), "not_started");
    EXPECT_STREQ(status_word(ending(Mode::Open, {})), "exited");
}

// A server that could never run anything does not start.
TEST_F(WallRefusals, OfAPlaceWhereNothingCouldBeStarted) {
    write(work() / "plain", "");
    const std::vector<std::string> closed = {"--mode", "workspace"};
    const fs::path audit = husk().state() / "audit";
    fs::create_directories(audit);
    fs::create_directory_symlink(audit, work() / "link");
    struct Case {
        fs::path cwd;
        std::vector<std::string> options;
        std::string because;
    };
    const std::vector<Case> cases = {
        {"/no/such/place", closed,
         "/no/such/place; name another one with `working_directory` (--cwd)"},
        {"/no/such/place", {"--mode", "open"}, "No such file or directory: /no/such/place"},
        {work() / "plain", closed, "Not a directory"},
        {work(), {"--mode", "workspace", "--write", "/no/such/root"}, "make this directory first"},
        {home(), closed, "would give everything away; take a directory below it, or --force"},
        {"/etc", closed, "/etc belongs to the system; take another directory, or --force"},
        {"/usr/lib", closed, "/usr/lib belongs to the system"},
        {"/var", closed, "/var belongs to the system"},
        {work(), {"--mode", "workspace", "--write", "/etc"}, "/etc belongs to the system"},
        {husk().state(), closed, "belongs to the state of Husk itself"},
        {audit, closed, audit.string() + " belongs to the state of Husk itself"},
        {audit, {"--mode", "read-only"}, audit.string() + " belongs to the state of Husk itself"},
        {work() / "link", closed, audit.string() + " belongs to the state of Husk itself"},
        {work(),
         {"--mode", "workspace", "--write", audit.string()},
         audit.string() + " belongs to the state of Husk itself"},
    };
    for (const auto& [cwd, options, because] : cases)
        for (const auto& way : ways_in(options)) {
            if (way[0] == "call") continue;  // tells it in its result
            const Ran ran = husk_in(cwd, way);
            EXPECT_TRUE(is_refusal(ran)) << way[0] << " in " << cwd;
            EXPECT_THAT(ran.err, HasSubstr(because)) << way[0] << " in " << cwd;
        }
}

// A command can replace a directory of its workspace by a link. The next session that is started
// there must not get the target of the link.
TEST_F(WallRefusals, OfALinkThatLeadsOutOfTheCurrentDirectory) {
    fs::create_directory_symlink("/etc", work() / "build");
    fs::create_directory_symlink(outside(), work() / "tools");
    fs::create_directories(work() / "real");
    fs::create_directory_symlink("real", work() / "alias");
    const auto run = [&](const std::vector<std::string>& options) {
        std::vector<std::string> words = {"run", "--mode", "workspace"};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"--", "pwd -P"});
        words = husk().argv(words);
        words.insert(words.begin(), {"sh", "-c", R"(cd "$0" && exec "$@")", work()});
        return run_program(words);
    };
    const Ran absolute = run({"--cwd", (work() / "build").string()});
    EXPECT_THAT(absolute.err, HasSubstr("/etc belongs to the system"));
    for (const char* option : {"--cwd", "--write", "--read", "--protect"}) {
        const Ran ran = run({option, "tools"});
        EXPECT_EQ(ran.out, "") << option;
        EXPECT_THAT(ran.err, HasSubstr("leads through a link to " + outside().string())) << option;
    }
    const Ran inside = run({"--cwd", "alias"});
    EXPECT_EQ(inside.out, (work() / "real").string() + "\n") << inside.err;
}

TEST_F(WallRefusals, GiveWayToForce) {
    write(home() / "note", "old\n");
    const Ran call = husk_in(home(), {"call", "--force", "bash", R"({"command": "cat note"})"});
    EXPECT_THAT(call.out, HasSubstr("old")) << call.err;
    const Ran without = husk_in(home(), {"call", "bash", R"({"command": "cat note"})"});
    EXPECT_THAT(without.out, HasSubstr("would give everything away")) << without.err;
    EXPECT_EQ(husk_in(home(), {"mcp", "--force"}).code, 0);
}

// A call may start anywhere; where that is comes with the answer.
TEST_F(WallRefusals, NameTheDirectoryThatACallAskedFor) {
    for (const char* mode : {"workspace", "open"}) {
        const Ran ran =
            husk_in(work(), {"call", "--mode", mode, "bash",
                             R"({"command": "true", "working_directory": "/no/such"})"});
        EXPECT_THAT(ran.out, HasSubstr("No such file or directory: /no/such")) << mode;
    }
}

TEST_F(WallRefusals, AreToldWhenAServerStarts) {
    ::setenv("HUSK_PRETEND", "landlock=no", 1);
    const Ran tools = husk_in(work(), {"tools", "--contract", "phoenix"});
    const Ran open = husk_in(work(), {"mcp", "--contract", "phoenix"});
    const Ran closed = husk_in(work(), {"mcp"});
    ::unsetenv("HUSK_PRETEND");
    EXPECT_THAT(tools.err, HasSubstr("warning: only the mode open is offered"));
    EXPECT_EQ(open.code, 0);
    EXPECT_EQ(open.err, tools.err);
    EXPECT_TRUE(is_refusal(closed));
    EXPECT_THAT(closed.err, AllOf(HasSubstr("the mode workspace cannot be had on this machine"),
                                  HasSubstr("Landlock"), HasSubstr("--mode open")));
    EXPECT_EQ(husk_in(work(), {"mcp", "--contract", "phoenix"}).err, "");
}

}  // namespace
}  // namespace husk::test
