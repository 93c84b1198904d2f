#include "confine/git_index.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "confine/git_settings.h"
#include "temp_dir.h"

namespace husk::confine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string number(uint32_t value, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
        text += static_cast<char>(value >> static_cast<unsigned>(shift));
    return text;
}

struct Written {
    std::string name;
    uint32_t mode = 0100644;
    bool extended = false;
};

// As git writes it, but for times and hashes.
std::string index_of(uint32_t version, const std::vector<Written>& entries, size_t hash_size,
                     const std::string& extensions = "") {
    std::string text = "DIRC" + number(version, 4) + number(uint32_t(entries.size()), 4);
    std::string before;
    for (const Written& entry : entries) {
        const size_t start = text.size();
        const auto length = uint32_t(std::min<size_t>(entry.name.size(), 0xfff));
        text +=
            std::string(24, '\x55') + number(entry.mode, 4) + std::string(12 + hash_size, '\x66');
        text += number(length | (entry.extended ? 0x4000U : 0U), 2);
        if (entry.extended) text += number(0, 2);
        if (version == 4) {
            text += std::string(1, char(before.size())) + entry.name + '\0';
        } else {
            text += entry.name + '\0';
            while ((text.size() - start) % 8 != 0) text += '\0';
        }
        before = entry.name;
    }
    return text + extensions + std::string(hash_size, '\x77');
}

constexpr uint32_t gitlink = 0160000;

TEST(GitIndex, TellsWhereRepositoriesAre) {
    for (const uint32_t version : {2U, 3U, 4U}) {
        for (const size_t hash_size : {20U, 32U}) {
            const std::string text = index_of(version,
                                              {{"a"},
                                               {"deep/sub", gitlink},
                                               {"seven77", 0120000, version > 2},
                                               {"eight888", gitlink, version > 2},
                                               {"z"}},
                                              hash_size);
            EXPECT_THAT(parse_index(text, hash_size).gitlinks, ElementsAre("deep/sub", "eight888"))
                << version << " " << hash_size;
        }
    }
}

TEST(GitIndex, GoesOnBehindALongName) {
    const std::string text =
        index_of(2, {{std::string(4090, 'x')}, {std::string(4096, 'y')}, {"sub", gitlink}}, 20);
    EXPECT_THAT(parse_index(text, 20).gitlinks, ElementsAre("sub"));
}

TEST(GitIndex, TellsWhereItsOtherPartIs) {
    const std::string tree = "TREE" + number(3, 4) + "abc";
    const std::string link = "link" + number(24, 4) + std::string(20, '\x1f') + "1234";
    const GitIndex index = parse_index(index_of(2, {{"a"}}, 20, tree + link), 20);
    std::string hash;
    for (int i = 0; i < 20; ++i) hash += "1f";
    EXPECT_EQ(index.shared, "sharedindex." + hash);
    EXPECT_EQ(parse_index(index_of(2, {{"a"}}, 20, tree), 20).shared, "");
}

// Whatever is cut off, or turned over: it ends, and reads nothing that is not there.
TEST(GitIndex, SurvivesWhatMakesNoSense) {
    for (const uint32_t version : {2U, 4U}) {
        const std::string text = index_of(version, {{"a"}, {"sub", gitlink}, {"z"}}, 20);
        for (size_t size = 0; size < text.size(); ++size)
            parse_index(std::string(text.substr(0, size)), 20);
        for (size_t at = 0; at < text.size(); ++at)
            for (const char byte : {'\0', '\x7f', '\xff'}) {
                std::string other = text;
                other[at] = byte;
                parse_index(other, 20);
            }
    }
    EXPECT_THAT(parse_index("DIRC" + number(5, 4) + number(9, 4), 20).gitlinks, IsEmpty());
    EXPECT_THAT(parse_index("", 20).gitlinks, IsEmpty());
}

