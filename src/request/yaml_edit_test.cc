#include "request/yaml_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::HasSubstr;

namespace husk::yaml {
namespace {

const Path allowed = {"permissions", "allow"};

struct Case {
    const char* before;
    const char* after;
};

TEST(YamlEdit, SetsAValueAndLeavesTheRestAlone) {
    const Case cases[] = {
        {"", "mode: open\n"},
        {"# mine\n", "# mine\nmode: open\n"},
        {"network: none", "network: none\nmode: open\n"},
        {"mode: workspace\n", "mode: open\n"},
        {"mode:   workspace   # for now\nnetwork: none\n",
         "mode: open   # for now\nnetwork: none\n"},
        {"# a\n\nmode: 'read-only' # x # y\n\n# b\n", "# a\n\nmode: open # x # y\n\n# b\n"},
        {"mode:\n  workspace\nnetwork: none\n", "mode: open\nnetwork: none\n"},
        {"\"mode\": workspace\n", "\"mode\": open\n"},
        {"mode: workspace\r\nnetwork: none\r\n", "mode: open\r\nnetwork: none\r\n"},
        {"protect: [a]\nmode: \"work # space\"\n", "protect: [a]\nmode: open\n"},
    };
    for (const auto& [before, after] : cases) {
        const Edited edited = with_value(before, {"mode"}, "open");
        ASSERT_TRUE(edited) << before << edited.error();
        EXPECT_EQ(*edited, after) << before;
    }
}

TEST(YamlEdit, SetsAValueInASection) {
    const Case cases[] = {
        {"", "limits:\n  memory: 2G\n"},
        {"limits:\n", "limits:\n  memory: 2G\n"},
        {"limits: {}  # none yet\n", "limits:  # none yet\n  memory: 2G\n"},
        {"limits:\n    cpu: 10s  # short\n\n# end\n",
         "limits:\n    cpu: 10s  # short\n    memory: 2G\n\n# end\n"},
        {"limits:\n  memory: 1G  # small\n  cpu: 1s\n",
         "limits:\n  memory: 2G  # small\n  cpu: 1s\n"},
        {"limits: {cpu: 1s}  # why\nmode: open\n",
         "limits: {cpu: 1s, memory: 2G}  # why\nmode: open\n"},
        {"limits: {cpu: 1s, memory: 1G} # why\n", "limits: # why\n  cpu: 1s\n  memory: 2G\n"},
        {"a: 1\nlimits:\n  # nothing here yet\nb: 2\n",
         "a: 1\nlimits:\n  memory: 2G\n  # nothing here yet\nb: 2\n"},
    };
    for (const auto& [before, after] : cases) {
        const Edited edited = with_value(before, {"limits", "memory"}, "2G");
        ASSERT_TRUE(edited) << before << edited.error();
        EXPECT_EQ(*edited, after) << before;
    }
}

TEST(YamlEdit, SetsAListAndADeepValue) {
    EXPECT_EQ(with_value("write: [a] # x\n", {"write"}, std::vector<std::string>{"~/b", "c d"}),
              "write: [~/b, \"c d\"] # x\n");
    EXPECT_EQ(
        with_value("write:\n- a\n- b\nmode: open\n", {"write"}, std::vector<std::string>{"c"}),
        "write: [c]\nmode: open\n");
    EXPECT_EQ(with_value("", {"environment", "set", "A"}, "1"), "environment:\n  set:\n    A: 1\n");
    EXPECT_EQ(with_value("environment:\n  pass: [X]\n", {"environment", "set", "A"}, "1"),
              "environment:\n  pass: [X]\n  set:\n    A: 1\n");
}

TEST(YamlEdit, QuotesWhatWouldMeanSomethingElse) {
    for (const std::string value :
         {"", "~", "null", "a: b", "*.org", "# no", "-x", "[a]", "a\nb", "\"q\"", "it's", "\\", "@",
          "...", "{", "a #b", "Ünï", "yes", "1"}) {
        const Edited edited = with_value("b: 1\n", {"a"}, value);
        ASSERT_TRUE(edited) << value << ": " << edited.error();  // it has been read again
        EXPECT_THAT(*edited, testing::StartsWith("b: 1\na: "));
    }
}

TEST(YamlEdit, AddsARule) {
    const std::string rule = "Bash(git push:*)";
    const Case cases[] = {
        {"", "permissions:\n  allow: [\"Bash(git push:*)\"]\n"},
        {"permissions:\n  allow:\n", "permissions:\n  allow: [\"Bash(git push:*)\"]\n"},
        {"permissions:\n  allow: []  # none\n",
         "permissions:\n  allow: [\"Bash(git push:*)\"]  # none\n"},
        {"permissions:\n  deny: [x]\nmode: open\n",
         "permissions:\n  deny: [x]\n  allow: [\"Bash(git push:*)\"]\nmode: open\n"},
        {"permissions:\n  allow: [\"Bash(ls)\"] # list\n",
         "permissions:\n  allow: [\"Bash(ls)\", \"Bash(git push:*)\"] # list\n"},
        {"permissions:\n  allow: [\"Bash(ls]\", ]\n",
         "permissions:\n  allow: [\"Bash(ls]\", \"Bash(git push:*)\" ]\n"},
        {"permissions:\n  allow:\n  - Bash(ls)  # harmless\n  # more?\n  deny: [x]\n",
         "permissions:\n  allow:\n  - Bash(ls)  # harmless\n  - \"Bash(git push:*)\"\n  # more?\n"
         "  deny: [x]\n"},
        {"permissions:\n  allow:\n      - Bash(ls)\n\n      - Bash(id)\n\nmode: open\n",
         "permissions:\n  allow:\n      - Bash(ls)\n\n      - Bash(id)\n      - \"Bash(git "
         "push:*)\"\n"
         "\nmode: open\n"},
        {"permissions:\n  allow: [\n    Bash(ls),  # a\n    Bash(id)  # b\n  ]\n",
         "permissions:\n  allow: [\n    Bash(ls),  # a\n    Bash(id),  # b\n"
         "    \"Bash(git push:*)\",\n  ]\n"},
        {"permissions: {allow: [Bash(ls)], ask: []}  # short\n",
         "permissions:  # short\n  allow: [\"Bash(ls)\", \"Bash(git push:*)\"]\n  ask: []\n"},
        {"permissions: {ask: [x]}\n", "permissions: {ask: [x], allow: [\"Bash(git push:*)\"]}\n"},
        // once is enough
        {"permissions: {allow: ['Bash(git push:*)']}\n",
         "permissions: {allow: ['Bash(git push:*)']}\n"},
    };
    for (const auto& [before, after] : cases) {
        const Edited edited = with_item(before, allowed, rule);
        ASSERT_TRUE(edited) << before << edited.error();
        EXPECT_EQ(*edited, after) << before;
    }
}

// A person's "always": the keys are directories, the entries whole scripts.
TEST(YamlEdit, AddsAnItemBelowAKeyThatIsAPath) {
    const auto added = [](const char* text, const std::string& directory,
                          const std::string& script) {
        return with_item(text, {"permissions", "approved", directory}, script);
    };
    EXPECT_EQ(added("", "/a", "git push"), "permissions:\n  approved:\n    /a: [\"git push\"]\n");
    EXPECT_EQ(added("permissions:\n  ask: [Bash] # all\n", "/a", "ls"),
              "permissions:\n  ask: [Bash] # all\n  approved:\n    /a: [ls]\n");
    EXPECT_EQ(added("permissions:\n  approved:\n    /a: [ls]\n", "/a", "id"),
              "permissions:\n  approved:\n    /a: [ls, id]\n");
    EXPECT_EQ(added("permissions:\n  approved:\n    /a: [ls]  # mine\n", "/a/b", "id"),
              "permissions:\n  approved:\n    /a: [ls]  # mine\n    /a/b: [id]\n");
    for (const char* before : {"", "permissions: {ask: [x]}\n", "permissions: {approved: {}}\n"})
        for (const char* directory : {"/a b", "/a: b", "/#", "/it's", "/ä", "/[x]"}) {
            const auto edited = added(before, directory, "a 'b' \"c\" # d\n\te");
            ASSERT_TRUE(edited) << before << directory << ": " << edited.error();
            // And one more, there and elsewhere.
            const auto more = added(edited->c_str(), directory, "ls");
            ASSERT_TRUE(more) << *edited << more.error();
            const auto elsewhere = added(more->c_str(), "/x", "ls");
            ASSERT_TRUE(elsewhere) << *more << elsewhere.error();
        }
}

TEST(YamlEdit, RefusesWhatItCannotDoWithoutHarm) {
    const std::pair<const char*, const char*> cases[] = {
        {"{permissions: {allow: [a]}}\n", "the whole file is in braces"},
        {"permissions: {\n  allow: [a], ask: []}\n", "by hand"},
        {"permissions: all\n", "is no list there"},
        {"permissions: [a\n", "never closed"},
        {"permissions:\n  allow: Bash\n", "is no list there"},
        {"mode: open\n...\n", "by hand"},
    };
    for (const auto& [text, said] : cases) {
        const Edited edited = with_item(text, allowed, "Bash(x)");
        ASSERT_FALSE(edited) << text << "became\n" << *edited;
        EXPECT_THAT(edited.error(), HasSubstr(said)) << text;
    }
    const Edited edited =
        with_value("write:\n- a  # why\n- b\n", {"write"}, std::vector<std::string>{"c"});
    ASSERT_FALSE(edited);
    EXPECT_THAT(edited.error(), HasSubstr("comments"));
}

TEST(YamlEdit, TakesKeysAway) {
    struct {
        const char* text;
        Path path;
        const char* after;
    } const cases[] = {
        {"# mine\nmode: open  # now\n\nstate: ~/x\n", {"mode"}, "# mine\n\nstate: ~/x\n"},
        {"limits:\n  cpu: 1m  # a\n  # b\n  memory: 2G\n",
         {"limits", "cpu"},
         "limits:\n  # b\n  memory: 2G\n"},
        {"mode: open\nlimits:\n  cpu: 1m\n# end\n", {"limits", "cpu"}, "mode: open\n# end\n"},
        {"limits: {cpu: 1m, memory: 2G}\n", {"limits", "cpu"}, "limits:\n  memory: 2G\n"},
        {"limits: {cpu: 1m}\nmode: open\n", {"limits", "cpu"}, "mode: open\n"},
        {"a:\n  b:\n    c: 1\nd: 2\n", {"a", "b", "c"}, "d: 2\n"},
        {"write:\n- a\n- b\nmode: open\n", {"write"}, "mode: open\n"},
        {"# only\nmode: open\n", {"mode"}, "# only\n"},
    };
    for (const auto& [text, path, after] : cases) {
        const Edited edited = without(text, path);
        ASSERT_TRUE(edited) << text << edited.error();
        EXPECT_EQ(*edited, after) << text;
    }
    EXPECT_THAT(without("mode: open\n", {"state"}).error(), HasSubstr("does not stand there"));
    EXPECT_THAT(without("write:\n- a  # why\n- b\n", {"write"}).error(), HasSubstr("comments"));
}

// Whatever the file looks like: it is refused, or it means what was wanted.
TEST(YamlEdit, NeverMakesSomethingElseOfAnyPieceOfAFile) {
    const std::string whole =
        "# mine\npermissions:\n  mode: default # m\n  allow:\n    - \"Bash(ls)\"\n    - |\n      "
        "x\n\n"
        "  deny: [\"a # b\", 'it''s',\n    c]\nlimits: {cpu: 1s, memory: 1G}\n# end\nmode: >\n  "
        "open\n";
    int changed = 0;
    for (size_t from = 0; from < whole.size(); ++from) {
        for (size_t size = 0; from + size <= whole.size(); size += 7) {
            const std::string text = whole.substr(from, size);
            const Edited added = with_item(text, allowed, "Bash(x)");
            const Edited set = with_value(text, {"limits", "memory"}, "2G");
            const Edited gone = without(text, {"limits", "memory"});
            changed += added.has_value() + set.has_value() + gone.has_value();
            EXPECT_FALSE(gone && without(*gone, {"limits", "memory"})) << text;
            // Each has been compared with what was wanted; doing it again changes nothing.
            EXPECT_EQ(added ? with_item(*added, allowed, "Bash(x)") : added, added) << text;
            EXPECT_EQ(set ? with_value(*set, {"limits", "memory"}, "2G") : set, set) << text;
        }
    }
    EXPECT_GT(changed, 500);
}

}  // namespace
}  // namespace husk::yaml
