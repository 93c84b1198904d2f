// What `husk check` says without running anything, and that `husk run` goes by it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "decide/check.h"
#include "harness.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Checking : public testing::Test {
protected:
    Checking() {
        fs::create_directories(work_);
        fs::create_directories(husk_.dir() / "config/husk");
    }

    Ran check(std::vector<std::string> args, const std::string& input = "") const {
        args.insert(args.begin(), {"check", "--cwd", work_});
        return husk_(args, input);
    }
    Ran run(std::vector<std::string> args, const std::string& input = "") const {
        args.insert(args.begin(), {"run", "--cwd", work_});
        return husk_(args, input);
    }
    void users_rules(const std::string& yaml) const {
        write_text(husk_.dir() / "config/husk/husk.yaml", yaml);
    }
    void rules_here(const std::string& yaml) const {
        write_text(fs::path(work_) / "husk.yaml", yaml);
    }
    std::string file(const std::string& name, const std::string& content) const {
        const fs::path path = husk_.dir() / name;
        write_text(path, content);
        return path;
    }

    Husk husk_;
    std::string work_ = husk_.dir() / "work";
    std::string mark_ = husk_.dir() / "mark";
};

// ---- the verdict

TEST_F(Checking, TheExitCodeIsTheAnswer) {
    users_rules("permissions: {ask: [\"Bash(git push:*)\"]}");
    EXPECT_EQ(check({"git status"}).code, 0);
    EXPECT_EQ(check({"git push --force"}).code, 1);
    EXPECT_EQ(check({"git push"}).code, 2);
    EXPECT_EQ(check({}).code, 125);
}

TEST_F(Checking, APersonSeesTheScriptAsATree) {
    const Ran ran = check({"cd x && sudo git push --force"});
    EXPECT_EQ(ran.err, "");
    const auto lines = lines_of(ran.out);
    ASSERT_GE(lines.size(), 5U);
    EXPECT_EQ(lines[0], "deny");
    EXPECT_EQ(lines[1], "allow cd x");
    EXPECT_EQ(lines[2], "allow sudo git push --force");
    EXPECT_EQ(lines[3], "deny    git push --force");
    EXPECT_THAT(lines[4], AllOf(HasSubstr("--force-with-lease"), HasSubstr("built in: git")));
}

TEST_F(Checking, AProgramGetsJson) {
    const auto json = check({"--json", "cat a >b; git push -f"}).json();
    EXPECT_EQ(json["decision"], "deny");
    EXPECT_EQ(json["understood"], true);
    EXPECT_THAT(json["reason"], HasSubstr("--force"));
    EXPECT_TRUE(json["not_understood"].empty());
    ASSERT_EQ(json["commands"].size(), 2U);
    EXPECT_EQ(json["commands"][0]["decision"], "allow");
    EXPECT_EQ(json["commands"][0]["rule"], nullptr);
    const auto& push = json["commands"][1];
    EXPECT_EQ(push["text"], "git push -f");
    EXPECT_EQ(push["range"], nlohmann::json::array({10, 21}));
    EXPECT_EQ(push["decision"], "deny");
    EXPECT_THAT(push["where"], StartsWith("built in"));
    for (const char* field : {"rule", "reason", "instead", "allow_with"})
        EXPECT_TRUE(push.contains(field)) << field;
    EXPECT_EQ(json["files"], nlohmann::json::parse(R"([{"path": "a", "operation": "read"},
                                                       {"path": "b", "operation": "write"}])"));
}

TEST_F(Checking, SeveralWordsAreOneCommandAsInRun) {
    const auto json = check({"--json", "--", "echo", "a b", "$(git push -f)"}).json();
    ASSERT_EQ(json["commands"].size(), 1U);
    EXPECT_EQ(json["commands"][0]["text"], "echo 'a b' '$(git push -f)'");
    EXPECT_EQ(check({"--", "[", "-f", "x", "]"}).code, 0);
    EXPECT_TRUE(is_refusal(check({"--jsn", "ls"})));
    EXPECT_TRUE(is_refusal(check({"ls", "--", "ls"})));
}

