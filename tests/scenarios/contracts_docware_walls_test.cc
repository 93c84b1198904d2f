// The contract `docware`: what the walls and the configuration make of its lists and keys.
#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "contract_calls.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// A workspace with one directory that calls may use, and another one.
class DocwarePaths : public testing::TestWithParam<Who> {
protected:
    DocwarePaths() : husk_(GetParam()) {
        for (const char* name : {"in", "in/deep", "other", "home"}) make(name);
        write("in/known", "known\n");
        write("other/secret", "hidden\n");
        fs::create_symlink("../other/secret", work_ / "in/link");
        fs::create_directory_symlink(work_ / "other", work_ / "in/away");
    }

    void make(const std::string& name) {
        fs::create_directories(work_ / name);
        own(work_);
        own(work_ / name);
    }
    void write(const std::string& name, const std::string& text) {
        write_text(work_ / name, text);
        own(work_ / name);
    }
    void own(const fs::path& path) const {
        const bool given = GetParam() == Who::OrdinaryUser && ::geteuid() == 0;
        EXPECT_EQ(given ? ::lchown(path.c_str(), ordinary_uid, ordinary_uid) : 0, 0);
    }

    Json call(Json arguments, const std::vector<std::string>& options = {}) const {
        std::vector<std::string> words = {"call", "--contract", "docware", "--cwd", work_.string()};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"Bash", "-"});
        const Ran ran = husk_(words, arguments.dump());
        EXPECT_EQ(ran.code, 0) << ran.err;
        return ran.json()["structuredContent"];
    }
    Json shell(const std::string& command, const Json& paths = {"in"}) const {
        return call({{"command", command},
                     {"enable_shell_features", true},
                     {"cwd", "in"},
                     {"allowed_paths", paths}});
    }
    // A script that the checks cannot look into.
    Json script(const std::string& text, const Json& paths = {"in"}) {
        write("in/script", text);
        return shell("bash ./script", paths);
    }

    Husk husk_;
    fs::path work_ = husk_.dir() / "work";
};

TEST_P(DocwarePaths, PathSecurity_TheWallsKeepToTheListWhateverTheSpelling) {
    EXPECT_EQ(shell("cat known")["stdout"], "known\n");
    const std::string spellings[] = {"cat ../other/secret",
                                     "cat " + work_.string() + "/other/secret",
                                     "cat link",
                                     "cat away/secret",
                                     "cat /proc/self/cwd/../other/secret",
                                     "cat /proc/self/root" + work_.string() + "/other/secret",
                                     "cd .. && cat other/secret",
                                     "ls ../other",
                                     "cat ../*/secret"};
    for (const std::string& spelling : spellings) {
        const Json done = script(spelling + "\n");
        EXPECT_EQ(done["success"], true) << done.dump();
        EXPECT_NE(done["exit_code"], 0) << spelling;
        EXPECT_THAT(done["stdout"].get<std::string>(), Not(HasSubstr("hidden"))) << spelling;
        EXPECT_THAT(done["stdout"].get<std::string>(), Not(HasSubstr("secret"))) << spelling;
    }
    // The text alone shows nothing wrong with a link.
    EXPECT_THAT(shell("cat link; cat away/secret")["stdout"].get<std::string>(),
                Not(HasSubstr("hidden")));
}

TEST_P(DocwarePaths, PathSecurity_WhatIsAllowedCanBeWrittenAndNothingElse) {
    const Json done = script(
        "echo 1 > made && mkdir deep/d && mv made deep/d/made && cat deep/d/made\n"
        "echo 2 > ../other/made; echo 3 > ../made; rm -f ../other/secret\n"
        "echo 4 > \"$TMPDIR/x\" && cat \"$TMPDIR/x\"\n");
    EXPECT_EQ(done["stdout"], "1\n4\n") << done.dump(1);
    EXPECT_TRUE(fs::exists(work_ / "in/deep/d/made"));
    EXPECT_FALSE(fs::exists(work_ / "other/made"));
    EXPECT_FALSE(fs::exists(work_ / "made"));
    EXPECT_EQ(read_text(work_ / "other/secret"), "hidden\n");
}

