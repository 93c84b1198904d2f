// What is found in a state directory may be old, half-written, foreign or wrong: the machine was
// restarted, somebody tidied up. Husk says so, or passes over it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstring>
#include <random>

#include "harness.h"
#include "keeper/record.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using record::Record;
using record::State;
using testing::HasSubstr;

constexpr uint32_t nobody = 4'000'000;  // above any pid_max that a test machine has by default

// A finished shell, whose record can be rewritten to say anything.
class OldShell {
public:
    explicit OldShell(const Husk& husk, const std::string& command = "echo hi")
        : id_(husk.report(command)["shell_id"]) {
        const size_t dash = id_.find('-');
        session_ = husk.state() / "sessions" / id_.substr(0, dash);
        number_ = id_.substr(dash + 1);
        bytes_ = read_text(record_path());
        std::memcpy(&page, bytes_.data(), sizeof page);
    }

    const std::string& id() const { return id_; }
    const fs::path& session() const { return session_; }
    fs::path record_path() const { return session_ / "rec" / number_; }
    fs::path log_path() const { return session_ / "log" / (number_ + ".log"); }
    const std::string& bytes() const { return bytes_; }

    void says_it_runs(uint32_t keeper) {
        page.state = State::Running;
        page.keeper = page.main = keeper;
        save();
    }
    void was_written_before_a_restart() {
        std::memset(page.boot_id, 0, sizeof page.boot_id);
        std::strcpy(page.boot_id, "00000000-1111-2222-3333-444444444444");
        save();
    }
    void save() {
        std::memcpy(bytes_.data(), &page, sizeof page);
        write_text(record_path(), bytes_);
    }
    // Another shell with the same log and this record.
    std::string copy(const std::string& number, std::string_view record) const {
        std::string id = session_.filename().string() + "-" + number;
        write_text(session_ / "rec" / number, named(record, id));
        fs::copy_file(log_path(), session_ / "log" / (number + ".log"));
        return id;
    }
    // The record with the id of another shell in it, as far as it has one.
    static std::string named(std::string_view record, const std::string& id) {
        std::string bytes(record);
        constexpr size_t at = offsetof(Record, shell_id);
        if (bytes.size() < sizeof(Record)) return bytes;
        bytes.replace(at, sizeof(Record::shell_id), sizeof(Record::shell_id), '\0');
        bytes.replace(at, id.size(), id);
        return bytes;
    }

    Record page{};

private:
    std::string id_;
    fs::path session_;
    std::string number_;
    std::string bytes_;
};

// A process that has nothing to do with Husk, and dies of any signal. It may hold the lock of a
// file.
class Innocent {
public:
    explicit Innocent(const fs::path& locked = {}) {
        int ready[2];
        if (::pipe(ready) != 0) return;
        pid_ = ::fork();
        if (pid_ == 0) {
            ::alarm(60);
            const int fd = locked.empty() ? -1 : ::open(locked.c_str(), O_RDWR);
            struct flock lock{};
            lock.l_type = F_WRLCK;
            if (fd >= 0) ::fcntl(fd, F_SETLK, &lock);
            [[maybe_unused]] const ssize_t told = ::write(ready[1], "r", 1);
            for (;;) ::pause();
        }
        char word = 0;
        [[maybe_unused]] const ssize_t heard = ::read(ready[0], &word, 1);
        ::close(ready[0]);
        ::close(ready[1]);
    }
    ~Innocent() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Innocent(const Innocent&) = delete;
    Innocent& operator=(const Innocent&) = delete;

    pid_t pid() const { return pid_; }
    uint32_t number() const { return static_cast<uint32_t>(pid_); }
    bool lives() const { return is_alive(pid_); }

private:
    pid_t pid_ = -1;
};

