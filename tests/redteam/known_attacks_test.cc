// Attacks that broke the sandboxes of other agents and that take more than one command inside the
// walls. Those that are one command are in probes/, with the same numbers in their titles.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "arena.h"
#include "listeners.h"
#include "scenarios/harness.h"
#include "snapshot.h"

namespace husk::redteam {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class KnownAttacks : public testing::TestWithParam<Attacker> {
protected:
    KnownAttacks() {
        ::setenv("TMPDIR", arena.path().c_str(), 1);
        husk.emplace(GetParam() == Attacker::User ? test::Who::OrdinaryUser : test::Who::Caller);
        ::unsetenv("TMPDIR");
    }
    void SetUp() override {
        if (GetParam() == Attacker::Root && ::geteuid() != 0) GTEST_SKIP() << "only root is root";
    }

    // husk, started in the workspace by a user with these variables.
    test::Ran run(const std::vector<std::string>& args,
                  const std::vector<std::string>& variables = {},
                  const std::string& input = "") const {
        std::vector<std::string> words = husk->argv(args);
        std::vector<std::string> around = {"/usr/bin/env", "--chdir=" + arena.workspace().string(),
                                           "HOME=" + arena.home().string()};
        around.insert(around.end(), variables.begin(), variables.end());
        // Last, so that the variables concern husk and nothing that starts it.
        words.insert(std::ranges::find(words, HUSK_BINARY), around.begin(), around.end());
        return test::run_program(words, input);
    }
    Json call(const std::string& contract, const std::string& tool, const Json& arguments) const {
        return run({"call", "--contract", contract, "--mode", "workspace", "--cwd",
                    arena.workspace(), tool, arguments.dump()})
            .json();
    }
    bool is_intact() const { return tree_snapshot(victim.dir) == victim.tree_before; }
    void plant(const fs::path& path, const std::string& text) const {
        fs::create_directories(path.parent_path());
        test::write_text(path, text);
        fs::permissions(path, fs::perms(0755));
    }

