// Approvals through the library: a program gives rules, and whom to ask.
#include <gmock/gmock.h>

#include <fstream>
#include <future>
#include <thread>

#include "harness.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Approvals : public testing::Test {
protected:
    Settings settings(Checks checks) const {
        Settings all = husk.settings();
        all.checks = std::move(checks);
        return all;
    }
    // Where a rule asks about `touch`.
    Settings asking() const { return settings({.file = file(), .ask = {"Bash(touch:*)"}}); }
    fs::path file() const { return husk.dir() / "husk.yaml"; }
    // Says the same to all that it is asked.
    ToolContext with(Answer answer) {
        ToolContext context{.working_dir = husk.dir()};
        context.approver = [this, answer](const Question& question, const auto& tell) {
            questions.push_back(question);
            tell(answer);
        };
        return context;
    }

    Husk husk;
    std::vector<Question> questions;
};

std::string reason_of(const Report& report) {
    const auto* denied = std::get_if<Denied>(&report.ending);
    return denied == nullptr ? status_word(report.ending) : denied->reason;
}

TEST_F(Approvals, DecideWhatARuleAsksAbout) {
    struct Case {
        Answer answer;
        const char* status;
        const char* reason;
    };
    const Case cases[] = {
        {{Answer::AllowOnce}, "exited", "exited"},
        {{Answer::Deny}, "denied", "the user was asked and declined: "},
        {{Answer::Deny, "not on a Friday"}, "denied", "declined (not on a Friday): "},
        {{Answer::Unanswered}, "denied", "nobody can be asked here: "},
        {{Answer::Unanswered, "nobody is in"}, "denied", "nobody is in: "},
    };
    Bash bash(asking());
    for (const Case& one : cases) {
        fs::remove(husk.dir() / "made");
        const Report report = bash.run({.command = "echo x && touch made"}, with(one.answer));
        EXPECT_STREQ(status_word(report.ending), one.status);
        EXPECT_THAT(reason_of(report), HasSubstr(one.reason));
        EXPECT_EQ(fs::exists(husk.dir() / "made"), std::string(one.status) == "exited");
        ASSERT_TRUE(report.verdict);
        EXPECT_EQ(report.verdict->rule, "Bash(touch:*)");
    }
    EXPECT_EQ(questions.size(), std::size(cases));
}

TEST_F(Approvals, VariablesAndInputOfACallAreWeighedWithIt) {
    Bash bash(settings({.deny = {"Bash(touch:*)"}}));
    Request request{.command = "bash", .input = InputText{"touch made"}};
    EXPECT_THAT(reason_of(bash.run(request, with({Answer::AllowOnce}))),
                AllOf(HasSubstr("on its standard input"), HasSubstr("gives it standard input")));
    EXPECT_FALSE(fs::exists(husk.dir() / "made"));

    std::ofstream(file()) << "permissions: {mode: strict, allow: [\"Bash(ls:*)\"]}\n";
    Bash strict(settings({.file = file()}));
    request = {.command = "ls", .env = {{"LC_ALL", "C"}}};
    EXPECT_EQ(exit_code(strict.run(request, with({Answer::Deny})).ending), 0);
    request = {.command = "ls", .env = {{"LD_PRELOAD", "./made.so"}}};
    EXPECT_THAT(reason_of(strict.run(request, with({Answer::Deny}))),
                HasSubstr("the call sets LD_PRELOAD"));
}

TEST_F(Approvals, ArePutWithAllThatAPersonNeeds) {
    Bash bash(asking());
    bash.run({.command = "cd /tmp && touch made >log"}, with({Answer::Deny}));
    ASSERT_EQ(questions.size(), 1U);
    const Question& asked = questions[0];
    EXPECT_EQ(asked.command, "cd /tmp && touch made >log");
    EXPECT_EQ(asked.working_dir, husk.dir());
    EXPECT_EQ(asked.verdict.decision, "ask");
    EXPECT_TRUE(asked.understood);
    ASSERT_EQ(asked.commands.size(), 2U);
    EXPECT_EQ(asked.commands[0].text, "cd /tmp");
    EXPECT_EQ(asked.commands[0].decision, "allow");
    EXPECT_EQ(asked.commands[1].decision, "ask");
    EXPECT_EQ(asked.commands[1].rule, "Bash(touch:*)");
    EXPECT_FALSE(asked.commands[1].reason.empty());
    EXPECT_EQ(asked.command.substr(asked.commands[1].begin, 5), "touch");
    ASSERT_FALSE(asked.files.empty());
    EXPECT_EQ(asked.always.file, file());
    EXPECT_THAT(asked.always.text,
                AllOf(HasSubstr("approved"), HasSubstr("cd /tmp && touch made >log")));
}

TEST_F(Approvals, AreRefusalsWhereNobodyCanBeAsked) {
    Bash bash(asking());
    const Report report = bash.run({.command = "touch made"}, {.working_dir = husk.dir()});
    EXPECT_THAT(reason_of(report), HasSubstr("nobody can be asked here"));
    EXPECT_FALSE(fs::exists(husk.dir() / "made"));
}