// All questions about one shell. None may crash, hang or signal anybody.
void expect_answers(const Husk& husk, const std::string& id) {
    for (const std::vector<std::string>& question :
         {std::vector<std::string>{"output", id, "--json"},
          {"wait", id, "--json", "--timeout", "100ms"},
          {"kill", id, "--json"}}) {
        const Ran ran = husk(question);
        const bool answered = !nlohmann::json::parse(ran.out, nullptr, false).is_discarded();
        EXPECT_TRUE(answered || is_refusal(ran))
            << question[0] << " " << id << ": exit " << ran.code << "\n"
            << ran.out << ran.err;
        EXPECT_LT(ran.took, patient(10s)) << question[0] << " " << id;
    }
}

TEST(AfterARestart, ACommandThatRanIsLostAndItsOutputIsKept) {
    const Husk husk;
    OldShell old(husk);
    const Innocent innocent;
    old.says_it_runs(innocent.number());
    old.was_written_before_a_restart();
    const auto shell = husk.shell(old.id());
    EXPECT_EQ(shell["status"], "lost");
    EXPECT_EQ(shell["error"], "the machine was restarted");
    EXPECT_EQ(shell["exit_code"], nullptr);
    EXPECT_EQ(shell["duration_ms"], nullptr);
    EXPECT_EQ(husk({"output", old.id()}).out, "hi\n");
    const Ran waited = husk({"wait", old.id()});
    EXPECT_EQ(waited.code, 125);
    EXPECT_THAT(waited.err, HasSubstr("restarted"));
    EXPECT_EQ(husk({"kill", old.id()}).err, "husk: it had already ended\n");
    EXPECT_TRUE(innocent.lives());
}

TEST(AfterARestart, ACommandThatWasAboutToStartIsLost) {
    const Husk husk;
    OldShell old(husk);
    old.page.state = State::Prepared;
    old.page.main = old.page.keeper = 0;
    old.was_written_before_a_restart();
    EXPECT_EQ(husk.shell(old.id())["status"], "lost");
}

TEST(AfterARestart, WhatHadEndedStaysAsItWas) {
    const Husk husk;
    OldShell old(husk, "echo hi; exit 3");
    old.was_written_before_a_restart();
    EXPECT_EQ(husk.shell(old.id())["exit_code"], 3);
    EXPECT_EQ(husk({"wait", old.id()}).code, 3);
}

TEST(AfterARestart, WhatLeftATreeHasNoneAnyMore) {
    const Husk husk;
    OldShell old(husk, "echo hi; exit 3");
    const Innocent innocent;
    old.page.state = State::Ended;
    old.page.keeper = innocent.number();
    old.was_written_before_a_restart();
    const auto shell = husk.shell(old.id());
    EXPECT_EQ(shell["exit_code"], 3);
    EXPECT_EQ(shell["leftovers"], nlohmann::json::array());
    EXPECT_EQ(husk({"wait", old.id(), "--until", "gone"}).code, 3);
    EXPECT_EQ(husk({"kill", old.id()}).code, 0);
    EXPECT_TRUE(innocent.lives());
}

TEST(StaleState, ARecordWithoutAKeeperIsLost) {
    const Husk husk;
    OldShell old(husk);
    const Innocent innocent;
    for (const uint32_t keeper : {nobody, innocent.number(), 1U}) {
        old.says_it_runs(keeper);
        EXPECT_EQ(husk.shell(old.id())["status"], "lost");
        EXPECT_EQ(husk.shell(old.id())["error"], "its keeper was killed");
        EXPECT_EQ(husk({"kill", old.id()}).code, 0);
        EXPECT_EQ(husk({"wait", old.id()}).code, 125);
    }
    EXPECT_TRUE(innocent.lives());
}

