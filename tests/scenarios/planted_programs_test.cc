// A command can write programs into a directory that PATH names. Husk runs none of them.
#include <gmock/gmock.h>

#include "harness.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class PlantedPrograms : public testing::TestWithParam<Who> {
protected:
    PlantedPrograms() {
        const std::string names =
            "bash sh git podman docker nerdctl runc systemctl systemd-run loginctl xdg-open "
            "newuidmap newgidmap mount unshare setpriv env cat true curl python3 node husk "
            "husk-keeper shellcheck fusermount3";
        const Ran made = husk_.script("mkdir -p " + bin_ + " && cd " + work_ + R"( &&
            for name in )" + names + R"(; do
                printf '#!/usr/bin/bash\n: > )" +
                                      marks_ + R"(.%s\n' $name > bin/$name
            done
            chmod 755 bin/*)");
        EXPECT_EQ(made.code, 0) << made.err;
    }

    // In the workspace, with the planted programs in front of all others.
    Ran script(const std::string& text) const {
        return husk_.script("cd " + work_ + "\nexport PATH=" + bin_ + ":.:bin::$PATH\n" + text);
    }
    // The names of planted programs that somebody has run.
    std::vector<std::string> ran() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(husk_.dir()))
            if (const std::string name = entry.path().filename(); name.starts_with("mark."))
                names.push_back(name.substr(5));
        return names;
    }

    Husk husk_{GetParam()};
    std::string work_ = husk_.dir() / "work";
    std::string bin_ = work_ + "/bin";
    std::string marks_ = husk_.dir() / "mark";
};

INSTANTIATE_TEST_SUITE_P(, PlantedPrograms, both(), who_name);

TEST_P(PlantedPrograms, AreRunByTheTestItself) {
    EXPECT_EQ(script("git").code, 0);
    EXPECT_THAT(ran(), testing::ElementsAre("git"));
}

TEST_P(PlantedPrograms, AreNotRunForACommand) {
    for (const char* mode : {"read-only", "workspace", "open"}) {
        const std::string run = std::string("\"$HUSK\" run --mode ") + mode;
        EXPECT_THAT(script(run + " -- 'echo ('").err, HasSubstr("syntax error")) << mode;
        const std::string same = " -- '[[ /proc/$$/exe -ef /bin/bash ]] && echo the same'";
        const Ran good = script(run + same);
        EXPECT_EQ(good.out, "the same\n") << mode << good.err;
        EXPECT_EQ(script(run + " --session s-" + mode + same).out, "the same\n") << mode;
        EXPECT_EQ(script(run + " --background -- ':'").code, 0) << mode;
    }
    EXPECT_THAT(ran(), testing::IsEmpty());
}

TEST_P(PlantedPrograms, AreNotRunWhereCommandsAreOnlyJudged) {
    EXPECT_THAT(script("\"$HUSK\" check 'echo ('").out, HasSubstr("syntax error"));
    EXPECT_EQ(script("\"$HUSK\" check 'git status'").code, 0);
    const std::string event = R"({"hook_event_name":"PreToolUse","tool_name":"Bash","cwd":")" +
                              work_ + R"(","tool_input":{"command":"echo ("}})";
    EXPECT_THAT(script("\"$HUSK\" hook claude <<< '" + event + "'").out, HasSubstr("syntax error"));
    EXPECT_THAT(ran(), testing::IsEmpty());
}

TEST_P(PlantedPrograms, AreNotRunByServers) {
    const std::string call =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bash","arguments":)"
        R"({"command":"echo ("}}})";
    const std::string hello =
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
        R"("capabilities":{},"clientInfo":{"name":"t","version":"1"}}})";
    const Ran mcp =
        script("coproc \"$HUSK\" mcp\nprintf '%s\\n' '" + hello + "' '" + call + R"(' >&${COPROC[1]}
        read -r greeting <&${COPROC[0]}; read -r answer <&${COPROC[0]}; echo "$answer")");
    EXPECT_THAT(mcp.out, HasSubstr("syntax error")) << mcp.err;
    EXPECT_THAT(script(R"("$HUSK" call bash '{"command": "echo ("}')").out,
                HasSubstr("syntax error"));
    const std::string socket = husk_.dir() / "s";
    const Ran http = script("\"$HUSK\" serve --socket " + socket + R"( >/dev/null &
        server=$!
        for i in {1..500}; do [[ -S )" +
                            socket + R"( ]] && break; /usr/bin/sleep 0.02; done
        /usr/bin/curl -s --unix-socket )" +
                            socket +
                            R"( http://localhost/v1/verdicts -d '{"command": "echo ("}'
        kill $server; wait $server)");
    EXPECT_THAT(http.out, HasSubstr("syntax error")) << http.err;
    EXPECT_THAT(ran(), testing::IsEmpty());
}

TEST_P(PlantedPrograms, AreNotRunByTheRest) {
    EXPECT_THAT(script("\"$HUSK\" doctor").out, HasSubstr("bash"));
    EXPECT_EQ(script("\"$HUSK\" bench --rounds 2").code, 0);
    for (const char* words : {"shells", "session list", "log", "stats", "config", "tools"})
        EXPECT_EQ(script(std::string("\"$HUSK\" ") + words).code, 0) << words;
    // No engine listens there, and no program is asked to start one.
    script("\"$HUSK\" run --place container --image x -- true");
    EXPECT_THAT(ran(), testing::IsEmpty());
}

// An empty part of LD_LIBRARY_PATH is the working directory.
TEST_P(PlantedPrograms, AreNoLibrariesOfHusk) {
    const std::string planted =
        "touch libc.so.6 libm.so.6 libsimdjson.so.14 libstdc++.so.6 libgcc_s.so.1\n"
        "export LD_LIBRARY_PATH=/nonexistent:\n";
    EXPECT_NE(script(planted + "/usr/bin/true").code, 0) << "a planted library would be loaded";
    const Ran ran = script(planted + "exec \"$HUSK\" run -- 'echo hello'");
    EXPECT_EQ(ran.out, "hello\n") << ran.err;
}

TEST_P(PlantedPrograms, PathHasNoRelativeEntryBehindWalls) {
    for (const char* mode : {"read-only", "workspace"}) {
        const std::string run = std::string("\"$HUSK\" run --mode ") + mode;
        for (const std::string& given : {std::string(), " --env PATH=.:" + bin_ + "::/usr/bin:x"}) {
            const Ran seen = script(run + given + " --checks off -- 'echo \":$PATH:\"'");
            EXPECT_THAT(seen.out, HasSubstr(":" + bin_ + ":")) << seen.err;
            for (const char* relative : {"::", ":.:", ":bin:", ":x:"})
                EXPECT_THAT(seen.out, Not(HasSubstr(relative))) << mode << given;
        }
    }
    const Ran open = script("\"$HUSK\" run --mode open -- 'echo $PATH'");
    EXPECT_THAT(open.out, HasSubstr(":.:bin::"));
}

}  // namespace
}  // namespace husk::test
