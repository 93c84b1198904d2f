// The tools of the library: every contract by the same object, for many conversations, from any
// thread, with or without waiting.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <ostream>
#include <thread>

#include "library_calls.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(LibraryTools, AnswerAsTheContractDoes) {
    Tools tools(settings());
    const Json answer = json_of(tools.call("bash", command("echo out; exit 3"), here()));
    EXPECT_EQ(text_of(answer), "[command failed: exit code 3]\nout\n");
    EXPECT_TRUE(is_error(answer));
}

TEST_F(LibraryTools, REQ_BASH_010_TakeTheWorkingDirectoryFromTheContext) {
    Tools tools(settings());
    for (const char* directory : {"/usr", "/etc", "/usr"}) {
        const ToolContext context{.working_dir = directory};
        EXPECT_THAT(json_of(tools.list(context))["tools"][0]["description"], HasSubstr(directory));
        EXPECT_EQ(text_of(json_of(tools.call("bash", command("pwd; cd /"), context))),
                  std::string(directory) + "\n");
    }
}

TEST_F(LibraryTools, StartWhereTheContextSaysInsideItsWorkspace) {
    fs::create_directory(work_ / "sub");
    Tools tools(settings());
    const ToolContext context{.working_dir = work_ / "sub", .workspace = work_};
    EXPECT_EQ(text_of(json_of(tools.call("bash", command("pwd; echo x > ../made"), context))),
              (work_ / "sub").string() + "\n");
    EXPECT_TRUE(fs::exists(made()));
    EXPECT_THAT(json_of(tools.list(context))["tools"][0]["description"],
                HasSubstr((work_ / "sub").string()));
    ToolContext closed = context;
    closed.mode = Mode::Workspace;
    EXPECT_EQ(text_of(json_of(tools.call("bash", command("pwd; echo y >> ../made"), closed))),
              (work_ / "sub").string() + "\n");
    EXPECT_EQ(read_text(made()), "x\ny\n");
}

TEST_F(LibraryTools, TellWhatIsWrongAsAnError) {
    Tools tools(settings());
    EXPECT_THAT(error_of(tools.call("nothing", "{}", here())),
                AllOf(HasSubstr("phoenix"), HasSubstr("nothing"), HasSubstr("bash")));
    EXPECT_THAT(text_of(json_of(tools.call("bash", "no JSON", here()))),
                StartsWith("Invalid input"));
    const Tools strange(settings("strange"));
    EXPECT_THAT(error_of(strange.list(here())), HasSubstr("there is no contract strange"));

    ToolSettings wrong = settings();
    wrong.overrides = "mode: open\nlimits: {memory: lots}\n";
    EXPECT_THAT(error_of(Tools(wrong).list(here())), HasSubstr("ToolSettings::overrides:2"));
    configure("mode: open\npacks: {nothing: on}\n");
    EXPECT_THAT(error_of(Tools(settings()).list(here())), HasSubstr("husk.yaml:2"));
    EXPECT_THAT(error_of(Tools(settings()).call("bash", command("true"), here())),
                HasSubstr("husk.yaml:2"));
}

TEST_F(LibraryTools, TellBeforehandThatNothingCouldBeStarted) {
    const Tools tools(settings());
    EXPECT_TRUE(std::holds_alternative<std::vector<std::string>>(tools.check(here())));
    const auto missing = tools.check({.working_dir = work_ / "nowhere"});
    const auto* error = std::get_if<Error>(&missing);
    ASSERT_NE(error, nullptr);
    EXPECT_THAT(error->text(), HasSubstr("nowhere"));
    configure("mode: open\nrules: []\npermissions: {deny: [\"Bash(cd x && rm:*)\"]}\n");
    const auto useless = tools.check(here());
    const auto* warnings = std::get_if<std::vector<std::string>>(&useless);
    ASSERT_NE(warnings, nullptr) << std::get<Error>(useless).text();
    EXPECT_THAT(*warnings, testing::Contains(HasSubstr("husk.yaml:3: warning")));
}

