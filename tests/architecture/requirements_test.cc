// docs/contracts/requirements.md names the tests of every requirement. Each line has to name at
// least one, and each name has to match a test that exists.

#include <fnmatch.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Requirement {
    int line;
    std::string text;
    std::vector<std::string> tests;  // names, with `*` for any text
};

std::vector<std::string> names_in(const std::string& cell) {
    static const std::regex quoted("`([^`]+)`");
    std::vector<std::string> names;
    for (std::sregex_iterator found(cell.begin(), cell.end(), quoted), end; found != end; ++found)
        names.push_back((*found)[1]);
    return names;
}

struct Page {
    std::vector<Requirement> requirements;
    std::vector<std::string> defects;  // lines of tables that are no requirement with its tests
};

// A table begins with its two lines of headings and ends with an empty line, as in Markdown.
Page read_page(std::istream& text) {
    static const std::regex row(R"(\| ([^|]+) \|([^|]*)\|)");
    const std::string heading = "| requirement | tests |";
    const std::string rule = "|---|---|";
    Page page;
    bool in_table = false;
    std::string before;
    std::string line;
    std::smatch cells;
    for (int number = 1; std::getline(text, line); before = line, ++number) {
        if (line.find_first_not_of(" \t") == std::string::npos) in_table = false;
        const bool begins = line == rule && before == heading;
        if (begins) in_table = true;
        if (begins || (line == heading && !in_table)) continue;
        if (!in_table && !line.contains('|')) continue;
        if (in_table && std::regex_match(line, cells, row))
            page.requirements.push_back({number, cells[1], names_in(cells[2])});
        else
            page.defects.push_back("line " + std::to_string(number) +
                                   ": no row with a requirement and its tests: " + line);
    }
    return page;
}

// All tests that ctest knows in this build.
std::vector<std::string> existing_tests() {
    const std::string build = std::filesystem::path(HUSK_BINARY).parent_path();
    const std::string command = "ctest --test-dir '" + build + "' -N";
    const std::unique_ptr<FILE, int (*)(FILE*)> list(::popen(command.c_str(), "r"), ::pclose);
    std::vector<std::string> names;
    char line[4096];
    const std::regex entry(R"( *Test +#\d+: ([^ \n]+)[^]*)");
    std::cmatch found;
    while (list && std::fgets(line, sizeof line, list.get()) != nullptr)
        if (std::regex_match(line, found, entry)) names.push_back(found[1]);
    return names;
}

// Each defect of the page as one line.
std::vector<std::string> defects(const Page& page, const std::vector<std::string>& existing) {
    std::vector<std::string> all = page.defects;
    for (const Requirement& one : page.requirements) {
        const std::string where = "line " + std::to_string(one.line) + ": ";
        if (one.tests.empty()) all.push_back(where + "no test covers: " + one.text);
        for (const std::string& pattern : one.tests) {
            const auto is_meant = [&](const std::string& name) {
                return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
            };
            if (std::ranges::none_of(existing, is_meant))
                all.push_back(where + "there is no test " + pattern);
        }
    }
    return all;
}

TEST(Requirements, OfEveryDocumentHaveTestsThatExist) {
    std::ifstream file(std::string(HUSK_SOURCE_DIR) + "/docs/contracts/requirements.md");
    const Page page = read_page(file);
    // Fewer lines would mean that the page was not read as a table.
    EXPECT_GT(page.requirements.size(), 150U);
    const auto existing = existing_tests();
    ASSERT_GT(existing.size(), 1000U);
    EXPECT_THAT(defects(page, existing), IsEmpty());
}

TEST(Requirements, WithoutATestAreFound) {
    std::istringstream page(
        "| requirement | tests |\n"
        "|---|---|\n"
        "| a command runs | `scenarios/Runs.A*` |\n"
        "| it `ends` | |\n"
        "| it is told | `scenarios/Told.Gone` `scenarios/Runs.Also` |\n");
    EXPECT_THAT(defects(read_page(page), {"scenarios/Runs.Also", "scenarios/Runs"}),
                ElementsAre("line 4: no test covers: it `ends`",
                            "line 5: there is no test scenarios/Told.Gone"));
}

TEST(Requirements, ThatAreNoRowOfTwoCellsAreFound) {
    const std::string table =
        "| requirement | tests |\n"
        "|---|---|\n"
        "| a command runs | `scenarios/Runs.A` |\n";
    for (const std::string line :
         {"| it ends |", "| it ends", "it ends | `scenarios/Runs.A` |", "it ends",
          "| it ends | `scenarios/Runs.A`", " | it ends | `scenarios/Runs.A` |",
          "| it ends | | `scenarios/Runs.A` |", "|it ends| `scenarios/Runs.A` |", "|---|---|",
          "| requirement | tests |", "\n| it ends | `scenarios/Runs.A` |", "\n|---|---|"}) {
        std::istringstream text(table + line + "\n| also | `scenarios/Runs.A` |\n\ntext\n");
        const auto found = defects(read_page(text), {"scenarios/Runs.A"});
        EXPECT_FALSE(found.empty()) << line;
    }
    std::istringstream correct(table + "\ntext\n\n" + table);
    EXPECT_THAT(defects(read_page(correct), {"scenarios/Runs.A"}), IsEmpty());
}

}  // namespace
