// The order of the modules in src/LAYERS holds, and the check that says so can fail.

#include "layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace architecture {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string slurp(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// A small world: four modules, one of them pure, and two libraries.
std::vector<std::string> breaches_in(const Tree& tree) {
    return breaches(tree, parse_layers("base  # words\n"
                                       "os\n"
                                       "parse pure\n"
                                       "keeper\n"
                                       "cli\n"
                                       "re2/ base parse\n"
                                       "CLI/ cli\n"));
}

TEST(Layers, HoldInThisProject) {
    const std::filesystem::path root = HUSK_SOURCE_DIR;
    const Layers layers = parse_layers(slurp(root / "src/LAYERS"));
    ASSERT_FALSE(layers.modules.empty());
    const Tree tree = read_tree(root);
    ASSERT_FALSE(tree.empty());
    EXPECT_THAT(breaches(tree, layers), IsEmpty());
}

TEST(Layers, AllowWhatIsBelowThePublicHeadersAndTheSystem) {
    EXPECT_THAT(
        breaches_in({{"src/cli/main.cc",
                      "#include <unistd.h>\n"
                      "#include <sys/wait.h>\n"
                      "#include <vector>\n"
                      "#include \"parse/parse.h\"\n"
                      "#include \"run.h\"\n"
                      "#include \"husk/husk.h\"\n"
                      "#include <CLI/CLI.hpp>\n"},
                     {"include/husk/husk.h", "#include <string>\n#include \"husk/x.h\"\n"},
                     {"src/base/text_test.cc", "#include <gtest/gtest.h>\n"},
                     {"src/keeper/tree.cc",
                      "#include \"tree.h\"\n#include <stdint.h>\n#include <linux/poll.h>\n"}}),
        IsEmpty());
}

TEST(Layers, RejectAnIncludeThatGoesUp) {
    EXPECT_THAT(breaches_in({{"src/base/text.cc", "#include <string>\n#include \"os/fd.h\"\n"}}),
                ElementsAre("src/base/text.cc:2: includes os/fd.h: base is below os"));
}

TEST(Layers, RejectAThirdPartyHeaderOutsideItsOwner) {
    EXPECT_THAT(breaches_in({{"src/os/fd.cc", "#  include <re2/re2.h>\n"}}),
                ElementsAre("src/os/fd.cc:1: includes re2/re2.h: is not an owner of re2/"));
}

TEST(Layers, RejectAThirdPartyHeaderWithoutOwner) {
    for (const char* include : {"#include <curl/curl.h>\n", "#include <zlib.h>\n",
                                "#include \"nowhere/x.h\"\n", "#include \"../os/fd.h\"\n"})
        EXPECT_THAT(breaches_in({{"src/cli/main.cc", include}}),
                    ElementsAre(HasSubstr("no module owns it")));
}

TEST(Layers, RejectAPureModuleThatReachesOs) {
    EXPECT_THAT(breaches_in({{"src/parse/parse.cc", "#include \"os/fd.h\"\n"}}),
                ElementsAre("src/parse/parse.cc: is pure but reaches os -> os/fd.h"));
}

TEST(Layers, RejectAPureModuleThatReachesOsThroughOthers) {
    const Tree tree = {
        {"src/parse/parse.cc", "#include \"parse.h\"\n"},
        {"src/parse/parse.h", "#include \"husk/husk.h\"\n#include \"base/text.h\"\n"},
        {"src/base/text.h", "#include \"base/text.h\"\n#include \"os/fd.h\"\n"}};
    EXPECT_THAT(breaches_in(tree),
                ElementsAre("src/base/text.h:2: includes os/fd.h: base is below os",
                            "src/parse/parse.cc: is pure but reaches os -> parse.h -> base/text.h "
                            "-> os/fd.h",
                            "src/parse/parse.h: is pure but reaches os -> base/text.h -> os/fd.h"));
}

TEST(Layers, RejectAPublicHeaderThatShowsOurInside) {
    for (const char* include :
         {"#include \"base/text.h\"\n", "#include <unistd.h>\n", "#include <re2/re2.h>\n"})
        EXPECT_THAT(breaches_in({{"include/husk/husk.h", include}}),
                    ElementsAre(HasSubstr("include/husk/husk.h:1: ")));
}

TEST(Layers, RejectAKeeperThatIsNotFreestanding) {
    for (const char* include : {"#include <atomic>\n", "#include <string.h>\n",
                                "#include \"base/text.h\"\n", "#include \"husk/husk.h\"\n"})
        EXPECT_THAT(breaches_in({{"src/keeper/tree.cc", include}}),
                    ElementsAre(HasSubstr("src/keeper/tree.cc:1: ")));
    EXPECT_THAT(breaches_in({{"src/keeper/tree_test.cc", "#include <atomic>\n"}}), IsEmpty());
}

TEST(Layers, RejectAModuleThatIsNotListed) {
    EXPECT_THAT(breaches_in({{"src/extra/a.cc", ""}}),
                ElementsAre("src/extra/a.cc: src/LAYERS does not list the module extra"));
}

TEST(Layers, RejectFilesTooLongToRead) {
    const auto lines = [](size_t count) { return std::string(count, '\n'); };
    EXPECT_THAT(breaches_in({{"src/base/text.cc", lines(500)}}), IsEmpty());
    EXPECT_THAT(breaches_in({{"src/base/text.cc", lines(501)}}),
                ElementsAre("src/base/text.cc: has 501 lines, more than 500"));
    EXPECT_THAT(breaches_in({{"src/base/text_test.cc", lines(501)}}), IsEmpty());
}

TEST(Layers, RejectNamesThatSayNothing) {
    for (const char* path : {"src/base/util.h", "src/base/string_utils.cc", "src/os/fd_manager.cc",
                             "tests/common/a.cc", "include/husk/misc.h"})
        EXPECT_THAT(breaches_in({{path, ""}}), ElementsAre(HasSubstr("says nothing"))) << path;
    EXPECT_THAT(breaches_in({{"src/base/common_prefix.h", ""}}), IsEmpty());
}

}  // namespace
}  // namespace architecture