TEST_F(LibraryTools, TellBeforehandWhatNoCallCouldDoWithout) {
    const auto why = [](const ToolSettings& settings, const ToolContext& context) {
        const auto checked = Tools(settings).check(context);
        const auto* error = std::get_if<Error>(&checked);
        return error == nullptr ? "no error" : error->text();
    };
    write_text(work_ / "file", "");
    for (const fs::path& state : {fs::path("/proc/nix"), fs::path("/dev/null"), work_ / "file"}) {
        ToolSettings wrong = settings();
        wrong.state = state;
        EXPECT_THAT(why(wrong, here()), HasSubstr(state.string()));
    }
    ToolContext strange = here();
    strange.session = "bad/name";
    EXPECT_THAT(why(settings(), strange), HasSubstr("\"bad/name\": use up to 64 letters"));
    ToolContext nowhere = here();
    nowhere.mode = Mode::Workspace;
    nowhere.network = {Network::Kind::Hosts, {"not a host!!"}};
    EXPECT_THAT(why(settings(), nowhere), HasSubstr("not a host!!"));
    ToolContext fine = here();
    fine.session = "good-name";
    EXPECT_EQ(why(settings(), fine), "no error");
}

TEST_F(LibraryTools, ThatGoOnWithTheConfigurationFromBeforeCheckThatOne) {
    Tools tools(settings());
    EXPECT_FALSE(is_error(json_of(tools.call("bash", command("true"), here()))));
    configure("mode: [open\n");
    EXPECT_FALSE(is_error(json_of(tools.call("bash", command("true"), here()))));
    const auto checked = tools.check(here());
    const auto* warnings = std::get_if<std::vector<std::string>>(&checked);
    ASSERT_NE(warnings, nullptr) << std::get<Error>(checked).text();
    EXPECT_THAT(*warnings, testing::Contains(HasSubstr("husk.yaml")));
    ToolContext elsewhere = here();
    elsewhere.caller = "somebody else";
    EXPECT_TRUE(std::holds_alternative<Error>(tools.check(elsewhere)));
}

TEST_F(LibraryTools, AModeOfTheContextClosesWhatTheContractLeavesOpen) {
    Tools tools(settings());
    ToolContext restricted = here();
    restricted.mode = Mode::ReadOnly;
    EXPECT_THAT(text_of(json_of(tools.call("bash", command("echo x > made"), restricted))),
                StartsWith("[command failed: exit code 1]"));
    EXPECT_FALSE(fs::exists(made()));
    EXPECT_EQ(text_of(json_of(tools.call("bash", command("echo x > made"), here()))), "");
    EXPECT_TRUE(fs::exists(made()));
}

TEST_F(LibraryTools, AContextThatSaysNothingOpensNothing) {
    configure("mode: read-only\n");
    Tools tools(settings());
    ASSERT_EQ(here().mode, Mode::Open);
    EXPECT_THAT(text_of(json_of(tools.call("bash", command("echo x > made"), here()))),
                StartsWith("[command failed: exit code 1]"));
    EXPECT_FALSE(fs::exists(made()));
}

TEST_F(LibraryTools, OfOneCallerDoNotSeeTheShellsOfAnother) {
    Tools tools(settings("husk"));
    ToolContext one = here();
    one.caller = "one";
    ToolContext other = here();
    other.caller = "other";
    const std::string sleeping = command("sleep 300", {{"run_in_background", true}});
    json_of(tools.call("bash", sleeping, one));
    const auto shells = [&](const ToolContext& context) {
        return json_of(tools.call("bash_list", "{}", context))["structuredContent"]["shells"]
            .size();
    };
    EXPECT_EQ(shells(one), 1U);
    EXPECT_EQ(shells(other), 0U);
}