TEST_F(Checking, TheScriptCanComeFromStandardInput) {
    EXPECT_EQ(check({"-"}, "echo hi\ngit push -f\n").code, 1);
    EXPECT_EQ(check({"-"}, "echo hi\n").code, 0);
    EXPECT_EQ(check({"--", "-"}, "git push -f").code, 0);  // a program of that name
}

TEST_F(Checking, NothingIsRun) {
    for (const std::string script :
         {"touch MARK", "echo $(touch MARK)", "cat <(touch MARK)", "cat <<E\n$(touch MARK)\nE",
          "touch MARK\nfi", "f() { touch MARK; }; f; done", ": ${x:=$(touch MARK)} ((",
          "trap 'touch MARK' EXIT; if"}) {
        std::string marked = script;
        marked.replace(marked.find("MARK"), 4, mark_);
        check({marked});
        check({"-"}, marked);
        EXPECT_FALSE(fs::exists(mark_)) << script;
    }
    EXPECT_FALSE(fs::exists(husk_.state()));
}

TEST_F(Checking, BashHasTheLastWordOnSyntax) {
    const Ran ran = check({"echo hi\ndone"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, HasSubstr("line 2: syntax error near unexpected token `done'"));
    const auto json = check({"--json", "echo hi\ndone"}).json();
    EXPECT_EQ(json["decision"], "deny");
    EXPECT_EQ(json["understood"], false);
    EXPECT_THAT(json["reason"], HasSubstr("line 2"));
}

TEST_F(Checking, SuggestsTheNarrowestRules) {
    const Ran ran = check({"--suggest", "npm run build && eval \"$x\""});
    EXPECT_THAT(ran.out, AllOf(StartsWith("permissions:\n  allow:\n    - \"Bash(npm run build"),
                               HasSubstr("# no rule should allow: eval \"$x\"\n")));
    // No rule helps against one that asks or denies, or against a pack.
    users_rules("permissions: {deny: [\"Bash(curl:*)\"]}");
    EXPECT_THAT(check({"--suggest", "curl x; git push -f"}).out,
                AllOf(StartsWith("# change the rule Bash(curl:*) at "), HasSubstr("husk.yaml:1\n"),
                      HasSubstr("# no rule should allow: git push -f\n")));
    // What it prints is what makes it run where only rules allow.
    users_rules("permissions: {mode: strict}");
    ASSERT_EQ(check({"npm run build | tee log"}).code, 1);
    std::string rules = check({"--suggest", "npm run build | tee log"}).out;
    rules.insert(rules.find("  allow:"), "  mode: strict\n");
    users_rules(rules);
    EXPECT_EQ(check({"npm run build | tee log"}).code, 0) << rules;
}

// ---- where the rules come from

TEST_F(Checking, TheUsersFileAndTheOneBesideTheWorkCountTogether) {
    users_rules("permissions: {deny: [\"Bash(curl:*)\"]}");
    rules_here("permissions: {deny: [\"Bash(wget:*)\"]}");
    EXPECT_EQ(check({"curl x"}).code, 1);
    const Ran wget = check({"wget x"});
    EXPECT_EQ(wget.code, 1);
    EXPECT_THAT(wget.out, HasSubstr("work/husk.yaml:1"));
    EXPECT_EQ(check({"ls"}).code, 0);
}

TEST_F(Checking, AFileBesideTheWorkCanOnlyNarrow) {
    const std::string wide =
        "permissions: {mode: bypassPermissions, allow: [Bash]}\n"
        "packs: {git: off, system: on}\n";
    rules_here(wide);
    const Ran push = check({"git push -f"});
    EXPECT_EQ(push.code, 1);
    EXPECT_THAT(lines_of(push.err),
                ElementsAre(AllOf(HasSubstr("husk.yaml:1"), HasSubstr("permissions.allow: Bash")),
                            HasSubstr("permissions.mode: bypassPermissions"),
                            AllOf(HasSubstr("husk.yaml:2"), HasSubstr("\"git\" switched off"))));
    EXPECT_EQ(check({"sudo ls"}).code, 1);  // the pack that it switches on
    // Who names the file trusts it.
    const Ran named = check({"--config", fs::path(work_) / "husk.yaml", "git push -f"});
    EXPECT_EQ(named.code, 0);
    EXPECT_EQ(named.err, "");
}

TEST_F(Checking, ANamedFileIsTheOnlyOne) {
    users_rules("permissions: {deny: [\"Bash(ls:*)\"]}");
    const std::string other = file("other.yaml", "permissions: {deny: [\"Bash(pwd)\"]}");
    EXPECT_EQ(check({"--config", other, "ls"}).code, 0);
    EXPECT_EQ(check({"--config", other, "pwd"}).code, 1);
    EXPECT_EQ(husk_.script("HUSK_CONFIG=" + other + " $HUSK check pwd").code, 1);
    EXPECT_EQ(husk_.script("HUSK_CONFIG=" + other + " $HUSK check ls").code, 0);
    EXPECT_TRUE(is_refusal(check({"--config", work_ + "/nowhere.yaml", "ls"})));
}

TEST_F(Checking, RulesThatCannotBeUsedStopEverything) {
    struct Case {
        const char* yaml;
        const char* told;
    };
    const Case cases[] = {
        {"permissions:\n  alow: []\n", "husk.yaml:2: unknown key \"alow\""},
        {"permissions:\n\tallow: []\n", "husk.yaml:2: there is a tab"},
        {"packs:\n  rmm: on\n", "husk.yaml:2: there is no pack \"rmm\""},
        {"permissions: {deny: [\"Bash(rm\"]}\n", "husk.yaml:1: "},
        {"rules:\n- {id: x, match: [a], verdict: deny, examples: {hits: [b]}}\n",
         "husk.yaml:2: rule \"x\" does not match its own example"},
    };
    for (const auto& [yaml, told] : cases) {
        users_rules(yaml);
        for (const Ran& ran : {check({"ls"}), run({"touch " + mark_})}) {
            EXPECT_TRUE(is_refusal(ran));
            EXPECT_THAT(ran.err, HasSubstr(told));
        }
        EXPECT_FALSE(fs::exists(mark_)) << yaml;
    }
}

TEST_F(Checking, AMistakeIsOneAlsoWhereTheRuleDoesNotCount) {
    for (const char* rule : {"Bash(", "", "(x)", "Bash()"}) {
        rules_here("permissions:\n  allow: [\"" + std::string(rule) + "\"]\n");
        for (const Ran& ran : {check({"ls"}), run({"touch " + mark_})}) {
            EXPECT_TRUE(is_refusal(ran)) << rule;
            EXPECT_THAT(ran.err, HasSubstr("husk.yaml:2: ")) << rule;
        }
    }
    EXPECT_FALSE(fs::exists(mark_));
}

TEST_F(Checking, ARuleThatCannotRefuseIsSaidToBeDead) {
    users_rules("permissions:\n  deny: [curl, \"Read(./.env)\", mcp__x]\n");
    const auto told = [](const Ran& ran) {
        EXPECT_THAT(lines_of(ran.err),
                    ElementsAre(AllOf(HasSubstr("husk.yaml:2: warning: curl never matches: "),
                                      HasSubstr("write Bash(curl:*)"))));
    };
    told(check({"curl x"}));
    told(run({"true"}));
    told(husk_({"config", "--cwd", work_}));
    told(husk_({"call", "--contract", "yoi", "--cwd", work_, "Bash", R"({"command": "true"})"}));
}

TEST_F(Checking, AFileThatWouldNeverEndIsNotRead) {
    ASSERT_EQ(::mkfifo((work_ + "/husk.yaml").c_str(), 0600), 0);
    const Ran ran = check({"ls"});
    EXPECT_TRUE(is_refusal(ran));
    EXPECT_THAT(ran.err, HasSubstr("it is no regular file"));
    EXPECT_LT(ran.took, patient(10s));
}

// ---- a file of rules alone

TEST_F(Checking, AFileOfRulesIsExamined) {
    const Ran clean = check({"--rules", file("a.yaml", "permissions: {deny: [\"Bash(rm:*)\"]}\n")});
    EXPECT_EQ(clean.code, 0);
    EXPECT_THAT(clean.out, HasSubstr("0 errors, 0 warnings"));
    const Ran wrong = check({"--rules", file("b.yaml", "packs: {rm: on}\nrules: [{}]\nx: 1\n")});
    EXPECT_EQ(wrong.code, 1);
    EXPECT_THAT(wrong.out, AllOf(HasSubstr("b.yaml:2: error: this rule has no id"),
                                 HasSubstr("b.yaml:3: error: unknown key \"x\"")));
    const Ran doubtful = check({"--rules", file("c.yaml", "permissions:\n  allow: [Bash]\n")});
    EXPECT_EQ(doubtful.code, 2);
    EXPECT_THAT(doubtful.out, HasSubstr("c.yaml:2: warning: "));
    EXPECT_EQ(check({"--rules", file("d.yaml", "permissions: {deny: [curl]}\n")}).code, 2);
    EXPECT_TRUE(is_refusal(check({"--rules", work_ + "/nowhere.yaml"})));
}

TEST_F(Checking, RulesOfOtherProgramsAreCarriedOver) {
    const std::string claude = file("settings.json", R"json({"permissions": {
  "allow": ["Bash(npm run test:*)", "Read(x)"],
  "deny": ["Bash(curl:*)"]}})json");
    const Ran told = check({"--rules", claude});
    EXPECT_EQ(told.code, 2);
    EXPECT_THAT(told.out, AllOf(HasSubstr("settings.json:2: Bash(npm run test:*)\n"
                                          "    becomes allow: Bash(npm run test:*)\n"),
                                HasSubstr("settings.json:2: Read(x)\n    not carried over: "),
                                HasSubstr("settings.json (Claude Code settings): 0 errors")));
    EXPECT_EQ(check({"--rules", claude, "npm run test -- -v"}).code, 0);
    EXPECT_EQ(check({"--rules", claude, "cd x; curl y"}).code, 1);

    const std::string codex = file("default.rules",
                                   "prefix_rule(pattern=[\"git\", \"push\"], decision=\"prompt\",\n"
                                   "  match=[\"git push origin\"], justification=\"Say so.\")\n");
    EXPECT_EQ(check({"--rules", codex}).code, 0);
    const Ran push = check({"--rules", codex, "git push"});
    EXPECT_EQ(push.code, 2);
    EXPECT_THAT(push.out, HasSubstr("Say so."));

    const std::string opencode = file(
        "opencode.json", R"json({"permission": {"bash": {"*": "deny", "git *": "allow"}}})json");
    EXPECT_EQ(check({"--rules", opencode}).code, 0);
    EXPECT_EQ(check({"--rules", opencode, "git log"}).code, 0);
    EXPECT_EQ(check({"--rules", opencode, "ls"}).code, 1);

    const auto json = check({"--rules", claude, "--json"}).json();
    EXPECT_EQ(json["format"], "Claude Code settings");
    EXPECT_EQ(json["entries"][1]["carried"], "not");
    EXPECT_EQ(json["entries"][2]["becomes"], "deny: Bash(curl:*)");
}