TEST(StaleState, WhoeverLocksALogIsNotItsKeeperForThat) {
    struct Case {
        const char* what;
        State state;
        bool names_the_innocent;
        bool restarted;
    };
    const Case cases[] = {
        {"runs, by its record under another number", State::Running, false, false},
        {"ran before the restart", State::Running, false, true},
        {"ran before the restart under this very number", State::Running, true, true},
        {"was about to start, long ago", State::Prepared, false, false},
        {"had left a tree", State::Ended, false, false},
        {"had left a tree before the restart", State::Ended, true, true},
        {"is gone", State::Gone, true, false},
    };
    const Husk husk;
    for (const auto& [what, state, names_the_innocent, restarted] : cases) {
        OldShell old(husk);
        const Innocent innocent(old.record_path());
        old.page.state = state;
        old.page.created -= 3'600'000'000'000;
        old.page.keeper = state == State::Prepared ? 0 : nobody;
        if (names_the_innocent) old.page.keeper = innocent.number();
        old.save();
        if (restarted) old.was_written_before_a_restart();
        EXPECT_NE(husk.shell(old.id())["status"], "running") << what;
        EXPECT_LT(husk({"kill", old.id()}).took, patient(5s)) << what;
        EXPECT_LT(husk({"kill", old.id(), "--signal", "KILL"}).took, patient(5s)) << what;
        EXPECT_TRUE(innocent.lives()) << what;
    }
}

TEST(StaleState, AHalfWrittenRecordIsPassedOver) {
    const Husk husk;
    const OldShell old(husk);
    std::vector<std::string> ids;
    ids.reserve(sizeof(Record));
    for (size_t length = 0; length < sizeof(Record); ++length)
        ids.push_back(old.copy(std::to_string(1000 + length), old.bytes().substr(0, length)));
    const Ran listed = husk({"shells", "--json", "--all"});
    EXPECT_EQ(listed.code, 0);
    EXPECT_EQ(listed.json()["shells"].size(), 1);
    const Shells shells(husk.settings());
    for (const std::string& id : ids) {
        const auto answer = shells.output(id, Whole{});
        ASSERT_TRUE(std::holds_alternative<Error>(answer)) << id;
        ASSERT_THAT(std::get<Error>(answer).text(), HasSubstr("half-written")) << id;
        ASSERT_TRUE(std::holds_alternative<Error>(shells.kill(id))) << id;
    }
    expect_answers(husk, ids[0]);
    expect_answers(husk, ids[300]);
}

TEST(StaleState, ARecordWhoseCallIsCutStillTellsTheEnding) {
    const Husk husk;
    const OldShell old(husk, "echo hi; exit 3");
    const Shells shells(husk.settings());
    for (size_t length = sizeof(Record); length < old.bytes().size(); ++length) {
        const std::string id =
            old.copy(std::to_string(1000 + length), old.bytes().substr(0, length));
        const auto answer = shells.output(id, Whole{});
        ASSERT_TRUE(std::holds_alternative<Report>(answer)) << length;
        EXPECT_EQ(exit_code(std::get<Report>(answer).ending), 3) << length;
        EXPECT_EQ(std::get<Report>(answer).output, "hi\n") << length;
    }
    EXPECT_EQ(husk({"shells"}).code, 0);
}

TEST(StaleState, AForeignRecordSaysWhatItIs) {
    const Husk husk;
    OldShell old(husk);
    struct Case {
        uint32_t magic;
        uint16_t version;
        const char* words;
    };
    for (const auto& [magic, version, words] :
         {Case{0, 1, "not a record"}, Case{record::magic + 1, 1, "not a record"},
          Case{record::magic, 0, "another version"},
          Case{record::magic, record::version - 1, "another version"},
          Case{record::magic, 65535, "another version"}}) {
        old.page.magic = magic;
        old.page.version = version;
        old.save();
        for (const char* subcommand : {"output", "wait", "kill"}) {
            const Ran ran = husk({subcommand, old.id()});
            EXPECT_TRUE(is_refusal(ran)) << subcommand << " " << version;
            EXPECT_THAT(ran.err, HasSubstr(words));
            EXPECT_THAT(ran.err, HasSubstr(old.id()));
        }
        EXPECT_EQ(husk({"shells", "--json"}).json()["shells"].size(), 0) << version;
    }
}

