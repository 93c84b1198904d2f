#include "decide/arguments.h"

#include <gtest/gtest.h>

#include <array>

namespace husk::decide {
namespace {

// "-r -f --force=x a b", and "?" where a word may hold more options.
std::string read(const std::string& command, std::string_view letters = "") {
    static constexpr std::array<std::string_view, 1> names = {"output"};
    const parse::Script script = parse::parse(command);
    const Arguments arguments =
        read_arguments(arguments_of(script.commands.front()), {letters, names});
    std::string out;
    for (const Option& option : arguments.options) {
        out += (option.is_long ? " --" : " -") + option.name;
        if (option.value) out += "=" + option.value->shown();
    }
    for (const parse::Word& operand : arguments.operands) out += " " + operand.shown();
    return out + (arguments.may_have_more ? " ?" : "");
}

TEST(Arguments, AreToldApart) {
    EXPECT_EQ(read("x"), "");
    EXPECT_EQ(read("x a b"), " a b");
    EXPECT_EQ(read("x -rf a"), " -r -f a");
    EXPECT_EQ(read("x a -r b --force"), " -r --force a b");
    EXPECT_EQ(read("x --force=y a"), " --force=y a");
    EXPECT_EQ(read("x -- -r"), " -r");
    EXPECT_EQ(read("x -"), " -");
    EXPECT_EQ(read("x '-r' \"--force\""), " -r --force");
}

TEST(Arguments, ThatTakeAValue) {
    EXPECT_EQ(read("x -o a b", "o"), " -o=a b");
    EXPECT_EQ(read("x -oa b", "o"), " -o=a b");
    EXPECT_EQ(read("x -vo a", "o"), " -v -o=a");
    EXPECT_EQ(read("x -o", "o"), " -o");
    EXPECT_EQ(read("x -o -r", "o"), " -o=-r");
    EXPECT_EQ(read("x --output a b"), " --output=a b");
    EXPECT_EQ(read("x --output=a b"), " --output=a b");
    EXPECT_EQ(read("x --output=$y b"), " --output=$y b");
    EXPECT_EQ(read("x -o\"$y\" b", "o"), " -o=$y b");
}

TEST(Arguments, ThatAreNotKnownMayHoldMore) {
    EXPECT_EQ(read("x $y"), " $y ?");
    EXPECT_EQ(read("x \"$y\""), " $y");
    EXPECT_EQ(read("x -r$y"), " -r ?");
    EXPECT_EQ(read("x a$y"), " a$y");
    EXPECT_EQ(read("x *"), " *");
    EXPECT_EQ(read("x ~"), " ~");
    EXPECT_EQ(read("x $(y)"), " $(y) ?");
}

TEST(Arguments, AreFoundByNameAndBeginning) {
    const parse::Script script = parse::parse("x -r --fo --recursive=y");
    const Arguments arguments = read_arguments(arguments_of(script.commands.front()));
    EXPECT_TRUE(arguments.has("r"));
    EXPECT_FALSE(arguments.has("f"));
    EXPECT_FALSE(arguments.has("force"));
    EXPECT_TRUE(arguments.has("force", 1));
    EXPECT_FALSE(arguments.has("force", 3));
    EXPECT_TRUE(arguments.has("recursive"));
    EXPECT_FALSE(arguments.has("recursively"));
    ASSERT_TRUE(arguments.value_of("recursive"));
    EXPECT_TRUE(arguments.value_of("recursive")->is("y"));
    EXPECT_FALSE(arguments.value_of("force"));
}

}  // namespace
}  // namespace husk::decide