TEST_F(LibraryTools, HaveTheReportInMetaIfThatIsWanted) {
    ToolSettings all = settings();
    all.report_in_meta = true;
    Tools tools(all);
    const Json answer = json_of(tools.call("bash", command("exit 3"), here()));
    EXPECT_EQ(answer["_meta"]["husk/report"]["exit_code"], 3);
}

TEST_F(LibraryTools, AreInTheAudit) {
    Tools tools(settings());
    json_of(tools.call("bash", command("echo recorded"), here()));
    const Ran log = husk_({"log", "--json", "recorded"});
    EXPECT_THAT(log.out, AllOf(HasSubstr("\"library\""), HasSubstr("\"phoenix\"")));
}

TEST_F(LibraryTools, DoNotWaitIfACallbackIsGiven) {
    Tools tools(settings());
    std::promise<std::pair<Text, std::thread::id>> ended;
    tools.call(
        "bash", command("until [ -e made ]; do sleep 0.02; done; echo x"), here(),
        [&](Text result) { ended.set_value({std::move(result), std::this_thread::get_id()}); });
    write_text(made(), "");
    const auto [result, thread] = ended.get_future().get();
    EXPECT_EQ(text_of(json_of(result)), "x\n");
    EXPECT_NE(thread, std::this_thread::get_id());
}

TEST_F(LibraryTools, MayBeCalledFromACallback) {
    Tools tools(settings());
    std::promise<Text> ended;
    tools.call("bash", command("true"), here(), [&](const Text&) {
        tools.call("bash", command("echo second"), here(),
                   [&](Text result) { ended.set_value(std::move(result)); });
    });
    EXPECT_EQ(text_of(json_of(ended.get_future().get())), "second\n");
}

