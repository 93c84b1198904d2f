// What the walls stop is told as data, by what was attempted and never by words in the output.
#include <gmock/gmock.h>
#include <unistd.h>

#include "harness.h"

namespace husk::test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Denials : public testing::TestWithParam<Who> {
protected:
    Denials() : husk_(GetParam()), workspace_(husk_.dir() / "work") {
        std::filesystem::create_directory(workspace_);
        if (GetParam() == Who::OrdinaryUser && ::geteuid() == 0)
            ::lchown(workspace_.c_str(), ordinary_uid, ordinary_uid);
    }

    json run(const std::string& mode, const std::string& command,
             std::vector<std::string> more = {}) {
        std::vector<std::string> options = {"--mode", mode, "--cwd", workspace_.string()};
        options.insert(options.end(), more.begin(), more.end());
        return husk_.report(command, options);
    }

    static std::vector<std::string> attempts(const json& report) {
        std::vector<std::string> found;
        for (const json& denial : report["denials"])
            found.push_back(denial["operation"].get<std::string>() + " " +
                            denial["target"].get<std::string>());
        return found;
    }

    Husk husk_;
    std::filesystem::path workspace_;
};

struct Row {
    const char* mode;
    const char* command;
    const char* attempt;  // empty: nothing was stopped
    const char* allow_with;
};

constexpr Row rows[] = {
    {"read-only", "echo x >/etc/husk-x", "write /etc/husk-x", ""},
    {"read-only", "mkdir /usr/husk-x", "create /usr/husk-x", ""},
    {"read-only", "rm -f /etc/passwd", "remove /etc/passwd", ""},
    {"read-only", "mv /etc/passwd /etc/x", "rename /etc/passwd", ""},
    {"read-only", "ln -s a /etc/husk-x", "link /etc/husk-x", ""},
    {"read-only", "chmod 777 /etc/passwd", "metadata /etc/passwd", ""},
    {"read-only", "touch here", "write WORKSPACE/here", "mode: workspace"},
    {"read-only", "cd /usr/lib; touch ../bin/husk-x", "write /usr/bin/husk-x", ""},
    {"workspace", "echo x >/etc/husk-x", "write /etc/husk-x", ""},
    {"workspace", "mkdir -p /opt/husk/x", "create /opt/husk", "OPT"},
    {"workspace", "echo x >to-passwd", "write /etc/passwd", ""},
    {"workspace", "echo x >.git/config", "write WORKSPACE/.git/config", ""},
    {"workspace", "exec 3<>/dev/tcp/192.0.2.7/443", "connect 192.0.2.7:443",
     "network: [\"192.0.2.7:443\"]"},
    {"workspace", "exec 3<>/dev/tcp/2001:db8::9/443", "connect [2001:db8:0:0:0:0:0:9]:443",
     "network: [\"[2001:db8:0:0:0:0:0:9]:443\"]"},
    {"workspace", "unshare -U true", "call unshare", "mode: open"},
    // Nothing of this is stopped.
    {"workspace", "echo x >file; mkdir d; mv file d/; rm -r d", "", ""},
    {"workspace", "echo x >/dev/null; echo y >/tmp/y; echo z >/dev/shm/z", "", ""},
    {"workspace", "ln -s /etc/passwd to-etc; rm to-etc", "", ""},
    {"workspace", "exec 3<>/dev/tcp/127.0.0.1/9 || true", "", ""},
    {"workspace", "echo 'Read-only file system'; echo 'Permission denied' >&2; exit 1", "", ""},
    {"workspace", "cat /no/such/file; cd /etc; ls >/dev/null", "", ""},
    {"read-only", "echo x >/tmp/x; cat /etc/hostname; ls -l >/dev/null", "", ""},
    {"open", "echo x >/proc/version", "", ""},
};