// ---- husk run goes by it

TEST_F(Checking, ADeniedCommandIsNotStarted) {
    const Ran ran = run({"touch " + mark_ + "; git push --force"});
    EXPECT_EQ(ran.code, 126);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(lines_of(ran.err),
                ElementsAre(AllOf(StartsWith("husk: denied: "), HasSubstr("--force-with-lease"),
                                  HasSubstr("(rule git/force-push)"))));
    EXPECT_FALSE(fs::exists(mark_));
    EXPECT_TRUE(fs::is_empty(husk_.state() / "sessions"));  // only the audit has it
    EXPECT_EQ(run({"--background", "git push --force"}).out, "");
}

TEST_F(Checking, ADenialIsAReportToo) {
    const Ran ran = run({"--json", "cd " + work_ + " && git push --force"});
    EXPECT_EQ(ran.code, 126);
    const auto report = ran.json();
    EXPECT_EQ(report["status"], "denied");
    EXPECT_EQ(report["exit_code"], nullptr);
    EXPECT_EQ(report["shell_id"], nullptr);
    EXPECT_EQ(report["display"], "git push --force");
    EXPECT_EQ(report["verdict"]["decision"], "deny");
    EXPECT_EQ(report["verdict"]["rule"], "git/force-push");
    EXPECT_THAT(report["error"], HasSubstr("--force-with-lease"));
}