// More places than the object keeps tools for.
TEST_F(LibraryTools, ServeManyConversationsFromManyThreads) {
    constexpr int places = 24;
    for (int i = 0; i < places; ++i) fs::create_directory(work_ / std::to_string(i));
    Tools tools(settings());
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 6; ++thread)
        threads.emplace_back([&, thread] {
            for (int i = 0; i < places; ++i) {
                const std::string place = work_ / std::to_string((i + thread * 5) % places);
                const std::string word = std::to_string(thread) + "." + std::to_string(i);
                const Text result =
                    tools.call("bash", command("pwd; echo " + word), {.working_dir = place});
                if (text_of(json_of(result)) == place + "\n" + word + "\n") ++right;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 6 * places);
}

TEST_F(LibraryTools, FindBackgroundShellsAgain) {
    std::string id;
    {
        Tools tools(settings("husk"));
        const std::string up = command("echo up; sleep 300", {{"run_in_background", true}});
        id = json_of(tools.call("bash", up, here()))["structuredContent"]["shell_id"];
    }
    Tools tools(settings("husk"));
    const std::string wanted = Json({{"shell_id", id}}).dump();
    EXPECT_EQ(json_of(tools.call("bash_output", wanted, here()))["structuredContent"]["status"],
              "running");
    json_of(tools.call("bash_kill", wanted, here()));
    EXPECT_NE(husk_.shell(id)["status"], "running");
}

TEST_F(LibraryTools, AreCancelledByTheContext) {
    Tools tools(settings());
    Witness witness(husk_.dir());
    std::stop_source stop;
    ToolContext context = here();
    context.cancel = stop.get_token();
    context.on_output = [&](const OutputPiece&) { stop.request_stop(); };
    const std::string text = witness.opening() + "echo up; setsid sleep 300 & sleep 300";
    EXPECT_EQ(text_of(json_of(tools.call("bash", command(text), context))),
              "[command cancelled]\nup\n");
    EXPECT_TRUE(witness.is_alone());
    EXPECT_THAT(text_of(json_of(tools.call("bash", command("touch made"), context))),
                StartsWith("[command cancelled]"))
        << "before it is started";
    EXPECT_FALSE(fs::exists(made()));
}

TEST_F(LibraryTools, ACallThatWaitsForAShellIsCancelledToo) {
    Tools tools(settings("husk"));
    std::stop_source stop;
    ToolContext context = here();
    const std::string background = command("sleep 300", {{"run_in_background", true}});
    const std::string id =
        json_of(tools.call("bash", background, here()))["structuredContent"]["shell_id"];
    context.cancel = stop.get_token();
    context.on_start = [&](const std::string& shell) {
        EXPECT_EQ(shell, id);
        stop.request_stop();
    };
    const std::string wanted = Json({{"shell_id", id}, {"timeout_ms", 60'000}}).dump();
    json_of(tools.call("bash_wait", wanted, context));
    EXPECT_EQ(husk_.shell(id)["status"], "running") << "only the waiting is over";
}

TEST_F(LibraryTools, AreCancelledAndAnsweredWhenTheObjectGoes) {
    std::vector<std::future<Text>> answers;
    std::string background;
    const Mark mark;
    {
        Tools tools(settings());
        json_of(tools.call(
            "bash", command("exec -a " + mark.word() + " sleep 300", {{"mode", "background"}}),
            here()));
        for (int i = 0; i < 5; ++i) {
            const auto answer = std::make_shared<std::promise<Text>>();
            const auto started = std::make_shared<std::promise<void>>();
            answers.push_back(answer->get_future());
            ToolContext context = here();
            context.on_start = [started](const std::string&) { started->set_value(); };
            tools.call("bash", command("sleep 300"), context,
                       [answer](Text result) { answer->set_value(std::move(result)); });
            started->get_future().wait();
        }
    }
    for (auto& answer : answers) {
        ASSERT_EQ(answer.wait_for(0s), std::future_status::ready);
        EXPECT_THAT(text_of(json_of(answer.get())), StartsWith("[command cancelled]"));
    }
    EXPECT_EQ(mark.bearers().size(), 1U) << "what is in the background goes on";
}

TEST_F(LibraryTools, AreCancelledAlsoForThoseWhoWait) {
    std::optional<Tools> tools(std::in_place, settings());
    std::promise<void> started;
    ToolContext context = here();
    context.on_start = [&](const std::string&) { started.set_value(); };
    auto waiting = std::async(std::launch::async, [&, &object = *tools] {
        return object.call("bash", command("sleep 300"), context);
    });
    started.get_future().wait();
    tools.reset();
    EXPECT_THAT(text_of(json_of(waiting.get())), StartsWith("[command cancelled]"));
}

// ---- a person is asked

TEST_F(LibraryTools, AskWhereARuleSaysSo) {
    Tools tools(asking());
    std::vector<Question> questions;
    for (const Answer& answer :
         {Answer{Answer::Deny, "not on a Friday"}, Answer{Answer::AllowOnce}}) {
        ToolContext context = here();
        context.approver = [&](const Question& question, const auto& tell) {
            questions.push_back(question);
            tell(answer);
        };
        const Json result = json_of(tools.call("bash", command("touch made"), context));
        EXPECT_EQ(is_error(result), answer.kind == Answer::Deny);
        EXPECT_EQ(fs::exists(made()), answer.kind == Answer::AllowOnce);
        const char* reason = answer.kind == Answer::Deny ? "not on a Friday" : "";
        EXPECT_THAT(text_of(result), HasSubstr(reason));
    }
    ASSERT_EQ(questions.size(), 2U);
    EXPECT_EQ(questions[0].command, "touch made");
    EXPECT_EQ(questions[0].working_dir, work_);
    EXPECT_EQ(questions[0].always.file, config());
}

TEST_F(LibraryTools, RefuseWhatNobodyCanBeAskedAbout) {
    Tools tools(asking());
    const Json result = json_of(tools.call("bash", command("touch made"), here()));
    EXPECT_TRUE(is_error(result));
    EXPECT_FALSE(fs::exists(made()));
}

TEST_F(LibraryTools, KeepAnAnswerThatHoldsAlways) {
    configure("mode: open\npermissions: {ask: [\"Bash(touch:*)\"]}\n");
    Tools tools(settings());
    int asked = 0;
    ToolContext context = here();
    context.approver = [&](const Question&, const auto& tell) {
        ++asked;
        tell({Answer::AllowAlways});
    };
    for (int i = 0; i < 2; ++i)
        EXPECT_FALSE(is_error(json_of(tools.call("bash", command("touch made"), context))));
    EXPECT_EQ(asked, 1);
    EXPECT_THAT(read_text(config()), HasSubstr("touch made"));
}

TEST_F(LibraryTools, TakeAnAnswerLaterByAnyThread) {
    Tools tools(asking());
    std::promise<std::function<void(Answer)>> asked;
    std::promise<Text> ended;
    ToolContext context = here();
    context.approver = [&](const Question&, std::function<void(Answer)> answer) {
        asked.set_value(std::move(answer));
    };
    tools.call("bash", command("touch made"), context,
               [&](Text result) { ended.set_value(std::move(result)); });
    const auto answer = asked.get_future().get();
    EXPECT_FALSE(fs::exists(made()));
    std::thread([&] {
        answer({Answer::AllowOnce});
        answer({Answer::Deny});  // the first counts
    }).join();
    EXPECT_FALSE(is_error(json_of(ended.get_future().get())));
    EXPECT_TRUE(fs::exists(made()));
}

TEST_F(LibraryTools, DoNotWaitForAnAnswerWhenTheCallIsCancelled) {
    for (const char* contract : {"phoenix", "anthropic"}) {
        Tools tools(asking(contract));
        std::stop_source stop;
        std::function<void(Answer)> kept;
        ToolContext context = here();
        context.cancel = stop.get_token();
        context.approver = [&](const Question&, std::function<void(Answer)> answer) {
            kept = std::move(answer);
            stop.request_stop();
        };
        const Json result = json_of(tools.call("bash", command("touch made"), context));
        EXPECT_THAT(text_of(result), HasSubstr("cancelled")) << contract;
        EXPECT_TRUE(is_error(result)) << contract;
        kept({Answer::AllowOnce});  // too late
        EXPECT_FALSE(fs::exists(made())) << contract;
    }
}

TEST_F(LibraryTools, DoNotWaitForAnAnswerWhenTheObjectGoes) {
    std::function<void(Answer)> kept;
    std::promise<Text> ended;
    std::promise<void> asked;
    {
        Tools tools(asking());
        ToolContext context = here();
        context.approver = [&](const Question&, std::function<void(Answer)> answer) {
            kept = std::move(answer);
            asked.set_value();
        };
        tools.call("bash", command("touch made"), context,
                   [&](Text result) { ended.set_value(std::move(result)); });
        asked.get_future().wait();
    }
    EXPECT_THAT(text_of(json_of(ended.get_future().get())), StartsWith("[command cancelled]"));
    kept({Answer::AllowOnce});
    EXPECT_FALSE(fs::exists(made()));
}

TEST(ToolsExample, LoopListsCallsAsksAndFeedsBack) {
    const Husk husk;
    fs::create_directory(husk.dir() / "work");
    const std::string loop = std::string(HUSK_TEST_PROGRAMS_DIR) + "/../../examples/tool_loop";
    const Ran ran =
        husk.script("echo 'not today' | " + loop + " " + (husk.dir() / "work").string());
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("{\"tools\":[{\"name\":\"bash\""));
    EXPECT_THAT(ran.out, HasSubstr("No such file or directory"));
    EXPECT_THAT(ran.out, HasSubstr("first\\n"));
    EXPECT_THAT(ran.out, HasSubstr("May it run \"git push origin main\""));
    EXPECT_THAT(ran.out, HasSubstr("declined (not today)"));
    EXPECT_EQ(read_text(husk.dir() / "work/notes"), "first\n");
}

}  // namespace
}  // namespace husk::test