TEST_P(Denials, AreToldWithTheSettingThatWouldAllowThem) {
    std::filesystem::create_directory(workspace_ / ".git");
    write_text(workspace_ / ".git" / "config", "");
    std::filesystem::create_symlink("/etc/passwd", workspace_ / "to-passwd");
    const auto filled_in = [&](std::string text) {
        const std::string name = "WORKSPACE";
        if (const size_t at = text.find(name); at != std::string::npos)
            text.replace(at, name.size(), workspace_.string());
        return text;
    };
    for (const Row& row : rows) {
        const json report = run(row.mode, row.command);
        SCOPED_TRACE(std::string(row.mode) + ": " + row.command + "\n" + report.dump());
        if (*row.attempt == '\0') {
            EXPECT_THAT(attempts(report), IsEmpty());
            EXPECT_EQ(report["denials_total"], 0);
            continue;
        }
        const std::string attempt = filled_in(row.attempt);
        EXPECT_THAT(attempts(report), Contains(attempt));
        for (const json& denial : report["denials"]) {
            if (denial["operation"].get<std::string>() + " " +
                    denial["target"].get<std::string>() !=
                attempt)
                continue;
            // An ordinary user may not write there bare either.
            const bool is_root = GetParam() == Who::Caller && ::geteuid() == 0;
            const std::string setting = std::string(row.allow_with) != "OPT" ? row.allow_with
                                        : is_root                            ? "write: [\"/opt\"]"
                                                                             : "";
            EXPECT_EQ(denial["allow_with"].is_null() ? "" : denial["allow_with"],
                      filled_in(setting));
            EXPECT_NE(denial["allow_with"].is_null(), denial["reason"].is_null());
            EXPECT_GT(denial["pid"], 1);
            EXPECT_NE(denial["process"], "");
        }
    }
}

// Root has no right to become another user in read-only. For others nothing is different.
TEST_P(Denials, NameTheCallThatWouldMakeAnotherUserOfRoot) {
    const bool root = GetParam() == Who::Caller && ::geteuid() == 0;
    const auto told = [root](const char* attempt) {
        return root ? testing::Matcher<std::vector<std::string>>(testing::ElementsAre(attempt))
                    : testing::Matcher<std::vector<std::string>>(IsEmpty());
    };
    const auto nobody = run("read-only", "setpriv --reuid=12345 true");
    EXPECT_NE(nobody["exit_code"], 0);
    EXPECT_THAT(attempts(nobody), told("call setresuid"));
    const auto groups = run("read-only", "setpriv --clear-groups true");
    EXPECT_THAT(attempts(groups), told("call setgroups"));
    const auto same =
        run("read-only", "setpriv --reuid=$(id -u) --regid=$(id -g) --keep-groups true");
    EXPECT_THAT(attempts(same), IsEmpty());
    const auto su = run("read-only", "su nobody -s /bin/sh -c true </dev/null");
    EXPECT_NE(su["exit_code"], 0);
    EXPECT_THAT(attempts(su), Not(Contains(HasSubstr("socket of family"))));
}

TEST_P(Denials, NameTheProcessAndCountWhatIsRepeated) {
    const json report = run("read-only", "for i in 1 2 3; do mkdir /etc/husk-x; done");
    ASSERT_EQ(report["denials"].size(), 1U) << report.dump();
    EXPECT_EQ(report["denials"][0]["process"], "mkdir");
    EXPECT_EQ(report["denials"][0]["count"], 3);
    EXPECT_EQ(report["denials_total"], 3);
}

TEST_P(Denials, ListTwentyAndCountTheRest) {
    const json report = run("read-only", "for i in {1..50}; do echo >/etc/husk-$i; done");
    EXPECT_EQ(report["denials"].size(), 20U);
    EXPECT_EQ(report["denials_total"], 50);
}

// Nobody hides what he tried behind a megabyte of other attempts.
TEST_P(Denials, AreNotPushedOutByNoise) {
    constexpr auto real = "echo >/etc/husk-real; ";
    const json same = run("read-only", std::string(real) +
                                           "n=0; while ((++n <= 12000)); do "
                                           "echo >/etc/husk-noise; done 2>/dev/null");
    ASSERT_EQ(same["denials"].size(), 2U) << same["denials"];
    EXPECT_EQ(same["denials"][0]["target"], "/etc/husk-real");
    EXPECT_EQ(same["denials"][1]["count"], 12000);
    EXPECT_EQ(same["denials_total"], 12001);
    const json all_different =
        run("read-only", std::string(real) +
                             "long=$(printf 'x%.0s' {1..200}); n=0; while ((++n <= "
                             "12000)); do echo >/etc/$long$n; done 2>/dev/null");
    EXPECT_EQ(all_different["denials"][0]["target"], "/etc/husk-real");
    EXPECT_EQ(all_different["denials_total"], 12001);
    EXPECT_EQ(all_different["denials_complete"], false);
}