TEST_F(Approvals, ThatHoldAlwaysAreWrittenAndNotAskedForAgain) {
    Bash bash(asking());
    const ToolContext context = with({Answer::AllowAlways});
    const Report first = bash.run({.command = "touch made"}, context);
    EXPECT_EQ(exit_code(first.ending), 0);
    ASSERT_EQ(questions.size(), 1U);
    EXPECT_EQ(read_text(file()), questions[0].always.text);
    EXPECT_THAT(first.notes, ElementsAre(HasSubstr("always allowed: written to")));
    EXPECT_EQ(exit_code(bash.run({.command = "touch made"}, context).ending), 0);
    EXPECT_EQ(questions.size(), 1U);
    bash.run({.command = "touch other"}, context);
    EXPECT_EQ(questions.size(), 2U) << "it holds for that command alone";
}

TEST_F(Approvals, CanOnlyBeForOnceWithoutAFile) {
    Bash bash(settings({.ask = {"Bash(touch:*)"}}));
    for (size_t asked = 1; asked <= 2; ++asked) {
        const Report report = bash.run({.command = "touch made"}, with({Answer::AllowAlways}));
        EXPECT_EQ(exit_code(report.ending), 0);
        EXPECT_EQ(questions.size(), asked);
    }
    EXPECT_EQ(questions[0].always.text, "");
    EXPECT_THAT(questions[0].always.why_not, HasSubstr("no file"));
}

TEST_F(Approvals, AreNotAskedForWhereRulesDecide) {
    Bash bash(settings({.allow = {"Bash(touch:*)"}, .deny = {"Bash(curl:*)"}}));
    const ToolContext context = with({Answer::AllowOnce});
    EXPECT_EQ(exit_code(bash.run({.command = "touch made"}, context).ending), 0);
    EXPECT_THAT(reason_of(bash.run({.command = "curl x"}, context)), HasSubstr("Bash(curl:*)"));
    const Report program = bash.run({.command = "harmless", .argv = {"curl", "-V"}}, context);
    EXPECT_THAT(reason_of(program), HasSubstr("Bash(curl:*)")) << "what is run counts";
    EXPECT_STREQ(status_word(bash.run({.command = "git add -A"}, context).ending), "denied")
        << "packs are on";
    EXPECT_EQ(questions.size(), 0U);
    Bash unchecked(husk.unchecked_settings());
    EXPECT_EQ(unchecked.run({.command = "true"}, context).verdict, std::nullopt);
}

TEST_F(Approvals, MayComeLaterByAnyThread) {
    Bash bash(asking());
    std::promise<std::function<void(Answer)>> asked;
    std::promise<Report> ended;
    ToolContext context{.working_dir = husk.dir()};
    context.approver = [&](const Question&, std::function<void(Answer)> answer) {
        asked.set_value(std::move(answer));
    };
    bash.run({.command = "touch made"}, context,
             [&](Report report) { ended.set_value(std::move(report)); });
    const auto answer = asked.get_future().get();
    EXPECT_FALSE(fs::exists(husk.dir() / "made"));
    std::thread([&] {
        answer({Answer::AllowOnce});
        answer({Answer::Deny});  // the first counts
    }).join();
    EXPECT_EQ(exit_code(ended.get_future().get().ending), 0);
    EXPECT_TRUE(fs::exists(husk.dir() / "made"));
}

TEST_F(Approvals, AreNotWaitedForWhenTheCallIsCancelled) {
    Bash bash(asking());
    std::stop_source stop;
    std::function<void(Answer)> kept;
    ToolContext context{.working_dir = husk.dir(), .cancel = stop.get_token()};
    context.approver = [&](const Question&, std::function<void(Answer)> answer) {
        kept = std::move(answer);
        stop.request_stop();
    };
    EXPECT_STREQ(status_word(bash.run({.command = "touch made"}, context).ending), "cancelled");
    kept({Answer::AllowOnce});  // too late
    EXPECT_FALSE(fs::exists(husk.dir() / "made"));
}

TEST_F(Approvals, AreNotWaitedForWhenTheToolGoes) {
    std::function<void(Answer)> kept;
    std::promise<Report> ended;
    {
        Bash bash(asking());
        ToolContext context{.working_dir = husk.dir()};
        context.approver = [&](const Question&, std::function<void(Answer)> answer) {
            kept = std::move(answer);
        };
        bash.run({.command = "touch made"}, context,
                 [&](Report report) { ended.set_value(std::move(report)); });
    }
    EXPECT_STREQ(status_word(ended.get_future().get().ending), "cancelled");
    kept({Answer::AllowOnce});
    EXPECT_FALSE(fs::exists(husk.dir() / "made"));
}

TEST_F(Approvals, NeedRulesThatCanBeRead) {
    write_text(file(), "permissions:\n  ask: [\"Bash(\"]\n");
    Bash bash(settings({.file = file()}));
    const Report report = bash.run({.command = "true"});
    const auto* failed = std::get_if<NotStarted>(&report.ending);
    ASSERT_NE(failed, nullptr);
    EXPECT_THAT(failed->cause.text(), AllOf(HasSubstr("checks"), HasSubstr("husk.yaml:2")));
}

}  // namespace
}  // namespace husk::test
