// Which lines of a session's log belong to a call, whatever else is in it.
#include "tool/denials.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

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
    void write_dropped() {
        std::ofstream(session_ / "denials", std::ios::app) << "{\"dropped\":true}\n";
    }

    Report report() const {
        Report report;
        collect::ShellFiles files;
        files.log_path = session_ / "logs" / "1.log";
        record::Record record{};
        record.started = start;
        record.keeper = keeper;
        add_denials(report, files, record, "/work");
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
    write_dropped();
    write(5000, start - 100 * second, keeper, "/before/");
    write(1, start, keeper, "/mine/");
    EXPECT_TRUE(report().denials_complete);
    fs::remove(session_ / "denials");
    write_dropped();
    write(5000, start, keeper, "/mine/");
    EXPECT_FALSE(report().denials_complete);
}

TEST_F(DenialsLog, MayBeMissingOrHaveALongLine) {
    EXPECT_TRUE(report().denials.empty());
    write(1, start, keeper, "/" + std::string(8000, 'x'));
    write(1, start, keeper + 1, "/another");
    EXPECT_EQ(report().denials_total, 1U);
}

}  // namespace
}  // namespace husk::tool
