#include "decide/files.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace husk::decide {
namespace {

// "read a, write b"
std::string files_of(std::string_view command) {
    std::string text;
    for (const FileUse& use : file_uses(parse::parse(command)))
        text += (text.empty() ? "" : ", ") + use.operation + " " + use.path;
    return text;
}

TEST(Files, OfACommand) {
    struct Case {
        std::string_view command;
        std::string_view files;
    };
    const Case cases[] = {
        {"ls", ""},
        {"sort < a > b 2>> c", "read a, write b, append c"},
        {"make &> log", "write log"},
        {"make > log 2>&1", "write log"},
        {"cat <> both", "write both"},
        {"cat a 'b c'", "read a, read b c"},
        {"cat \"$x\" ~/y $(z)", "read $x, read ~/y, read $(z)"},
        {"cat -- -x", "read -x"},
        {"head -n 5 a", "read a"},
        {"tail -f -n5 a b", "read a, read b"},
        {"less a", "read a"},
        {"grep -rn x a b", "read a, read b"},
        {"grep -e x -e y a", "read a"},
        {"grep x", ""},
        {"cp a b", "read a, write b"},
        {"cp -r a b dir", "read a, read b, write dir"},
        {"cp -t dir a b", "read a, read b, write dir"},
        {"cp --target-directory=dir a", "read a, write dir"},
        {"mv a b", "delete a, write b"},
        {"rm -rf a b", "delete a, delete b"},
        {"touch a", "write a"},
        {"echo x | tee a b", "write a, write b"},
        {"echo x | tee -a a", "append a"},
        {"mkdir -p -m 755 a/b", "write a/b"},
        {"ln -s a b", "read a, write b"},
        {"chmod 755 a b", "write a, write b"},
        {"chmod -R u+x a", "write a"},
        {"sed s/a/b/ f", "read f"},
        {"sed -i s/a/b/ f", "write f"},
        {"sed -i.bak -e s/a/b/ f", "write f"},
        {"sed --in-place s/a/b/ f", "write f"},
        {"dd if=a of=b bs=1", "read a, write b"},
        {"cd x; cat a && rm b", "read a, delete b"},
        {"echo $(cat a) > b", "write b, read a"},
        {"sudo cat a", "read a"},
        {"bash -c 'cat a > b'", "read a, write b"},
        {"/bin/cat a", "read a"},
        {"xargs rm -f", ""},
        {"cat <<E\na\nE", ""},
        {"ssh host 'cat a'", ""},  // on another machine
    };
    for (const auto& [command, files] : cases) EXPECT_EQ(files_of(command), files) << command;
}

TEST(Files, TellWhoseTheyAre) {
    const auto uses = file_uses(parse::parse("cat a; cat b > c"));
    ASSERT_EQ(uses.size(), 3U);
    EXPECT_EQ(uses[0], (FileUse{"a", "read", 0}));
    EXPECT_EQ(uses[1], (FileUse{"b", "read", 1}));
    EXPECT_EQ(uses[2], (FileUse{"c", "write", 1}));
}

}  // namespace
}  // namespace husk::decide
