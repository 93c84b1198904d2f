#include "confine/git_settings.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "keeper/git_harmless.h"
#include "temp_dir.h"

namespace husk::confine {
namespace {

using git_harmless::Repository;
using git_harmless::Verdict;

// What a reader of the text gets: keys and values, or nothing if there is a mistake in it.
struct Reading {
    bool is_whole = true;
    std::vector<std::string> settings = {};

    bool operator==(const Reading& other) const {
        return is_whole == other.is_whole && (!is_whole || settings == other.settings);
    }
};

std::ostream& operator<<(std::ostream& out, const Reading& reading) {
    out << (reading.is_whole ? "whole" : "broken");
    for (const std::string& one : reading.settings) out << "\n  " << one;
    return out;
}

// Newer versions of git keep tabs between words.
std::string with_spaces(std::string text) {
    for (char& c : text)
        if (c == '\t') c = ' ';
    return text;
}

class Ours {
public:
    Ours(const std::string& text, size_t room)
        : memory_(4, std::vector<char>(room)),
          reader_(text.data(), text.size(), text_of(0)),
          setting{.key = text_of(1), .shown = text_of(2), .value = text_of(3)} {}
    git_syntax::Next next() { return reader_.next(setting); }

private:
    git_syntax::Text text_of(size_t which) {
        return {.text = memory_[which].data(),
                .room = static_cast<unsigned>(memory_[which].size())};
    }
    std::vector<std::vector<char>> memory_;
    git_syntax::Reader reader_;

public:
    git_syntax::Setting setting;
};

std::string string_of(const git_syntax::Text& text) { return {text.text, text.length}; }

Reading ours(const std::string& text) {
    Ours reader(text, text.size() + 1);
    Reading reading;
    git_syntax::Next next = reader.next();
    for (; next == git_syntax::Next::Setting; next = reader.next()) {
        const git_syntax::Setting& one = reader.setting;
        reading.settings.push_back(
            with_spaces(string_of(one.key) + (one.has_value ? "\n" + string_of(one.value) : "")));
    }
    reading.is_whole = next == git_syntax::Next::End;
    return reading;
}

Reading gits(const std::string& text, const std::filesystem::path& directory) {
    std::ofstream(directory / "config") << text;
    const std::string command = "git config -z --list -f '" + (directory / "config").string() +
                                "' > '" + (directory / "told").string() + "' 2>/dev/null";
    Reading reading;
    reading.is_whole = std::system(command.c_str()) == 0;
    std::ifstream told(directory / "told");
    for (std::string one; std::getline(told, one, '\0');)
        reading.settings.push_back(with_spaces(one));
    return reading;
}

// Git itself is asked about texts that are put together by chance.
TEST(GitSyntax, IsReadAsGitReadsIt) {
    const char* const pieces[] = {"[core]",
                                  "[remote \"Origin\"]",
                                  "[Remote.Origin]",
                                  "[a \"b\\\"c\\\\d\"]",
                                  "[a \"]\"]",
                                  "[x",
                                  "[x \"y",
                                  "[x  \t\"y\" ]",
                                  "[\"x\"]",
                                  "[]",
                                  "[a.b \"c.D\"]",
                                  "\n",
                                  "\n",
                                  "\n",
                                  "\r\n",
                                  "\r",
                                  "\t",
                                  " ",
                                  "#",
                                  ";",
                                  "\"",
                                  "\\",
                                  "\\\n",
                                  "\\t",
                                  "\\x",
                                  "=",
                                  "=",
                                  " = ",
                                  "hooksPath",
                                  "bare",
                                  "url",
                                  "a-1",
                                  "1",
                                  "_",
                                  "value",
                                  "\xef\xbb\xbf",
                                  "\xef",
                                  "\v",
                                  "\f",
                                  "ä",
                                  "ext::x",
                                  "include",
                                  ".",
                                  "/",
                                  "\x7f"};
    const test::TempDir dir;
    std::mt19937 chance(1);  // NOLINT(cert-msc51-cpp): the same texts each time
    const auto one_of = [&](size_t count) { return chance() % count; };
    int whole = 0;
    for (int i = 0; i < 300; ++i) {
        std::string text;
        for (size_t left = one_of(4); left > 0; --left) text += "[core]\n\tbare = value\n";
        for (size_t left = 1 + one_of(8); left > 0; --left)
            text += pieces[one_of(std::size(pieces))];
        const Reading theirs = gits(text, dir.path());
        whole += theirs.is_whole ? 1 : 0;
        ASSERT_EQ(ours(text), theirs) << "text " << i << ":\n" << text;
    }
    EXPECT_GT(whole, 30);
}

TEST(GitSyntax, TakesNoTextThatDoesNotFitIntoTheMemory) {
    const std::string text = "[core]\n\tbare = " + std::string(100, 'x') + "\n";
    Ours reader(text, 50);
    EXPECT_EQ(reader.next(), git_syntax::Next::Mistake);
    EXPECT_EQ(reader.next(), git_syntax::Next::Mistake);
    const std::string long_section = "[" + std::string(100, 'x') + "]\n\tbare = y\n";
    Ours section(long_section, 50);
    EXPECT_EQ(section.next(), git_syntax::Next::Mistake);
}

Verdict verdict_of(const std::string& text, Repository repository = Repository::OfTheUser) {
    Ours reader(text, text.size() + 1);
    EXPECT_EQ(reader.next(), git_syntax::Next::Setting) << text;
    return git_harmless::judge(reader.setting, repository);
}

TEST(GitHarmless, KnowsWhichSettingsRunNothing) {
    EXPECT_EQ(verdict_of("[branch \"a.b\"]\nmerge=refs/heads/x"), Verdict::Harmless);
    EXPECT_EQ(verdict_of("[branch.a]\nmerge=refs/heads/x"), Verdict::Harmless);
    EXPECT_EQ(verdict_of("[color]\nui"), Verdict::Harmless);
    EXPECT_EQ(verdict_of("[color \"branch\"]\ncurrent=red"), Verdict::Harmless);
    EXPECT_EQ(verdict_of("[core]\nworktree=/", Repository::OfACommand), Verdict::Harmless);
    for (const char* text :
         {"[core]\nworktree=/", "[core]\nhookspath=x", "[core \"x\"]\nbare=y", "[remote]\nurl=x",
          "bare=x", "[alias]\nbranch=x", "[branch \"x\"]\nmergeoptions=x", "[user]\nsigningkey=x",
          "[user \"x\"]\nname=y", "[branch]\nmerge=x", "[.core]\nbare=x", "[merge \"x\"]\ndriver=y",
          "[include]\npath=x", "[gc]\nrecentObjectsHook=x"})
        EXPECT_EQ(verdict_of(text), Verdict::NotKnown) << text;
}

TEST(GitHarmless, KnowsAddressesThatAreOnlyPlaces) {
    const auto url = [](const std::string& value) {
        return verdict_of("[remote \"x\"]\nurl = \"" + value + "\"");
    };
    for (const char* place :
         {"https://example.org/x.git", "http://me@example.org:80/x", "ssh://git@example.org/x",
          "git://example.org/x", "git@example.org:x/y.git", "example.org:x", "[::1]:x",
          "ssh://[::1]:22/x", "/srv/x.git", "../x", "x", "./a:b", "file:///srv/x", "origin", "."})
        EXPECT_EQ(url(place), Verdict::Harmless) << place;
    for (const char* other :
         {"", "ext::sh -c x", "foo::bar", "-x", "--upload-pack=x", "ssh://-oProxyCommand=x/y",
          "ssh://me@-oProxyCommand=x/y", "ssh://%2doProxyCommand=x/y", "-x@host:y", "host:-x",
          "[-oProxyCommand=x]:y", "ssh://[-ox]/y", "foo://example.org/x", "ext://x",
          "file://host/x", "https:///x", ":x", "x\\ny", "fd::17"})
        EXPECT_EQ(url(other), Verdict::NoPlainAddress) << other;
    EXPECT_EQ(verdict_of("[remote \"x\"]\nurl"), Verdict::NoPlainAddress);
    EXPECT_EQ(verdict_of("[branch \"x\"]\nremote=ext::x"), Verdict::NoPlainAddress);
    EXPECT_EQ(verdict_of("[submodule \"x\"]\nupdate=!x"), Verdict::NoKnownUpdate);
    EXPECT_EQ(verdict_of("[submodule \"x\"]\nupdate=rebase"), Verdict::Harmless);
}

}  // namespace
}  // namespace husk::confine
