// The library: one tool for many conversations, from any thread, with or without waiting.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <set>
#include <thread>

#include "harness.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;

// Reports that come by callback, in the order of their coming.
class Inbox {
public:
    std::function<void(Report)> slot() {
        return [this](Report report) {
            const std::lock_guard lock(guard_);
            reports_.push_back(std::move(report));
            threads_.push_back(std::this_thread::get_id());
            came_.notify_all();
        };
    }
    bool wait_for(size_t count, std::chrono::milliseconds within = 30s) {
        std::unique_lock lock(guard_);
        return came_.wait_for(lock, patient(within), [&] { return reports_.size() >= count; });
    }
    std::vector<Report> reports() {
        const std::lock_guard lock(guard_);
        return reports_;
    }
    std::vector<std::thread::id> threads() {
        const std::lock_guard lock(guard_);
        return threads_;
    }

private:
    std::mutex guard_;
    std::condition_variable came_;
    std::vector<Report> reports_;
    std::vector<std::thread::id> threads_;
};

size_t open_files() {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++count;
    return count;
}

TEST(Library, RunsACommandAndReports) {
    const Husk husk;
    Bash bash(husk.settings());
    const Report report = bash.run({.command = "echo out; exit 3"});
    EXPECT_EQ(exit_code(report.ending), 3);
    EXPECT_EQ(report.output, "out\n");
    EXPECT_EQ(report.command, "echo out; exit 3");
    EXPECT_TRUE(report.ended());
    EXPECT_FALSE(report.in_background);
    EXPECT_GT(*report.duration_ms, 0);
    EXPECT_GT(*report.usage.peak_memory_bytes, 0);
    EXPECT_EQ(read_text(report.excerpt.log), "out\n");
}

TEST(Library, TakesInputFromATextAFileOrADescriptor) {
    const Husk husk;
    Bash bash(husk.settings());
    const fs::path file = husk.dir() / "input";
    write_text(file, "of a file");
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(bash.run({.command = "cat", .input = InputText{"a text"}}).output, "a text");
    EXPECT_EQ(bash.run({.command = "cat", .input = InputFile{file}}).output, "of a file");
    EXPECT_EQ(bash.run({.command = "cat", .input = InputDescriptor{fd}}).output, "of a file");
    EXPECT_EQ(bash.run({.command = "cat"}).output, "");
    const std::string large(3 << 20, 'x');
    EXPECT_EQ(bash.run({.command = "wc -c", .input = InputText{large}}).output, "3145728\n");
    ::close(fd);
}

TEST(Library, ServesManyConversations) {
    const Husk husk;
    Bash bash(husk.settings());
    const ToolContext one{.working_dir = "/usr", .session = "one"};
    const ToolContext two{.working_dir = "/etc", .session = "two"};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(bash.run({.command = "pwd; cd /; export X=1"}, one).output, "/usr\n");
        EXPECT_EQ(bash.run({.command = "pwd; echo ${X-unset}"}, two).output, "/etc\nunset\n");
        EXPECT_EQ(bash.run({.command = "pwd", .working_dir = "lib"}, one).output, "/usr/lib\n");
    }
    EXPECT_EQ(bash.run({.command = "true"}, one).session, "one");
    EXPECT_EQ(bash.run({.command = "true"}, two).session, "two");
}

TEST(Library, MayBeCalledFromManyThreads) {
    const Husk husk;
    Bash bash(husk.settings());
    std::atomic<int> right = 0;
    std::list<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 10; ++i) {
                const std::string word = std::to_string(thread) + "." + std::to_string(i);
                if (bash.run({.command = "echo " + word}).output == word + "\n") ++right;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 80);
}

TEST(Library, SixtyFourCallsAtOnceAreEachAnsweredOnce) {
    const Husk husk;
    Inbox inbox;
    Bash bash(husk.settings());
    for (int i = 0; i < 64; ++i)
        bash.run(
            {.command = "sleep 0.2; echo " + std::to_string(i) + "; exit " + std::to_string(i)}, {},
            inbox.slot());
    ASSERT_TRUE(inbox.wait_for(64));
    std::set<int> codes;
    for (const Report& report : inbox.reports()) {
        const int code = exit_code(report.ending).value_or(-1);
        codes.insert(code);
        EXPECT_EQ(report.output, std::to_string(code) + "\n");
    }
    EXPECT_EQ(codes.size(), 64);
    EXPECT_FALSE(inbox.wait_for(65, 100ms)) << "somebody was answered twice";
}

