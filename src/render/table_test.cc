#include "render/table.h"

#include <gtest/gtest.h>

namespace husk::render {
namespace {

TEST(Table, AlignsItsColumns) {
    EXPECT_EQ(table({{"ID", "STATUS", "COMMAND"},
                     {"k3f9-2", "running", "sleep 60"},
                     {"a", "exited 0", "ls"}},
                    0),
              "ID      STATUS    COMMAND\n"
              "k3f9-2  running   sleep 60\n"
              "a       exited 0  ls\n");
}

TEST(Table, HasNoSpacesAtTheEndOfALine) {
    EXPECT_EQ(table({{"A", "B"}, {"long", ""}, {"", "x"}, {"only"}, {"", ""}, {}}, 0),
              "A     B\nlong\n      x\nonly\n\n\n");
}

TEST(Table, CutsTheLastColumnToTheWidth) {
    const std::vector<Row> rows = {{"ID", "COMMAND"}, {"a", "make -j2 all the things"}};
    EXPECT_EQ(table(rows, 16), "ID  COMMAND\na   make -j2 al…\n");
    EXPECT_EQ(table(rows, 27), "ID  COMMAND\na   make -j2 all the things\n");
    EXPECT_EQ(table(rows, 26), "ID  COMMAND\na   make -j2 all the thin…\n");
    EXPECT_EQ(table(rows, 1), "ID  COMMAND\na   make -j2 …\n");  // ten columns are always left
}

TEST(Table, CountsCharactersNotBytes) {
    EXPECT_EQ(table({{"é", "x"}, {"ab", "ééééééééééééé"}}, 14), "é   x\nab  ééééééééé…\n");
}

TEST(Table, ACellCannotBreakTheTable) {
    EXPECT_EQ(table({{"A", "B"}, {"a\nb", "\x1b[31mred\x1b[0m\r\n\tend\xff"}}, 0),
              "A    B\na b  \\x1b[31mred\\x1b[0m\\r  end�\n");
}

TEST(Table, MayBeEmpty) {
    EXPECT_EQ(table({}, 80), "");
    EXPECT_EQ(table({{}}, 80), "\n");
}

}  // namespace
}  // namespace husk::render