TEST_P(Denials, OfOneCallLeaveThoseOfAnotherAlone) {
    const std::string id =
        husk_.background("echo >/etc/husk-real; while [[ ! -e stop ]]; do sleep 0.1; done",
                         {"--mode", "workspace", "--cwd", workspace_.string(), "--session", "one"});
    ASSERT_TRUE(eventually([&] { return husk_.shell(id)["denials_total"] == 1; }));
    const json noisy =
        run("workspace", "n=0; while ((++n <= 12000)); do echo >/etc/husk-$n; done 2>/dev/null",
            {"--session", "one"});
    EXPECT_EQ(noisy["denials_total"], 12000);
    write_text(workspace_ / "stop", "");
    EXPECT_EQ(husk_({"wait", id, "--until", "gone", "--timeout", "20s"}).code, 0);
    EXPECT_THAT(attempts(husk_.shell(id)), Contains("write /etc/husk-real"));
}

// Each of these bytes takes six in the log.
TEST_P(Denials, TellOfTheLongestNames) {
    std::filesystem::path deep = workspace_;
    for (int i = 0; i < 14; ++i) deep /= std::string(250, '\x01');
    std::filesystem::create_directories(deep);
    const json report = run("read-only", "cd */*/*/*/*/*/*/*/*/*/*/*/*/*; mkdir made");
    EXPECT_THAT(attempts(report), Contains("create " + (deep / "made").string()));
}

TEST_P(Denials, SayWhatWasNotWatched) {
    EXPECT_EQ(run("open", "true")["denials_complete"], true);
    EXPECT_EQ(run("workspace", "true")["denials_complete"], false);
    EXPECT_THAT(run("workspace", "true")["confinement"]["unwatched"].dump(), HasSubstr("reads"));
    const json off = run("read-only", "echo >/etc/husk-x", {"--denials", "off"});
    EXPECT_EQ(off["confinement"]["unwatched"], json::array({"everything"}));
    EXPECT_THAT(attempts(off), IsEmpty());
    EXPECT_NE(off["exit_code"], 0);
}

TEST_P(Denials, BelongToTheCallThatMadeThem) {
    const std::vector<std::string> session = {"--session", "one"};
    const json first = run("workspace", "echo >/etc/husk-first", session);
    const json second = run("workspace", "echo >/etc/husk-second", session);
    EXPECT_THAT(attempts(first), testing::ElementsAre("write /etc/husk-first"));
    EXPECT_THAT(attempts(second), testing::ElementsAre("write /etc/husk-second"));
}

TEST_P(Denials, TakeNamesThatWantToBeSomethingElse) {
    const json report = run("read-only", R"(echo >$'/etc/a"\n{"ns":1}\\\e[31m\xff'; true)");
    ASSERT_EQ(report["denials"].size(), 1U) << report.dump();
    EXPECT_EQ(report["denials"][0]["target"], "/etc/a\"\n{\"ns\":1}\\\x1b[31m\xef\xbf\xbd");
}

// What a hostile command might try with the witness itself.
TEST_P(Denials, AreNotInTheReachOfTheCommand) {
    const json report = run("workspace",
                            "pkill -KILL husk-mason; "
                            "for p in /proc/[0-9]*; do cat $p/comm; done; echo >/etc/husk-x; "
                            "echo written >here && cat here");
    EXPECT_THAT(report["output"].get<std::string>(), Not(HasSubstr("husk-mason")));
    EXPECT_THAT(report["output"].get<std::string>(), HasSubstr("written"));
    EXPECT_THAT(attempts(report), Contains("write /etc/husk-x"));
}

TEST_P(Denials, ManyAtOnceAllComeThrough) {
    const json report = run("workspace",
                            "for i in {1..200}; do (echo $i >f$i; mkdir d$i; echo >/etc/husk-x) "
                            "2>/dev/null & done; wait; ls | wc -l");
    EXPECT_EQ(report["output"], "400\n");
    EXPECT_EQ(report["denials_total"], 200);
}

TEST_P(Denials, AreTextForAPersonWhenTheCommandFailed) {
    const auto say = [&](const std::string& command) {
        return husk_({"run", "--mode", "workspace", "--cwd", workspace_.string(), "--", command})
            .err;
    };
    const bool root = GetParam() == Who::Caller && ::geteuid() == 0;
    EXPECT_THAT(say("mkdir /etc/husk-x"),
                HasSubstr(root ? "stopped by the walls: create /etc/husk-x (`write` refuses "
                                 "directories of the system)"
                               : "stopped by the walls: create /etc/husk-x (this user may not do "
                                 "it without walls either)"));
    EXPECT_THAT(say("mkdir /etc/husk-x; true"), Not(HasSubstr("walls")));
}

INSTANTIATE_TEST_SUITE_P(, Denials, both(), who_name);

}  // namespace
}  // namespace husk::test