TEST(Library, AnswersCallbacksOnAThreadOfItsOwn) {
    const Husk husk;
    Inbox inbox;
    Bash bash(husk.settings());
    bash.run({.command = "true"}, {}, inbox.slot());
    bash.run({.command = "true", .working_dir = "/no/such/directory"}, {}, inbox.slot());
    ASSERT_TRUE(inbox.wait_for(2));
    for (const std::thread::id& thread : inbox.threads())
        EXPECT_NE(thread, std::this_thread::get_id());
}

TEST(Library, AnAnswerMayStartTheNextCall) {
    const Husk husk;
    Inbox inbox;
    Bash bash(husk.settings());
    std::function<void(int)> step = [&](int left) {
        bash.run({.command = "echo " + std::to_string(left)}, {}, [&, left](Report report) {
            if (left > 0) step(left - 1);
            inbox.slot()(std::move(report));
        });
    };
    step(9);
    ASSERT_TRUE(inbox.wait_for(10));
}

TEST(Library, ABusyCallDoesNotHoldUpTheOthers) {
    const Husk husk;
    Inbox flood;
    Inbox inbox;
    Bash bash(husk.settings());
    std::stop_source stop;
    ToolContext context{.cancel = stop.get_token()};
    context.on_output = [](const OutputPiece&) { std::this_thread::sleep_for(1ms); };
    bash.run({.command = "yes", .keep_output_bytes = 1 << 20}, context, flood.slot());
    for (int i = 0; i < 3; ++i) {
        bash.run({.command = "true"}, {}, inbox.slot());
        EXPECT_TRUE(inbox.wait_for(static_cast<size_t>(i) + 1, 2s)) << "call " << i;
    }
    stop.request_stop();
    EXPECT_TRUE(flood.wait_for(1, 10s));
}