TEST_F(Checking, WhatRunsHasItsVerdictInTheReport) {
    users_rules("permissions: {allow: [\"Bash(echo:*)\"]}");
    const auto report = run({"--json", "cd " + work_ + " && echo hi"}).json();
    EXPECT_EQ(report["status"], "exited");
    EXPECT_EQ(report["display"], "echo hi");
    EXPECT_EQ(report["verdict"]["decision"], "allow");
    EXPECT_EQ(report["verdict"]["risk"], "low");
    EXPECT_EQ(run({"--json", "--checks", "off", "echo hi"}).json()["verdict"], nullptr);
}

TEST_F(Checking, ChecksCanBeSwitchedOff) {
    users_rules("permissions: {deny: [Bash]}\n");
    EXPECT_EQ(run({"--mode", "open", "touch " + mark_}).code, 126);
    EXPECT_EQ(run({"--checks", "off", "touch " + mark_}).code, 0);
    EXPECT_TRUE(fs::exists(mark_));
}

TEST_F(Checking, WithoutATerminalAskingIsDenying) {
    users_rules("permissions: {ask: [\"Bash(touch:*)\"]}\n");
    const Ran ran = run({"touch " + mark_}, "y\n");
    EXPECT_EQ(ran.code, 126);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("nobody can be asked here"), HasSubstr("husk.yaml:1")));
    EXPECT_FALSE(fs::exists(mark_));
    EXPECT_EQ(run({"--json", "touch " + mark_}).json()["verdict"]["decision"], "ask");
}