TEST(StaleState, AMissingLogIsNamed) {
    const Husk husk;
    const OldShell old(husk);
    fs::remove(old.log_path());
    for (const char* subcommand : {"output", "wait", "kill"}) {
        const Ran ran = husk({subcommand, old.id()});
        EXPECT_TRUE(is_refusal(ran)) << subcommand;
        EXPECT_THAT(ran.err, HasSubstr("1.log"));
    }
    EXPECT_EQ(husk({"shells"}).code, 0);
}

TEST(StaleState, FilesMadeAheadAreNoShells) {
    const Husk husk;
    const OldShell old(husk);
    write_text(old.session() / "rec" / "2", "");
    write_text(old.session() / "log" / "2.log", "");
    EXPECT_EQ(husk({"shells", "--json", "--all"}).json()["shells"].size(), 1);
    expect_answers(husk, old.session().filename().string() + "-2");
}

TEST(StaleState, GarbageIsPassedOver) {
    const Husk husk;
    const OldShell old(husk);
    const fs::path sessions = husk.state() / "sessions";
    const std::string names[] = {"x",
                                 "x-y",
                                 "-rf",
                                 "-",
                                 "new\nline",
                                 "\xff\xfe",
                                 "..x",
                                 "18446744073709551615",
                                 "99999999999999999999999",
                                 "0x10",
                                 "7.log",
                                 std::string(255, 'n')};
    for (const fs::path& directory :
         {sessions, old.session() / "rec", old.session() / "log", old.session(), husk.state()}) {
        for (const std::string& name : names) write_text(directory / name, "garbage");
        fs::create_directory(directory / "a directory");
        fs::create_directory(directory / "d-1");
        fs::create_symlink("/nowhere", directory / "dangling");
        fs::create_symlink(".", directory / "loop");
        ::mkfifo((directory / "fifo").c_str(), 0600);
    }
    fs::create_directories(sessions / "half" / "rec");
    write_text(sessions / "half" / "rec" / "1", old.bytes());
    const Ran listed = husk.script("timeout -k 1 10 $HUSK shells --json --all");
    ASSERT_EQ(listed.code, 0);
    EXPECT_EQ(listed.json()["shells"].size(), 1);
    EXPECT_EQ(husk({"output", old.id()}).out, "hi\n");
    EXPECT_EQ(husk({"session", "list"}).code, 0);
    for (const char* id : {"x-1", "half-1", "a directory-1", "loop-1", "fifo-1", "dangling-1"})
        expect_answers(husk, id);
    for (const char* number : {"x", "fifo", "loop", "dangling", "a directory"})
        expect_answers(husk, old.session().filename().string() + "-" + number);
    EXPECT_EQ(husk.report("echo it works")["output"], "it works\n");
    EXPECT_EQ(husk.report("echo it works", {"--session", "s"})["output"], "it works\n");
}

TEST(StaleState, ARecordOfRandomBytesCrashesNobody) {
    const Husk husk;
    const OldShell old(husk);
    std::mt19937 random(42);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same every time
    std::vector<std::string> ids;
    for (int i = 0; i < 200; ++i) {
        std::string bytes = old.bytes();
        const size_t from = offsetof(Record, state);
        const size_t changes = 1 + random() % 64;
        for (size_t change = 0; change < changes; ++change)
            bytes[from + random() % (bytes.size() - from)] = static_cast<char>(random());
        ids.push_back(old.copy(std::to_string(1000 + i), bytes));
    }
    const Ran listed = husk({"shells", "--json", "--all"});
    ASSERT_EQ(listed.code, 0);
    listed.json();
    EXPECT_EQ(husk({"shells", "--all"}).code, 0);
    for (size_t i = 0; i < ids.size(); i += 10) expect_answers(husk, ids[i]);
    const Shells shells(husk.settings());
    for (const std::string& id : ids) {
        for (const Range& range : {Range(Whole{}), Range(Since{1}), Range(SinceLast{}),
                                   Range(LastLines{3}), Range(LineRange{1, 2}), Range(Grep{"h"})}) {
            EXPECT_NO_THROW(shells.output(id, range)) << id << ", way " << range.index();
        }
    }
}