TEST(Cancelling, EndsTheTree) {
    const Husk husk;
    const Mark mark;
    Bash bash(husk.settings());
    std::stop_source stop;
    ToolContext context{.cancel = stop.get_token()};
    // From the first output on there is something to cancel.
    context.on_output = [&](const OutputPiece&) { stop.request_stop(); };
    const auto start = steady_clock::now();
    const Report report =
        bash.run({.command = "sleep 60 & echo up; sleep 60 # " + mark.word()}, context);
    EXPECT_TRUE(std::holds_alternative<Cancelled>(report.ending)) << status_word(report.ending);
    EXPECT_EQ(report.output, "up\n");
    EXPECT_LT(steady_clock::now() - start, patient(10s));
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

TEST(Cancelling, BeforeTheStartStartsNothingOrEndsIt) {
    const Husk husk;
    const Mark mark;
    Bash bash(husk.settings());
    std::stop_source stop;
    stop.request_stop();
    for (int i = 0; i < 20; ++i) {
        const Report report =
            bash.run({.command = "sleep 60 # " + mark.word()}, {.cancel = stop.get_token()});
        ASSERT_TRUE(std::holds_alternative<Cancelled>(report.ending)) << status_word(report.ending);
    }
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

TEST(Cancelling, AtAnyMomentGivesOneAnswer) {
    const Husk husk;
    const Mark mark;
    Inbox inbox;
    {
        Bash bash(husk.settings());
        std::vector<std::stop_source> stops(40);
        for (std::stop_source& stop : stops)
            bash.run({.command = "sleep 60 # " + mark.word(), .stop = {.patience = 100ms}},
                     {.cancel = stop.get_token()}, inbox.slot());
        for (std::stop_source& stop : stops) stop.request_stop();
        ASSERT_TRUE(inbox.wait_for(40));
    }
    EXPECT_EQ(inbox.reports().size(), 40);
    for (const Report& report : inbox.reports())
        EXPECT_TRUE(std::holds_alternative<Cancelled>(report.ending)) << status_word(report.ending);
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

TEST(Cancelling, LeavesTheOthersAlone) {
    const Husk husk;
    Inbox cancelled;
    Inbox kept;
    Bash bash(husk.settings());
    std::stop_source stop;
    const fs::path go = husk.dir() / "go";
    bash.run({.command = "until test -e " + go.string() + "; do sleep 0.02; done; echo kept"}, {},
             kept.slot());
    bash.run({.command = "sleep 60"}, {.cancel = stop.get_token()}, cancelled.slot());
    stop.request_stop();
    ASSERT_TRUE(cancelled.wait_for(1));
    write_text(go, "");
    ASSERT_TRUE(kept.wait_for(1));
    EXPECT_EQ(kept.reports()[0].output, "kept\n");
}

TEST(Destroying, CancelsWhatIsUnderWayAndAnswersAll) {
    const Husk husk;
    const Mark mark;
    Inbox inbox;
    const auto start = steady_clock::now();
    {
        Bash bash(husk.settings());
        for (int i = 0; i < 20; ++i)
            bash.run({.command = "sleep 60 # " + mark.word()}, {}, inbox.slot());
    }
    EXPECT_LT(steady_clock::now() - start, patient(10s));
    EXPECT_EQ(inbox.reports().size(), 20);
    for (const Report& report : inbox.reports())
        EXPECT_TRUE(std::holds_alternative<Cancelled>(report.ending)) << status_word(report.ending);
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

TEST(Destroying, LeavesBackgroundCommandsAlone) {
    const Husk husk;
    std::string id;
    {
        Bash bash(husk.settings());
        id = bash.run({.command = "echo up; sleep 60", .background = true}).shell_id;
    }
    EXPECT_EQ(husk.shell(id)["status"], "running");
}

TEST(Destroying, LeavesNoDescriptorAndNoChildBehind) {
    const Husk husk;
    Bash(husk.settings()).run({.command = "true"});  // what is made once for the process
    const size_t before = open_files();
    {
        Bash bash(husk.settings());
        Inbox inbox;
        for (int i = 0; i < 10; ++i) bash.run({.command = "true", .streams = Streams::Split});
        for (int i = 0; i < 10; ++i) bash.run({.command = "true"}, {}, inbox.slot());
        for (int i = 0; i < 5; ++i) bash.run({.command = "true", .working_dir = "/no/such"});
        ASSERT_TRUE(inbox.wait_for(10));
    }
    EXPECT_EQ(open_files(), before);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1) << "the embedding program has children";
}

TEST(Destroying, AMovedToolGoesOn) {
    const Husk husk;
    Bash first(husk.settings());
    EXPECT_EQ(first.run({.command = "echo 1"}).output, "1\n");
    Bash second(std::move(first));
    EXPECT_EQ(second.run({.command = "echo 2"}).output, "2\n");
    Inbox inbox;
    second.run({.command = "sleep 0.2; echo 3"}, {}, inbox.slot());
    Bash third(std::move(second));
    ASSERT_TRUE(inbox.wait_for(1));
    EXPECT_EQ(inbox.reports()[0].output, "3\n");
}

TEST(Watching, TellsTheIdThenThePiecesThenTheReport) {
    const Husk husk;
    Bash bash(husk.settings());
    std::vector<std::string> story;
    ToolContext context;
    std::string id;
    context.on_start = [&](const std::string& shell_id) {
        story.emplace_back("start"), id = shell_id;
    };
    context.on_output = [&](const OutputPiece& piece) {
        story.push_back(piece.bytes);
        write_text(husk.dir() / "go", "");
    };
    const std::string go = (husk.dir() / "go").string();
    const Report report = bash.run(
        {.command = "echo one; until [ -e " + go + " ]; do sleep 0.02; done; echo two"}, context);
    EXPECT_THAT(story, ElementsAre("start", "one\n", "two\n"));
    EXPECT_EQ(report.shell_id, id);
}

TEST(Watching, PiecesAddUpToTheWhole) {
    const Husk husk;
    Bash bash(husk.settings());
    std::string out;
    std::string err;
    ToolContext context;
    context.on_output = [&](const OutputPiece& piece) {
        std::string& stream = piece.errors ? err : out;
        EXPECT_EQ(piece.offset, stream.size());
        EXPECT_EQ(piece.dropped_before, 0);
        stream += piece.bytes;
    };
    const std::string lines = program("out_lines");
    bash.run({.command = lines + " 5000000 & " + lines + " 3000000 >&2; wait",
              .streams = Streams::Split},
             context);
    EXPECT_TRUE(out == numbered(0, 5'000'000));
    EXPECT_TRUE(err == numbered(0, 3'000'000));
}

TEST(Background, ReturnsWhileItRunsAndSaysSo) {
    const Husk husk;
    Settings settings = husk.settings();
    settings.early_end = 1s;  // for its first words
    Bash bash(settings);
    const Report report = bash.run({.command = "echo up; sleep 60", .background = true});
    EXPECT_FALSE(report.ended());
    EXPECT_EQ(report.output, "up\n");
    EXPECT_TRUE(report.in_background);
    EXPECT_GT(report.pid, 0);
}

TEST(Background, ATypoShowsAtOnce) {
    const Husk husk;
    Settings settings = husk.settings();
    settings.early_end = 10s;  // at most
    Bash bash(settings);
    const Report report = bash.run({.command = "no-such-program", .background = true});
    EXPECT_EQ(exit_code(report.ending), 127);
    EXPECT_THAT(report.output, HasSubstr("not found"));
}

TEST(Background, ATimeoutMayMoveACommandThere) {
    const Husk husk;
    Bash bash(husk.settings());
    const Report report = bash.run(
        {.command = "echo up; sleep 60", .timeout = 2s, .on_timeout = OnTimeout::Background});
    EXPECT_FALSE(report.ended());
    EXPECT_TRUE(report.in_background);
    EXPECT_EQ(report.output, "up\n");
    EXPECT_EQ(husk.shell(report.shell_id)["status"], "running");
}

TEST(ShellsByLibrary, AreListedReadAwaitedAndKilled) {
    const Husk husk;
    Bash bash(husk.settings());
    const Shells shells(husk.settings());
    const Report ended = bash.run({.command = "echo over"});
    const Report running = bash.run({.command = "echo up; sleep 60", .background = true});
    const std::vector<Report> list = listed(shells);
    ASSERT_EQ(list.size(), 2);
    EXPECT_EQ(list[0].shell_id, running.shell_id) << "live ones first";
    EXPECT_EQ(list[1].shell_id, ended.shell_id);

    EXPECT_EQ(std::get<Report>(shells.output(ended.shell_id, Whole{})).output, "over\n");
    EXPECT_EQ(std::get<Waited>(shells.wait(running.shell_id, {}, 50ms)).met, "timeout");
    const Report killed = std::get<Report>(shells.kill(running.shell_id));
    EXPECT_EQ(exit_code(killed.ending), 143);
    EXPECT_EQ(std::get<Waited>(shells.wait(running.shell_id, {.gone = true}, 10s)).met, "gone");
    const Report again = std::get<Report>(shells.kill(running.shell_id));
    EXPECT_THAT(again.notes, ElementsAre(HasSubstr("already")));
}

TEST(ShellsByLibrary, WaitingCanBeCancelled) {
    const Husk husk;
    Bash bash(husk.settings());
    const std::string id = bash.run({.command = "sleep 60", .background = true}).shell_id;
    std::stop_source stop;
    std::jthread later([&] { std::this_thread::sleep_for(100ms), stop.request_stop(); });
    const auto start = steady_clock::now();
    const auto waited = Shells(husk.settings()).wait(id, {}, std::nullopt, stop.get_token());
    EXPECT_EQ(std::get<Waited>(waited).met, "cancelled");
    EXPECT_LT(steady_clock::now() - start, patient(5s));
    EXPECT_EQ(husk.shell(id)["status"], "running");
}

TEST(Example, AgentLoopDoesWhatItSays) {
    const Husk husk;
    const std::string example = std::string(HUSK_TEST_PROGRAMS_DIR) + "/../../examples/agent_loop";
    const Ran ran = husk.script(example);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out,
              "$ pwd; ls -d etc\n/\netc\n[exited 0]\n"
              "$ cat /no/such/file\ncat: /no/such/file: No such file or directory\n[exited 1]\n"
              "$ echo patience; sleep 600\npatience\n[timed_out]\n"
              "$ sleep 2; echo listening on port 8080; sleep 600\n[running]\n"
              "it says: listening on port 8080\n"
              "$ sleep 2; echo listening on port 8080; sleep 600\n[signaled 143]\n");
}

}  // namespace
}  // namespace husk::test