// What git reads otherwise than this reader would hide the rest of the file from Husk.
TEST(GitIndex, SaysWhatItCannotRead) {
    const std::string sound = index_of(2, {{"a"}, {"sub", gitlink}}, 20);
    EXPECT_EQ(parse_index(sound, 20).unreadable, "");
    EXPECT_NE(parse_index(sound + "1234567", 20).unreadable, "");
    EXPECT_NE(parse_index(sound.substr(0, sound.size() - 1), 20).unreadable, "");
    EXPECT_NE(parse_index(sound, 32).unreadable, "");
    const std::string link = "link" + number(20, 4) + std::string(20, '\x1f');
    EXPECT_NE(parse_index(index_of(2, {{"a"}}, 20, link + link), 20).unreadable, "");
    std::vector<Written> many;
    for (size_t i = 0; i <= most_gitlinks; ++i) many.push_back({std::to_string(i), gitlink});
    EXPECT_NE(parse_index(index_of(2, many, 20), 20).unreadable, "");
}

// Git would not write these, but enters the repositories that they lead it to.
TEST(GitIndex, DoesNotReadNamesThatGitDoesNotWrite) {
    for (const std::string name :
         {"", "/root/sub", "sub/", "a//b", ".", "../sub", "a/./b", ".git", "a/.GIT/b"})
        EXPECT_NE(parse_index(index_of(2, {{"a"}, {name, gitlink}}, 20), 20).unreadable, "")
            << name;
    EXPECT_NE(parse_index(index_of(2, {{std::string("sub\0x", 5), gitlink}}, 20), 20).unreadable,
              "");
    for (const std::string name : {"sub", "a/b", "...", ".github", "a b"})
        EXPECT_EQ(parse_index(index_of(2, {{"a"}, {name, gitlink}}, 20), 20).unreadable, "")
            << name;
}

std::string extension(const std::string& name, const std::string& content) {
    return name + number(uint32_t(content.size()), 4) + content;
}
std::string blocks(const std::vector<std::pair<uint32_t, uint32_t>>& all) {
    std::string content = number(1, 4);
    for (const auto& [offset, count] : all) content += number(offset, 4) + number(count, 4);
    return extension("IEOT", content);
}

// With several threads, git reads entries and extensions from the offsets in two extensions.
TEST(GitIndex, ReadsOffsetsOnlyIfTheyLeadToTheSameEntries) {
    const std::vector<Written> entries = {{"a"}, {"b"}, {"c"}};
    const auto is_read = [&](const std::string& extensions, uint32_t version = 2) {
        return parse_index(index_of(version, entries, 20, extensions), 20).unreadable.empty();
    };
    constexpr uint32_t size = 64;  // of an entry
    EXPECT_TRUE(is_read(blocks({{12, 3}})));
    EXPECT_TRUE(is_read(blocks({{12, 1}, {12 + size, 2}})));
    EXPECT_FALSE(is_read(blocks({{12, 1}, {12 + size, 1}}))) << "an entry is missing";
    EXPECT_FALSE(is_read(blocks({{12, 1}, {12 + size, 3}}))) << "there are too many";
    EXPECT_FALSE(is_read(blocks({{12, 1}, {12 + 2 * size, 2}}))) << "another entry";
    EXPECT_FALSE(is_read(blocks({{12, 1}, {13 + size, 2}}))) << "no entry";
    EXPECT_FALSE(is_read(blocks({})));
    EXPECT_FALSE(is_read(extension("IEOT", number(2, 4) + number(12, 4) + number(3, 4))));
    const std::string hash(20, '\x11');
    EXPECT_TRUE(is_read(extension("EOIE", number(12 + 3 * size, 4) + hash)));
    EXPECT_FALSE(is_read(extension("EOIE", number(12 + 2 * size, 4) + hash)));
    EXPECT_FALSE(is_read(extension("EOIE", number(12 + 3 * size, 4))));
}