TEST(StaleState, ManyLostShellsOfALivingSessionAreListedSoon) {
    const Husk husk;
    const std::string living = husk.background("sleep 60", {"--session", "s"});
    OldShell old(husk, "true");
    old.says_it_runs(nobody);
    const fs::path session = husk.state() / "sessions" / living.substr(0, living.find('-'));
    for (const char* number : {"11", "12", "13", "14", "15"}) {
        const std::string id = session.filename().string() + "-" + number;
        write_text(session / "rec" / number, OldShell::named(old.bytes(), id));
        write_text(session / "log" / (std::string(number) + ".log"), "");
    }
    const Ran listed = husk({"shells", "--json"});
    EXPECT_EQ(listed.json()["shells"].size(), 7);
    EXPECT_LT(listed.took, patient(10s)) << "they wait for a nursery one after another";
}

TEST(StaleState, ASessionNameThatLeadsNowhereIsGivenAnew) {
    const Husk husk;
    const OldShell old(husk);
    fs::create_directory(husk.state() / "names");
    fs::create_symlink("../sessions/nosuch", husk.state() / "names" / "dangling");
    fs::create_directories(husk.state() / "sessions" / "half");
    fs::create_symlink("../sessions/half", husk.state() / "names" / "half");
    fs::create_symlink("..", husk.state() / "names" / "odd");
    for (const char* name : {"dangling", "half", "odd"})
        EXPECT_EQ(husk.report("echo hi", {"--session", name})["output"], "hi\n") << name;
}

TEST(StaleState, ASessionNameThatIsNoLinkIsRefused) {
    const Husk husk;
    const OldShell old(husk);
    fs::create_directory(husk.state() / "names");
    write_text(husk.state() / "names" / "file", "garbage");
    const Ran ran = husk.script("timeout -k 1 20 $HUSK run --mode open --session file -- echo hi");
    EXPECT_TRUE(is_refusal(ran));
    EXPECT_THAT(ran.err, HasSubstr("file"));
}

TEST(StaleState, AStateDirectoryMayHaveAnyName) {
    const Husk husk;
    for (const std::string& name : {std::string(150, 'l'), std::string("with spaces and 'quotes'"),
                                    std::string("größe/日本語"), std::string("line\nbreak"),
                                    std::string(100, 'a') + "/" + std::string(100, 'b') + " é"}) {
        const std::string state = husk.dir() / name / "state";
        const auto at = [&](std::vector<std::string> words) {
            words.insert(words.begin() + 1, {"--state", state});
            return husk(words);
        };
        EXPECT_EQ(at({"run", "--", "echo hi"}).out, "hi\n") << name;
        std::string id =
            at({"run", "--session", "s", "--background", "--", "echo up; sleep 60"}).out;
        ASSERT_FALSE(id.empty()) << name;
        id.pop_back();
        EXPECT_EQ(at({"run", "--session", "s", "--", "echo again"}).out, "again\n") << name;
        EXPECT_EQ(at({"output", id}).out, "up\n") << name;
        EXPECT_EQ(at({"wait", id, "--timeout", "10ms"}).code, 124) << name;
        EXPECT_EQ(at({"kill", id}).code, 0) << name;
        EXPECT_EQ(at({"shells", "--json"}).json()["shells"].size(), 3) << name;
        EXPECT_EQ(husk({"session", "end", "s", "--state", state}).code, 0) << name;
    }
}

}  // namespace
}  // namespace husk::test
