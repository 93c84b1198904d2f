#include "tool/call_audit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "temp_dir.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

// A disk that was full when the command began may have room at its end.
TEST(CallAudit, PutsACallOnRecordAtItsEndIfItsBeginningCouldNotBeWritten) {
    const test::TempDir dir;
    const fs::path folder = dir.path() / "audit";
    std::ofstream(folder) << "in the way";
    CallAudit audit(std::make_shared<audit::Journal>(dir.path()), {.command = "exit 3"});
    audit.begins("k3f9-2");
    EXPECT_FALSE(audit.has_begun());
    EXPECT_NE(audit.trouble(), "");
    fs::remove(folder);
    Report report;
    report.ending = Exited{3};
    report.shell_id = "k3f9-2";
    audit.ended(report);
    EXPECT_EQ(audit.trouble(), "");
    std::ifstream file(folder / audit::file_name(1));
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(text.find(R"("command":"exit 3")"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("exit_code":3)"), std::string::npos) << text;
}

}  // namespace
}  // namespace husk::tool