TEST(GitIndex, ReadsNamesOfAnyLengthAndFlagsOfAnyVersionAsGitDoes) {
    const std::string text =
        index_of(2, {{std::string(70'000, 'x')}, {"flagged", 0100644, true}, {"sub", gitlink}}, 20);
    EXPECT_THAT(parse_index(text, 20).gitlinks, ElementsAre("sub"));
    EXPECT_EQ(parse_index(text, 20).unreadable, "");
}

TEST(GitSettings, TellTheHashOfTheRepository) {
    EXPECT_FALSE(named_by("[remote \"o\"]\n\turl = https://example.org/sha256\n").uses_sha256);
    EXPECT_FALSE(named_by("[extensions]\n\tobjectFormat = sha1 ; sha256\n").uses_sha256);
    EXPECT_TRUE(named_by("[extensions] objectFormat = \"sha256\"").uses_sha256);
}

// Git itself is asked.
TEST(GitSettings, AreReadAsGitReadsThem) {
    const char* const texts[] = {
        "[core] hooksPath=.h ; c\n\tx = \"a;b\" c  \\\n d\n",
        "[Include] path = \"../g \\\"q\\\" \"\n[includeIf \"gitdir:~/a]b\"]\n path=~/x\r\n",
        "\xef\xbb\xbf[a.B] c\n[e \"F\\\"g\"] h=\n[core]a=b[core]c=d",
        "[core]\n  a = b c\t # d\n  e=\"# \"#\n\n;x\n[x]y=\\t\\n\\b\\\\",
    };
    const test::TempDir dir;
    for (const char* text : texts) {
        std::ofstream(dir.path() / "config") << text;
        const std::string command = "git config -z --list -f '" + (dir.path() / "config").string() +
                                    "' > '" + (dir.path() / "told").string() + "'";
        ASSERT_EQ(std::system(command.c_str()), 0) << text;
        std::ifstream told(dir.path() / "told");
        std::vector<std::string> values;
        for (std::string one; std::getline(told, one, '\0');)
            values.push_back(one.contains('\n') ? one.substr(one.find('\n') + 1) : "");
        std::vector<std::string> ours;
        for (const GitSetting& one : parse_settings(text).all) ours.push_back(one.value);
        EXPECT_EQ(ours, values) << text;
    }
}

struct Line {
    const char* text;
    const char* risk;  // "": none
};

TEST(GitSettings, AreRiskyUnlessTheyAreKnown) {
    const Line lines[] = {
        {"", ""},
        {"# a comment\n; another\n\n", ""},
        {"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n", ""},
        {"[remote \"origin\"]\n\turl = https://example.org/x.git\n\tfetch = +refs/*:refs/*\n", ""},
        {"[branch \"a]b\"]\n\tremote = x", "settings in an unusual form"},
        {"[CORE]\n\tBARE = false\n", ""},
        {"[core]\n\tfsmonitor = touch x\n", "core.fsmonitor"},
        {"[core]\n\tFsMonitor\n", "core.fsmonitor"},
        {"[core]\nhooksPath=x", "core.hookspath"},
        {"[core] fsmonitor = x\n", "settings in an unusual form"},
        {"[core]\n\tbare = false \\\n", "settings in an unusual form"},
        {"[core]\r\n\tbare = false\r\n", "settings in an unusual form"},
        {"[include]\n\tpath = x\n", "include.path"},
        {"[includeIf \"gitdir:/\"]\n\tpath = x\n", "includeif.*.path"},
        {"[filter \"x\"]\n\tclean = x\n", "filter.*.clean"},
        {"[remote \"origin\"]\n\tuploadpack = x\n", "remote.*.uploadpack"},
        {"[submodule \"x\"]\n\tupdate = !x\n", "submodule.*.update"},
        {"[alias]\n\tst = !x\n", "alias.st"},
        {"[core]\n\tbare = false\n[core]\n\tsshCommand = x\n", "core.sshcommand"},
        {"[core \"x\"]\n\tbare = x\n", "core.*.bare"},
        {"bare = x\n", "bare"},
        {"\xef\xbb\xbf[core]\n\tfsmonitor = x\n", "settings in an unusual form"},
    };
    for (const Line& line : lines)
        EXPECT_EQ(risky_setting(line.text).value_or(""), line.risk) << line.text;
}

TEST(GitSettings, NameWhatElseGitObeys) {
    const NamedBySettings named = named_by(
        "[core]\n\tbare = false\n\thooksPath = .husky/_\n[include]\n\tpath = \"../.git config\"\n"
        "[includeIf \"gitdir:/x/\"]\n\tpath = ../other ; why\n[alias]\n\tpath = x\n"
        "[init]\n\ttemplateDir = ~/templates\n\tdefaultBranch = x\n");
    EXPECT_THAT(named.hooks, ElementsAre(".husky/_"));
    EXPECT_THAT(named.templates, ElementsAre("~/templates"));
    EXPECT_THAT(named.includes, ElementsAre("../.git config", "../other"));
    EXPECT_THAT(named_by("").hooks, IsEmpty());
}

}  // namespace
}  // namespace husk::confine