TEST_F(Checking, AtATerminalAPersonIsAsked) {
    users_rules("permissions: {ask: [\"Bash(touch:*)\"]}  # mine\n");
    const auto users_file = [&] { return read_text(husk_.dir() / "config/husk/husk.yaml"); };
    // script(1) gives it a terminal and passes on what it is told.
    const auto asked = [&](const std::string& answer) {
        fs::remove(mark_);
        const std::string command =
            "$HUSK run --mode open --cwd " + work_ + " 'touch " + mark_ + "'";
        return husk_.script("printf '" + answer + "' | script -qec \"" + command + "\" /dev/null");
    };
    const Ran yes = asked("y\\n");
    EXPECT_TRUE(fs::exists(mark_)) << yes.out;
    EXPECT_EQ(yes.code, 0) << yes.out;
    EXPECT_THAT(yes.out, AllOf(HasSubstr("touch"),
                               HasSubstr("y = once, a = always exactly this here, n = no")));

    // The end of input is a no; whatever is not understood is asked again.
    for (const char* answer : {"n\\n", "what?\\n\\nn\\n", "what?\\n"}) {
        const Ran no = asked(answer);
        EXPECT_FALSE(fs::exists(mark_));
        EXPECT_EQ(no.code, 126);
        EXPECT_THAT(no.out, AllOf(HasSubstr("denied: you were asked and declined: "),
                                  Not(HasSubstr("nobody can be asked"))));
    }
    const Ran second = asked("what?\\ny\\n");
    EXPECT_TRUE(fs::exists(mark_)) << second.out;

    const Ran always = asked("a\\n");
    EXPECT_TRUE(fs::exists(mark_));
    EXPECT_THAT(always.out, AllOf(HasSubstr("written to "), HasSubstr("touch " + mark_)));
    const std::string kept = users_file();
    EXPECT_THAT(kept, AllOf(HasSubstr("Bash(touch:*)"), HasSubstr("# mine"), HasSubstr(work_)));

    // From now on nobody is asked, there and about that.
    fs::remove(mark_);
    EXPECT_EQ(run({"--mode", "open", "touch " + mark_}).code, 0);
    EXPECT_TRUE(fs::exists(mark_));
    for (const std::string& other : {"touch " + mark_ + "; true", "touch " + mark_ + " -c",
                                     "nice touch " + mark_, "touch  " + mark_})
        EXPECT_EQ(run({"--mode", "open", other}).code, 126) << other;

    const Ran unknown = husk_.script("printf 'a\\n' | script -qec \"$HUSK run --mode open --cwd " +
                                     work_ + " 'touch x*'\" /dev/null");
    EXPECT_THAT(unknown.out, HasSubstr("not always: what it does is not known before it runs"));
    EXPECT_EQ(unknown.code, 126) << unknown.out;
    EXPECT_EQ(users_file(), kept);
}