// Also for root, who has files in /etc that are withheld from the command.
TEST_P(DocwarePaths, PathSecurity_TheSystemCanBeReadAndListed) {
    const Json done = script("ls /etc; head -c 4 /etc/passwd; cat /etc/shadow; ls /usr; ls /\n");
    const std::string shown = done["stdout"].get<std::string>();
    EXPECT_THAT(shown, HasSubstr("passwd\n"));
    EXPECT_THAT(shown, HasSubstr("root"));
    EXPECT_THAT(shown, Not(HasSubstr("root:")));
    EXPECT_THAT(shown, HasSubstr("share\n"));
    EXPECT_THAT(shown, Not(HasSubstr("boot\n")));
}

TEST_P(DocwarePaths, PathSecurity_EachListHasItsOwnWalls) {
    const std::string both = "cat known; cat ../other/secret\n";
    EXPECT_EQ(script(both)["stdout"], "known\n");
    EXPECT_EQ(script(both, {"in", "other"})["stdout"], "known\nhidden\n");
    EXPECT_EQ(script(both, {"."})["stdout"], "known\nhidden\n");
    EXPECT_EQ(script(both)["stdout"], "known\n");
    // A directory that was replaced is another one.
    fs::rename(work_ / "in", work_ / "old");
    make("in");
    write("in/known", "new\n");
    EXPECT_EQ(script(both)["stdout"], "new\n");
}

TEST_P(DocwarePaths, PathSecurity_WhatLiesOutsideOfTheWorkspaceCanOnlyBeRead) {
    const Json done = call({{"command", "ls; touch x"},
                            {"enable_shell_features", true},
                            {"cwd", "/usr/share"},
                            {"allowed_paths", {"/usr/share"}}});
    EXPECT_NE(done["stdout"], "");
    EXPECT_NE(done["exit_code"], 0);
    // A list that allows nothing allows no working directory either.
    EXPECT_EQ(call({{"command", "true"},
                    {"allowed_paths", Json::array()}})["error"]["details"]["blockedBy"],
              "path_security_check");
}

TEST_P(DocwarePaths, PathSecurity_TheConfigurationsListHasWallsToo) {
    const fs::path file = husk_.dir() / "docware.yaml";
    write_text(file, "docware: {allowedPaths: [in, other]}\n");
    write("in/script", "cat known; cat ../other/secret; cat ../third\n");
    write("third", "third\n");
    const std::vector<std::string> options = {"--config", file.string()};
    Json asked = {{"command", "bash"}, {"args", {"./script"}}, {"cwd", "in"}};
    EXPECT_EQ(call(asked, options)["stdout"], "known\nhidden\n");
    asked["allowed_paths"] = {"in"};
    EXPECT_EQ(call(asked, options)["stdout"], "known\n");
}

TEST_P(DocwarePaths, PathSecurity_HoldsInModeReadOnlyAndWithoutMounts) {
    write("in/script", "cat known; cat ../other/secret; cat link; echo x > made\n");
    const auto runs_in = [&](const std::string& mode, const std::string& session) {
        const Json done = call(
            {{"command", "bash"}, {"args", {"./script"}}, {"cwd", "in"}, {"allowed_paths", {"in"}}},
            {"--mode", mode, "--session", session, "--accept", "metadata", "--accept",
             "protected-paths"});
        EXPECT_EQ(done["stdout"], "known\n") << mode << " " << session << done.dump();
        return fs::exists(work_ / "in/made");
    };
    EXPECT_FALSE(runs_in("read-only", "all"));
    ::setenv("HUSK_PRETEND", "mountns=no", 1);
    EXPECT_FALSE(runs_in("read-only", "less"));
    EXPECT_TRUE(runs_in("workspace", "little"));
    ::unsetenv("HUSK_PRETEND");
}

TEST_P(DocwarePaths, PathSecurity_AModeWithoutASandboxSaysSo) {
    const Json asked = {{"command", "cat"}, {"args", {"in/link"}}, {"allowed_paths", {"."}}};
    const Json open = call(asked, {"--mode", "open"});
    EXPECT_EQ(open["stdout"], "hidden\n");
    EXPECT_THAT(open["notes"].dump(), HasSubstr("only the text of the command was checked"));
    EXPECT_FALSE(call(asked).contains("notes"));
    const Ran tool = husk_({"tools", "--contract", "docware", "--mode", "open", "--cwd", work_});
    EXPECT_THAT(tool.out, HasSubstr("Only the text is checked"));
}

// ---- a list takes away, and gives nothing

