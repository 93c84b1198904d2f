// Which lines of a session's log belong to a call, whatever else is in it.
#include "tool/denials.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t second = 1'000'000'000;
constexpr uint64_t start = 1'000 * second;
constexpr uint64_t keeper = 7;

class DenialsLog : public testing::Test {
protected:
    DenialsLog() {
        std::string name = (fs::temp_directory_path() / "husk-denials-XXXXXX").string();
        if (::mkdtemp(name.data()) != nullptr) session_ = name;
    }
    ~DenialsLog() override {
        std::error_code ignored;
        fs::remove_all(session_, ignored);
    }

    void write(size_t lines, uint64_t ns, uint64_t whose, const std::string& path) {
        std::ofstream log(session_ / "denials", std::ios::app);
        for (size_t i = 0; i < lines; ++i)
            log << R"({"ns":)" << ns + i << R"(,"pid":9,"name":"mkdir","keeper":)" << whose
                << R"(,"operation":"create","path":")" << path << i << "\"}\n";
    }
    void write_dropped(uint64_t ns) {
        std::ofstream(session_ / "denials", std::ios::app)
            << R"({"dropped":true,"ns":)" << ns << "}\n";
    }
    void write_others(uint64_t ns, uint64_t whose, uint64_t count) {
        std::ofstream(session_ / "denials", std::ios::app)
            << R"({"ns":)" << ns << R"(,"keeper":)" << whose << R"(,"others":true,"count":)"
            << count << "    }\n";
    }

    void write_left(const fs::path& path, int error) {
        std::ofstream(session_ / "denials", std::ios::app)
            << R"({"ns":)" << start << R"(,"unreverted":")" << path.string() << R"(","error":)"
            << error << "}\n";
    }

    Report report() const {
        Report report;
        collect::ShellFiles files;
        files.log_path = session_ / "logs" / "1.log";
        record::Record record{};
        record.started = start;
        record.keeper = keeper;
        CallNote note;
        note.workspace = "/work";
        add_denials(report, files, record, note);
        return report;
    }

    fs::path session_;
};

TEST_F(DenialsLog, IsReadBackToTheStartOfTheCallHoweverMuchThatIs) {
    for (const size_t lines : {size_t{1}, size_t{40}, size_t{900}}) {
        fs::remove(session_ / "denials");
        write(5000, start - 100 * second, keeper, "/before/");
        write(lines, start, keeper, "/mine/");
        write(lines, start, keeper + 1, "/another/");
        const Report found = report();
        EXPECT_EQ(found.denials_total, lines);
        EXPECT_EQ(found.denials.size(), std::min(lines, size_t{20}));
        EXPECT_EQ(found.denials.front().target, "/mine/0");
        EXPECT_TRUE(found.denials_complete);
    }
}

TEST_F(DenialsLog, SaysThatLinesAreGoneOnlyToTheCallThatMissesThem) {
    write_dropped(start - 100 * second);
    write(1, start, keeper, "/mine/");
    EXPECT_TRUE(report().denials_complete);
    EXPECT_TRUE(report().notes.empty());
    fs::remove(session_ / "denials");
    write_dropped(start + second);
    write(1, start + 2 * second, keeper, "/mine/");
    EXPECT_FALSE(report().denials_complete);
    EXPECT_EQ(report().notes.size(), 1U);  // names that were taken away may be missing too
}

TEST_F(DenialsLog, CountsWhatHasNoLineOfItsOwn) {
    write(2, start, keeper, "/mine/");
    write_others(start + 1, keeper, 70'000);
    write_others(start + 1, keeper + 1, 5);
    const Report found = report();
    EXPECT_EQ(found.denials.size(), 2U);
    EXPECT_EQ(found.denials_total, 70'002U);
    EXPECT_FALSE(found.denials_complete);
}

// They are written anew when the log is full, whatever their time.
TEST_F(DenialsLog, FindsACountThatStandsAmongOlderOnes) {
    write_dropped(start + 9 * second);
    write_others(start + second, keeper, 40);
    for (uint64_t older = 0; older < 500; ++older)
        write_others(start - 90 * second, 1000 + older, 7);
    EXPECT_EQ(report().denials_total, 40U);
    EXPECT_FALSE(report().denials_complete);
}

TEST_F(DenialsLog, MayBeMissingOrHaveALongLine) {
    EXPECT_TRUE(report().denials.empty());
    write(1, start, keeper, "/" + std::string(8000, 'x'));
    write(1, start, keeper + 1, "/another");
    EXPECT_EQ(report().denials_total, 1U);
}

// Of a name that cannot be looked at, nobody knows who made it.
TEST_F(DenialsLog, SaysWhoMadeANameOnlyIfTheNameWasSeen) {
    const fs::path seen = session_ / "seen";
    std::ofstream(seen) << "x";
    const auto note = [this](const fs::path& path, int error) {
        fs::remove(session_ / "denials");
        write_left(path, error);
        const std::vector<std::string> notes = report().notes;
        return notes.size() == 1 ? notes.front() : "";
    };
    EXPECT_EQ(note(session_ / "not" / "seen", EACCES),
              (session_ / "not" / "seen").string() +
                  " is a protected name that could not be looked at (Permission denied), so the "
                  "session may have made it: if it is there, it is read-only from the next call "
                  "on");
    for (const auto& [error, words] :
         {std::pair(EACCES, "Permission denied"), std::pair(EPERM, "Operation not permitted")})
        EXPECT_EQ(note(seen, error),
                  seen.string() +
                      " is a protected name that the session made, and it could not be taken away "
                      "(" +
                      words + "): it is read-only from the next call on");
}

}  // namespace
}  // namespace husk::tool