TEST_F(Checking, WhatDoesNotCountIsANoteOfTheReport) {
    rules_here("permissions: {allow: [\"Bash(a)\", \"Bash(b)\"]}\n");
    const auto notes = run({"--json", "true"}).json()["notes"];
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_THAT(notes[0], AllOf(HasSubstr("may only narrow"), HasSubstr("2 of its entries")));
}

// ---- what docs/rules.md says is true

// The text between two fences.
std::string first_block(const std::string& page, const std::string& language) {
    const std::string fence = "```" + language + "\n";
    const size_t begin = page.find(fence) + fence.size();
    return page.substr(begin, page.find("```\n", begin) - begin);
}

// The rows of | `command` | answer | because |.
std::vector<std::pair<std::string, std::string>> rows_of(const std::string& page) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const std::string& line : lines_of(page)) {
        const size_t end = line.find("` | ");
        if (!line.starts_with("| `") || end == std::string::npos) continue;
        const size_t behind = end + 4;
        const std::string answer = line.substr(behind, line.find(" |", behind) - behind);
        if (answer == "allow" || answer == "ask" || answer == "deny")
            rows.emplace_back(line.substr(3, end - 3), answer);
    }
    return rows;
}

TEST_F(Checking, ThePageOnRulesIsTrue) {
    const std::string page = read_text(HUSK_SOURCE_DIR "/docs/rules.md");
    const std::string rules = file("page.yaml", first_block(page, "yaml"));
    EXPECT_EQ(check({"--rules", rules}).code, 0) << check({"--rules", rules}).out;
    const auto rows = rows_of(page);
    EXPECT_GE(rows.size(), 13U);
    for (const auto& [command, answer] : rows)
        EXPECT_EQ(check({"--rules", rules, "--json", command}).json()["decision"], answer)
            << command;
}

TEST_F(Checking, ThePageOnRulesNamesEveryCheck) {
    const std::string page = read_text(HUSK_SOURCE_DIR "/docs/rules.md");
    size_t checks = 0;
    for (const decide::Pack* pack : decide::all_packs()) {
        const std::string row = "| `" + std::string(pack->name) + "` | ";
        EXPECT_THAT(page, HasSubstr(row + (pack->on_by_default ? "on |" : "off |")));
        for (const decide::Check& one : pack->checks) {
            EXPECT_THAT(page, HasSubstr("`" + std::string(one.id) + "`"));
            ++checks;
        }
    }
    EXPECT_GT(checks, 20U);
}

TEST(CheckingAsAnybody, AHomeThatMayNotBeLookedIntoSaysNothing) {
    const Husk husk(Who::OrdinaryUser);
    const Ran ran = husk.script("HOME=/root XDG_CONFIG_HOME= $HUSK check ls");
    EXPECT_EQ(ran.code, 0) << ran.err;
}

}  // namespace
}  // namespace husk::test