TEST_P(DocwarePaths, PathSecurity_AListMakesNothingWritableThatIsProtected) {
    for (const char* name :
         {".git/hooks", ".git/objects", ".git/refs", ".vscode", ".claude/sub", "kept/sub"})
        make(name);
    write(".git/HEAD", "ref: refs/heads/main\n");
    write(".git/config", "[core]\n");
    const auto write_in = [&](const std::string& directory) {
        return call({{"command", "echo x > made; echo x >> config; echo x > commondir; ls"},
                     {"enable_shell_features", true},
                     {"cwd", directory},
                     {"allowed_paths", {directory}}},
                    {"--protect", (work_ / "kept").string()});
    };
    for (const char* name : {".git/hooks", ".vscode", ".claude", ".claude/sub", "kept/sub"}) {
        const Json done = write_in(name);
        EXPECT_EQ(done["exit_code"], 0) << done.dump(1);
        EXPECT_FALSE(fs::exists(work_ / name / "made")) << name;
    }
    write_in(".git");
    EXPECT_EQ(read_text(work_ / ".git/config"), "[core]\n");
    EXPECT_FALSE(fs::exists(work_ / ".git/commondir"));
    write_in("in");
    EXPECT_TRUE(fs::exists(work_ / "in/made"));
}

// A directory outside of the workspace that the modes do not show, and that goes with the test.
class Hidden {
public:
    explicit Hidden(fs::path path) : path_(std::move(path)) {
        fs::create_directories(path_);
        write_text(path_ / "secret", "hidden\n");
    }
    ~Hidden() { fs::remove_all(path_); }
    Hidden(const Hidden&) = delete;
    Hidden& operator=(const Hidden&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

TEST_P(DocwarePaths, PathSecurity_AListMakesNothingReadableThatWasNot) {
    const std::string name = "husk-list-" + std::to_string(::getpid());
    std::vector<fs::path> places = {"/tmp", "/dev/shm"};
    if (::geteuid() == 0) places.emplace_back("/run");
    for (const fs::path& place : places) {
        const Hidden hidden(place / name);
        ASSERT_EQ(read_text(hidden.path() / "secret"), "hidden\n");
        for (const fs::path& entry : {hidden.path(), place}) {
            const Json done = call({{"command", "cat secret " + name + "/secret; ls; true"},
                                    {"enable_shell_features", true},
                                    {"cwd", entry.string()},
                                    {"allowed_paths", {entry.string()}}});
            EXPECT_THAT(done.value("stdout", ""), Not(HasSubstr("hidden"))) << entry;
            EXPECT_THAT(done.value("stdout", ""), Not(HasSubstr("secret"))) << entry;
        }
    }
}

// The configuration's list allows what lies in it, and not what a command makes it lead to.
TEST_P(DocwarePaths, PathSecurity_ALinkDoesNotLeadOutOfTheConfigurationsList) {
    const fs::path file = husk_.dir() / "docware.yaml";
    write_text(file, "docware: {allowedPaths: [in]}\n");
    const std::vector<std::string> options = {"--config", file.string()};
    const auto shown_in = [&](const std::string& directory, const Json& more) {
        Json asked = {{"command", "cat secret known; ls; true"},
                      {"enable_shell_features", true},
                      {"cwd", directory}};
        asked.update(more);
        return call(asked, options).value("stdout", "");
    };
    EXPECT_EQ(shown_in("in", {{"allowed_paths", {"in/away"}}}), "");
    const std::string through = shown_in("in/away", {{"allowed_paths", {"in/away"}}});
    EXPECT_THAT(through, Not(HasSubstr("hidden")));
    EXPECT_THAT(through, Not(HasSubstr("secret")));
    EXPECT_THAT(shown_in("in/away", Json::object()), Not(HasSubstr("hidden")));
    EXPECT_THAT(shown_in("in", {{"allowed_paths", {"in"}}}), HasSubstr("known\n"));
}

// An entry that is missing, or was removed, can come back as a link that a command made.
TEST_P(DocwarePaths, PathSecurity_AnEntryOfTheConfigurationCannotBecomeALink) {
    const fs::path file = husk_.dir() / "docware.yaml";
    const fs::path beside = husk_.dir() / "beside";
    const std::string in = work_ / "in";
    const std::string cache = work_ / "cache";
    write_text(file, "docware: {allowedPaths: [in, cache]}\n");
    fs::create_directory(beside);
    write_text(beside / "secret", "hidden\n");
    write("in/script", "cat " + (beside / "secret").string() + " " +
                           (work_ / "other/secret").string() + "; echo end\n");
    for (const fs::path& target : {fs::path("/"), beside, work_ / "other"})
        for (const Json& list :
             {Json(), Json{in, cache}, Json{in, "/"}, Json{in, beside.string()}}) {
            fs::remove(cache);
            fs::create_directory_symlink(target, cache);
            Json asked = {
                {"command", "bash ./script"}, {"enable_shell_features", true}, {"cwd", in}};
            if (!list.is_null()) asked["allowed_paths"] = list;
            const Json done = call(asked, {"--config", file.string()});
            EXPECT_EQ(done.value("stdout", ""), "end\n") << target << list << done.dump(1);
        }
}

// Without a list of the configuration, nothing is gained by a link in the workspace.
TEST_P(DocwarePaths, PathSecurity_ALinkInTheWorkspaceIsAnEntryLikeItsTarget) {
    const Json done = call({{"command", "cat"},
                            {"args", {"secret"}},
                            {"cwd", "in/away"},
                            {"allowed_paths", {"in/away"}}});
    EXPECT_EQ(done["stdout"], "hidden\n") << done.dump(1);
}

// Husk sees what is withheld from the command, and does not tell of it.
TEST_P(DocwarePaths, Output_FileStateDoesNotLookThroughLinks) {
    const Hidden hidden("/tmp/husk-state-" + std::to_string(::getpid()));
    fs::create_directory_symlink(hidden.path(), work_ / "out");
    own(work_ / "out");
    for (const Json& more : {Json::object(), Json{{"allowed_paths", {"."}}}}) {
        Json asked = {{"command", "cat out/secret out/none in/away/secret in/known; true"},
                      {"enable_shell_features", true}};
        asked.update(more);
        std::map<std::string, std::string> states;
        const Json done = call(asked);
        for (const Json& one : done["debug_info"]["file_state"])
            states[fs::path(one["path"].get<std::string>()).lexically_relative(work_)] =
                one["state"];
        EXPECT_EQ(states, (std::map<std::string, std::string>{{"out/secret", "unknown"},
                                                              {"out/none", "unknown"},
                                                              {"in/away/secret", "unknown"},
                                                              {"in/known", "unchanged"}}));
    }
}

INSTANTIATE_TEST_SUITE_P(, DocwarePaths, both(), who_name);

// ---- refusals

TEST(DocwareRefusals, Errors_TellOnlyVariablesThatTheCallSets) {
    const Conversation docware("docware");
    const auto refusal = [&](const Json& more) {
        Json arguments = {{"command", "mkfs.ext4"}, {"args", {"/dev/sda"}}};
        arguments.update(more);
        const Json result = docware.call("Bash", arguments);
        EXPECT_EQ(result["structuredContent"]["error"]["type"], "security_validation_failed");
        return result.dump();
    };
    EXPECT_THAT(refusal(Json::object()), Not(HasSubstr("the call sets")));
    EXPECT_THAT(refusal({{"env", {{"GIVEN", "1"}}}}), HasSubstr("the call sets GIVEN\""));
    const Ran log = docware.husk()({"log", "--json"});
    EXPECT_THAT(log.out, HasSubstr("the call sets GIVEN"));
    EXPECT_THAT(log.out, Not(HasSubstr("HISTFILE")));
}

TEST(DocwareRefusals, Errors_AMachineWithoutASandboxIsAnAnswer) {
    const Conversation docware("docware");
    const char* machines[] = {"landlock=no", "seccomp=no", "mountns=no"};
    for (const char* machine : machines) {
        std::vector<std::string> words = {"env", std::string("HUSK_PRETEND=") + machine};
        for (std::string& word :
             docware.husk().argv(docware.args("Bash", R"({"command": "touch", "args": ["made"]})")))
            words.push_back(std::move(word));
        const Ran ran = run_program(words);
        EXPECT_EQ(ran.code, 0) << ran.err;
        const Json output = ran.json()["structuredContent"];
        EXPECT_EQ(output["error"]["type"], "sandbox_creation_failed") << machine << ran.out;
        EXPECT_EQ(output["error"]["securityRelated"], true);
        EXPECT_EQ(output["security_info"]["sandbox_used"], false);
        EXPECT_FALSE(output["error"]["recovery_suggestions"].empty());
    }
    EXPECT_FALSE(fs::exists(fs::path(docware.work()) / "made"));
}

// The same for real: a user without capabilities on a machine that gives out no user namespaces.
TEST(DocwareRefusals, Errors_NoNamespacesForAnOrdinaryUserIsAnAnswer) {
    const Conversation docware("docware");
    std::string command =
        "echo 0 >/proc/sys/user/max_user_namespaces || exit 99\n"
        "exec setpriv --bounding-set=-all --inh-caps=-all";
    for (const std::string& word :
         docware.husk().argv(docware.args("Bash", R"({"command": "touch", "args": ["made"]})")))
        command += " '" + word + "'";
    const Ran ran = run_program({"unshare", "-Ur", "sh", "-c", command});
    if (ran.code == 1 && ran.err.contains("unshare")) GTEST_SKIP() << ran.err;
    ASSERT_EQ(ran.code, 0) << ran.err;
    const Json output = ran.json()["structuredContent"];
    EXPECT_EQ(output["error"]["type"], "sandbox_creation_failed") << ran.out;
    EXPECT_FALSE(fs::exists(fs::path(docware.work()) / "made"));
}

// ---- PATH

TEST(DocwareSandbox, Sandbox_PathHasNoRelativeEntriesInAnyMode) {
    for (const char* mode : {"workspace", "open"}) {
        const Conversation docware("docware", {"--mode", mode, "--may-preserve-environment"});
        const auto path_of = [&](const Json& more) {
            Json arguments = {{"command", "/bin/bash"}, {"args", {"-c", "echo $PATH"}}};
            arguments.update(more);
            std::vector<std::string> words = {"env", "PATH=.:/usr/bin::bin:/bin"};
            for (std::string& word : docware.husk().argv(docware.args("Bash", arguments.dump())))
                words.push_back(std::move(word));
            return run_program(words).json()["structuredContent"];
        };
        EXPECT_EQ(path_of(Json::object())["stdout"], "/usr/bin:/bin\n") << mode;
        EXPECT_EQ(path_of({{"preserve_environment", true}})["stdout"], "/usr/bin:/bin\n") << mode;
        const Json given = path_of({{"env", {{"PATH", "./x:/bin:"}}}});
        EXPECT_EQ(given["stdout"], "/bin\n") << mode;
        EXPECT_THAT(given["notes"].dump(), HasSubstr("they were left out, and PATH is /bin"));
    }
}

// bash without PATH takes one of its own, which ends in the working directory.
TEST(DocwareSandbox, Sandbox_PathThatACallTakesOutIsThatOfTheSystem) {
    for (const char* mode : {"workspace", "open"}) {
        const Conversation docware("docware", {"--mode", mode});
        const fs::path program = fs::path(docware.work()) / "zz";
        write_text(program, "#!/bin/sh\necho was run\n");
        fs::permissions(program, fs::perms(0755));
        const auto shell = [&](const std::string& command) {
            return docware.call("Bash", {{"command", command},
                                         {"enable_shell_features", true},
                                         {"env", {{"PATH", nullptr}}}})["structuredContent"];
        };
        EXPECT_EQ(shell("zz")["exit_code"], 127) << mode;
        EXPECT_EQ(shell("echo $PATH; ls zz")["stdout"], "/usr/local/bin:/usr/bin:/bin\nzz\n")
            << mode;
    }
}

// ---- configuration

TEST(DocwareConfiguration, updateCommandWhitelist_AnEmptyListAllowsNothing) {
    const Conversation docware("docware");
    const auto type = [&] {
        return docware.call("Bash", {{"command", "true"}})["structuredContent"].value(
            "/error/type"_json_pointer, "");
    };
    const auto set = [&](const std::vector<std::string>& values) {
        std::vector<std::string> words = {"config", "set", "docware.command_whitelist"};
        words.insert(words.end(), values.begin(), values.end());
        return docware.husk()(words).code;
    };
    EXPECT_EQ(set({"ls", "true"}), 0);
    EXPECT_EQ(type(), "");
    EXPECT_EQ(set({"[]"}), 0);
    EXPECT_EQ(type(), "command_not_allowed");
    for (const char* list : {"[ls, true]", R"(["true"])"}) EXPECT_NE(set({list}), 0) << list;
    EXPECT_NE(set({}), 0);
    EXPECT_EQ(type(), "command_not_allowed");
    EXPECT_EQ(set({"ls", "true"}), 0);
    EXPECT_EQ(type(), "");
}

TEST(DocwareConfiguration, Configuration_KeysOfTheSectionAreInForce) {
    const Conversation docware("docware");
    fs::create_directories(fs::path(docware.work()) / "sub");
    docware.configure(
        "limits: {processes: 4, memory: 2G}\n"
        "docware: {maxFileDescriptors: 33, defaultTimeout: 700, maxOutputSize: 64K,\n"
        "          commandWhitelist: [bash, sleep, yes, env, ulimit], maxMemoryUsage: 64M,\n"
        "          preserveEnvironment: true, enableStreaming: false}\n");
    const auto call = [&](const Json& arguments) {
        return docware.call("Bash", arguments)["structuredContent"];
    };
    EXPECT_EQ(call({{"command", "bash"}, {"args", {"-c", "ulimit -n"}}})["stdout"], "33\n");
    EXPECT_EQ(call({{"command", "sleep"}, {"args", {"60"}}})["error"]["message"],
              "Command execution timed out after 700ms");
    EXPECT_EQ(call({{"command", "yes"}})["error"]["type"], "resource_limit_exceeded");
    EXPECT_EQ(call({{"command", "ls"}})["error"]["type"], "command_not_allowed");
    EXPECT_EQ(call({{"command", "yes"}, {"max_memory", 65 << 20}})["error"]["details"]["blockedBy"],
              "resource_access_check");
    EXPECT_EQ(call({{"command", "yes"}, {"stream_output", true}})["error"]["details"]["blockedBy"],
              "configuration_check");
    std::vector<std::string> words = {"env", "CALLERS_WORD=here"};
    for (std::string& word : docware.husk().argv(docware.args("Bash", R"({"command": "env"})")))
        words.push_back(std::move(word));
    EXPECT_THAT(run_program(words).out, HasSubstr("CALLERS_WORD=here"));
    docware.configure("docware: {command_whitelist: []}\n");
    EXPECT_EQ(call({{"command", "true"}})["error"]["type"], "command_not_allowed");
    docware.configure("docware: {enableSandbox: false}\n");
    EXPECT_EQ(call({{"command", "true"}})["security_info"]["sandbox_used"], false);
    docware.configure("docware: {defaultShell: /bin/zsh}\n");
    const Ran refused = docware.husk()(docware.args("Bash", R"({"command": "true"})"));
    EXPECT_EQ(refused.code, 125);
    EXPECT_THAT(refused.err, HasSubstr("Husk parses bash only"));
}

TEST(DocwareConfiguration, Configuration_OtherContractsDoNotObeyTheSection) {
    const Conversation docware("docware");
    docware.configure("docware: {maxFileDescriptors: 33, enableSandbox: false}\n");
    const Ran ran = docware.husk()({"config", "--contract", "husk", "get", "limits.open_files"});
    EXPECT_NE(ran.out, "33\n");
    EXPECT_EQ(docware.husk()({"config", "--contract", "husk", "get", "mode"}).out, "workspace\n");
}

TEST(DocwareConfiguration, Configuration_IsShownAsItIsInForce) {
    const Conversation docware("docware");
    docware.configure("limits: {processes: 4}\n");
    const Json shown = docware.husk()({"config", "--json", "--contract", "docware"}).json();
    const auto line = [&](const std::string& key) -> std::string {
        for (const Json& one : shown["settings"])
            if (one["key"] == key)
                return one["value"].get<std::string>() + " from " + one["from"].get<std::string>();
        return "";
    };
    for (const char* pack : {"rm", "destroyers", "system", "escalation", "exfiltration",
                             "injection", "administration"})
        EXPECT_EQ(line(std::string("packs.") + pack), "on from contract") << pack;
    EXPECT_EQ(line("packs.git"), "off from contract");
    EXPECT_EQ(line("limits.memory"), "1G from contract");
    EXPECT_EQ(line("docware.max_memory_usage"), "1G from contract");
    EXPECT_EQ(line("docware.max_processes"), "4 from file");
    EXPECT_EQ(line("docware.default_timeout"), "30s from contract");
    EXPECT_EQ(line("docware.enable_sandbox"), "on from contract");
    EXPECT_EQ(line("docware.security_level"), "high from built in");
}

}  // namespace
}  // namespace husk::test