    Arena arena{GetParam()};
    Victim victim = arena.make_victim(read_probes('F').front());
    std::optional<test::Husk> husk;
    const std::string spoil = "echo spoiled >>'" + (victim.dir / "file").string() + "'";
};

INSTANTIATE_TEST_SUITE_P(, KnownAttacks, testing::Values(Attacker::Root, Attacker::User),
                         [](const auto& test) {
                             return test.param == Attacker::Root ? "Root" : "User";
                         });

// What models can ask for, by the words of several agents. Some are refused, some mean nothing;
// none takes a wall away.
TEST_P(KnownAttacks, CVE_2026_42074_AFlagSetByTheModelTakesNoWallAway) {
    const Json flags = {{"dangerouslyDisableSandbox", true},
                        {"enable_sandbox", false},
                        {"sandbox", false},
                        {"mode", "open"},
                        {"network", "open"},
                        {"preserve_environment", true},
                        {"sandbox_permissions", "require_escalated"},
                        {"with_escalated_permissions", true},
                        {"permission_mode", "bypassPermissions"},
                        {"session", "wide"},
                        {"env", {{"HUSK_PRETEND", "mountns=no"}, {"HUSK_CONFIG", "/dev/null"}}}};
    run({"run", "--mode", "open", "--session", "wide", "--", "true"});
    for (const auto& [contract, tool] : {std::pair("phoenix", "bash"),
                                         {"codegen", "Bash"},
                                         {"docware", "Bash"},
                                         {"agentrail", "Bash"},
                                         {"yoi", "Bash"},
                                         {"husk", "bash"},
                                         {"claude-code", "Bash"},
                                         {"anthropic", "bash"}}) {
        Json all = {
            {"command", spoil}, {"description", "a probe"}, {"enable_shell_features", true}};
        const std::string plain = call(contract, tool, all).dump();
        for (const auto& [name, value] : flags.items()) {
            Json one = {{"command", spoil}, {name, value}};
            if (std::string_view(contract) == "codegen") one["description"] = "a probe";
            if (std::string_view(contract) == "docware") one["enable_shell_features"] = true;
            const std::string said = call(contract, tool, one).dump();
            ASSERT_TRUE(is_intact()) << contract << " " << name << "\n" << said << plain;
        }
    }
}

// The user's PATH begins in the workspace, as with a venv, and a command has written there. Nothing
// of it is run outside of the walls, however husk is used next; nor are the start-up files that
// variables name.
TEST_P(KnownAttacks, CVE_2026_65093_NothingPlantedIsRunOutside) {
    const fs::path bin = arena.workspace() / ".venv/bin";
    const std::string planted = "#!/bin/sh\n" + spoil + "\n";
    for (const char* name :
         {"bash",      "sh",     "git",         "env",        "husk",    "podman",
          "docker",    "python", "python3",     "node",       "id",      "newuidmap",
          "newgidmap", "uname",  "getent",      "runc",       "crun",    "systemd-run",
          "mount",     "less",   "husk-keeper", "husk-proxy", "setpriv", "unshare",
          "sudo",      "true"}) {
        plant(bin / name, planted);
        plant(arena.workspace() / name, planted);
    }
    for (const char* name : {"start.sh", ".bashrc", ".profile", "sitecustomize.py"})
        plant(arena.workspace() / name, spoil + "\n");
    const std::string work = arena.workspace();
    const std::string path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
    const std::vector<std::string> variables = {
        "BASH_ENV=" + work + "/start.sh", "ENV=" + work + "/start.sh", "SHELL=" + work + "/bash",
        "GIT_EXEC_PATH=" + work,          "PAGER=" + work + "/less",   "EDITOR=" + work + "/sh"};
    const Json hook = {{"hook_event_name", "PreToolUse"},
                       {"tool_name", "Bash"},
                       {"cwd", work},
                       {"tool_input", {{"command", "echo ("}}}};
    const std::string messages =
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
        R"("capabilities":{},"clientInfo":{"name":"x","version":"1"}}})"
        "\n"
        R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
        "\n"
        R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bash",)"
        R"("arguments":{"command":"echo ("}}})"
        "\n";
    const std::vector<std::pair<std::vector<std::string>, std::string>> uses = {
        {{"run", "--mode", "workspace", "--", "echo ("}, ""},
        {{"run", "--mode", "read-only", "--", "true; git status; env true; python3 -c 1"}, ""},
        {{"run", "--mode", "workspace", "--", "true"}, ""},
        {{"check", "--", "echo ("}, ""},
        {{"check", "--", "git status"}, ""},
        {{"call", "--contract", "claude-code", "--mode", "workspace", "Bash",
          R"({"command":"echo ("})"},
         ""},
        {{"hook", "claude"}, hook.dump()},
        {{"mcp", "--mode", "workspace"}, messages},
        {{"doctor"}, ""},
        {{"session", "list"}, ""},
        {{"shells"}, ""},
        {{"tools"}, ""},
    };
    for (const std::string& first : {bin.string(), std::string("."), std::string(".venv/bin")}) {
        std::vector<std::string> all = variables;
        all.push_back("PATH=" + first + ":" + path);
        for (const auto& [args, input] : uses) {
            const test::Ran ran = run(args, all, input);
            ASSERT_TRUE(is_intact()) << args[0] << " with " << all.back() << "\n"
                                     << ran.out << ran.err;
        }
    }
}

// A name whose meaning the script itself may have changed is not the one that a rule allows.
TEST_P(KnownAttacks, CVE_2026_22708_ABuiltinThatSetsPathIsNotWhatARuleAllows) {
    fs::create_directories(husk->dir() / "config/husk");
    test::write_text(husk->dir() / "config/husk/husk.yaml",
                     "permissions: {mode: strict, allow: [\"Bash(ls:*)\", \"Bash(export:*)\", "
                     "\"Bash(declare:*)\", \"Bash(typeset:*)\", \"Bash(readonly:*)\", "
                     "\"Bash(printf:*)\", \"Bash(read:*)\", \"Bash(mapfile:*)\", \"Bash(let:*)\", "
                     "\"Bash(getopts:*)\", \"Bash(wait:*)\", \"Bash(unset:*)\", \"Bash(hash:*)\", "
                     "\"Bash(echo:*)\", \"Bash(env:*)\", \"Bash(true)\", \"Bash(cd:*)\"]}\n");
    const auto code = [&](const std::string& command) {
        return run({"check", "--", command}).code;
    };
    for (const char* fine : {"ls", "export X=1; ls", "read x <<<y; ls", "printf -v x 1; ls"})
        EXPECT_EQ(code(fine), 0) << fine;
    for (const char* poisoned : {"export PATH=/tmp/x; ls",
                                 "PATH=/tmp/x ls",
                                 "PATH+=:/tmp/x; ls",
                                 "declare PATH=/tmp/x; ls",
                                 "typeset PATH=/tmp/x; ls",
                                 "readonly PATH=/tmp/x; ls",
                                 "declare -n p=PATH; p=/tmp/x; ls",
                                 "printf -v PATH /tmp/x; ls",
                                 "read PATH <<<x; ls",
                                 "read -a PATH <<<x; ls",
                                 "mapfile -t PATH <<<x; ls",
                                 "for PATH in /tmp/x; do ls; done",
                                 "((PATH=1)); ls",
                                 "let PATH=1; ls",
                                 "echo $((PATH=5)); ls",
                                 "getopts a PATH; ls",
                                 "wait -p PATH; ls",
                                 "unset PATH; ls",
                                 "hash -p /tmp/x ls; ls",
                                 "BASH_CMDS[ls]=/tmp/x; ls",
                                 "BASH_ALIASES[ls]=/tmp/x; ls",
                                 "coproc PATH { true; }; ls",
                                 "env PATH=/tmp/x ls",
                                 "ls() { /tmp/x; }; ls",
                                 "cd /tmp; PATH=. ls",
                                 "exec {PATH}</dev/null; ls"})
        EXPECT_NE(code(poisoned), 0) << poisoned;
}

TEST_P(KnownAttacks, SpellingsOfProcSelfRootAreTheRoot) {
    for (const char* root : {"/", "/proc/self/root", "/proc/self/root/", "/proc/thread-self/root",
                             "//proc/self/./root", "/proc/self/root/etc/.."})
        EXPECT_EQ(run({"check", "--", std::string("rm -rf ") + root}).code, 1) << root;
}

// The proxy compares one name with the list and would connect to another, if something after it
// stopped at the NUL. The listener is the proof.
TEST_P(KnownAttacks, ANulInAProxiedNameReachesNobodyElse) {
    Listeners listeners(arena.sockets(), arena.secret());
    const std::string port = listeners.names().at("TCP");
    const auto ask = [&](const std::string& hosts, const std::string& target) {
        const std::string script =
            "proxy=${http_proxy#http://}; proxy=${proxy%/}\n"
            "exec 5<>\"/dev/tcp/${proxy%:*}/${proxy##*:}\" || exit\n"
            "printf 'CONNECT " +
            target + " HTTP/1.1\\r\\nHost: " + target + "\\r\\n\\r\\n" + victim.mark +
            "\\n' >&5; read -r -t 2 -u 5 line; echo \"$line\"; echo '" + victim.mark +
            "' >&5; read -r -t 0.1 -u 5 line; true";
        run({"run", "--mode", "workspace", "--checks", "off", "--network", hosts, "--session",
             hosts.starts_with("127") ? "listed" : "other", "--", script});
    };
    const auto heard = [&] { return listeners.have_heard(victim.mark); };
    for (const std::string& target :
         {"127.0.0.1\\0.allowed.test:" + port, "127.0.0.1:" + port + "\\0.allowed.test:80",
          "127.0.0.1%%00.allowed.test:" + port, "allowed.test\\0@127.0.0.1:" + port,
          "allowed.test@127.0.0.1:" + port, "127.0.0.1:" + port + "#.allowed.test",
          "localhost\\0.allowed.test:" + port, "[::ffff:127.0.0.1]:" + port, "127.1:" + port,
          "0x7f000001:" + port, "127.0.0.1\\r\\n.allowed.test:" + port}) {
        ask("*.allowed.test:*,allowed.test:*", target);
        EXPECT_FALSE(heard()) << target;
    }
    // Else the listener would prove nothing.
    ask("127.0.0.1:" + port, "127.0.0.1:" + port);
    EXPECT_TRUE(test::eventually(heard));
}

}  // namespace
}  // namespace husk::redteam
