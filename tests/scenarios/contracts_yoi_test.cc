// The contract `yoi` with the real program.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "contract_calls.h"

namespace husk::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Yoi : public testing::Test {
protected:
    std::string said(const std::string& command, int timeout = 60) const {
        const Json result = talk_.call("Bash", {{"command", command}, {"timeout", timeout}});
        EXPECT_FALSE(is_error(result));
        EXPECT_FALSE(result.contains("structuredContent"));
        return text_of(result);
    }

    Conversation talk_{"yoi"};
};

TEST_F(Yoi, RunsSimpleCommand) { EXPECT_EQ(said("echo hello"), "$ echo hello\nhello\n"); }

TEST_F(Yoi, MergesStdoutAndStderr) {
    EXPECT_EQ(said("echo out; echo err 1>&2"), "$ echo out; echo err 1>&2\nout\nerr\n");
}

TEST_F(Yoi, NonzeroExitIsReported) {
    EXPECT_EQ(said("exit 7"), "$ exit 7 (exit 7)");
    EXPECT_EQ(said("kill -9 $$"), "$ kill -9 $$ (terminated by signal)");
    EXPECT_THAT(said("if"), StartsWith("$ if (exit 2)\n"));
}

TEST_F(Yoi, CdDoesNotPersistAcrossCalls) {
    EXPECT_EQ(said("cd /"), "$ cd /");
    EXPECT_EQ(said("pwd"), "$ pwd\n" + talk_.work() + "\n");
}

TEST_F(Yoi, TimeoutKillsLongCommand) {
    const Mark mark;
    const std::string command = "echo part; (exec -a " + mark.word() + " sleep 300) & sleep 300";
    const std::string text = said(command, 1);
    EXPECT_THAT(text, HasSubstr(" (timed out after 1s)\n[partial output before timeout "));
    EXPECT_THAT(text, testing::EndsWith("]\npart\n"));
    EXPECT_TRUE(mark.bearers().empty());
    EXPECT_EQ(said("sleep 30", 0), "$ sleep 30 (timed out after 1s)");
}

TEST_F(Yoi, InvalidJsonIsInvalidArgument) {
    const Json result = talk_.raw("Bash", "not json");
    EXPECT_THAT(text_of(result), StartsWith("invalid Bash input: "));
    EXPECT_TRUE(is_error(result));
}

std::string spill_of(const std::string& text) { return between(text, " at ", "]\n"); }

TEST_F(Yoi, LongOutputSpillsAndReturnsTail) {
    const std::string text = said("for i in $(seq 1 200); do echo line $i; done");
    EXPECT_THAT(text,
                HasSubstr("[showing last 80 of 200 lines \xe2\x80\x94 full output (1692 bytes)"));
    EXPECT_THAT(text, HasSubstr("\nline 121\n"));
    EXPECT_THAT(text, HasSubstr("\nline 200\n"));
    EXPECT_THAT(text, Not(HasSubstr("\nline 120\n")));
    const std::string path = spill_of(text);
    EXPECT_EQ(lines_of(read_text(path)).size(), 200U);
    EXPECT_EQ(said("wc -l < " + path), "$ wc -l < " + path + "\n200\n");
    struct stat info{};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0600U);
}

TEST_F(Yoi, WideShortOutputStillSpillsWhenByteBudgetExceeded) {
    const std::string text = said("printf 'x%.0s' {1..20480}");
    EXPECT_THAT(text,
                HasSubstr("[showing last 12288 bytes of 1 lines \xe2\x80\x94 full output (20480 "
                          "bytes) at "));
    EXPECT_THAT(text, testing::EndsWith("]\n" + std::string(12288, 'x')));
    EXPECT_THAT(said("seq 100000"),
                HasSubstr("[showing last 80 lines (tail of 588895-byte output)"));
}

TEST_F(Yoi, BackgroundJobDoesNotHang) {
    EXPECT_EQ(said("(sleep 0.05; echo bg) &"), "$ (sleep 0.05; echo bg) &\nbg\n");
    EXPECT_EQ(said("(sleep 0.05; echo bg; exit 9) & exit 3"),
              "$ (sleep 0.05; echo bg; exit 9) & exit 3 (exit 3)\nbg\n");
}

TEST_F(Yoi, SpilledFilesAreCleanedUpWhenTheSessionEnds) {
    const std::string path = spill_of(said("seq 200"));
    ASSERT_TRUE(std::filesystem::exists(path)) << path;
    const Json sessions = talk_.husk()({"session", "list", "--json"}).json();
    const std::string name = sessions["sessions"][0]["name"];
    EXPECT_EQ(talk_.husk()({"session", "end", name}).code, 0);
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(said("echo again"), "$ echo again\nagain\n");
}

TEST_F(Yoi, SpilledFilesOfASessionThatDiedGoWithTheNextCall) {
    const std::string path = spill_of(said("seq 200"));
    ASSERT_TRUE(std::filesystem::exists(path)) << path;
    ASSERT_EQ(::kill(nursery_of(talk_.husk()), SIGKILL), 0);
    EXPECT_TRUE(eventually([&] { return nursery_of(talk_.husk()) == 0; }));
    EXPECT_EQ(said("echo again"), "$ echo again\nagain\n");
    EXPECT_FALSE(std::filesystem::exists(path));
}

// In the log, and in a file of the caller's choice.
TEST_F(Yoi, Spill_KeepsEightyMegabytesWithoutAHole) {
    const std::string command =
        "head -c 80000000 /dev/zero | tr '\\0' a | fold -w 99; echo; echo END";
    for (const std::string& configuration :
         {std::string(), "yoi: {output_dir: " + (talk_.husk().dir() / "spill").string() + "}\n"}) {
        talk_.configure(configuration);
        const std::string path = spill_of(said(command));
        const std::string file = read_text(path);
        EXPECT_EQ(file.size(), 80808085U);
        EXPECT_EQ(std::ranges::count(file, 'a'), 80000000);
        EXPECT_EQ(std::ranges::count(file, '\0'), 0);
    }
}

TEST_F(Yoi, Spill_SaysHowMuchOfTheOutputTheFileDoesNotHave) {
    talk_.configure("output: {kept: 1M}\n");
    const std::string text = said("seq 1000000");
    EXPECT_THAT(text, HasSubstr("(tail of 6888896-byte output) \xe2\x80\x94 all but "));
    const std::string path = spill_of(text);
    const std::string file = read_text(path);
    EXPECT_EQ(file.size(), 6888896U);
    EXPECT_EQ(between(text, "all but ", " bytes at "),
              std::to_string(std::ranges::count(file, '\0')));
    EXPECT_THAT(said("seq 1000000; sleep 300", 1),
                HasSubstr("before timeout \xe2\x80\x94 all but "));
}

TEST_F(Yoi, Spawn_StandardInputIsClosed) {
    const Ran ran =
        talk_.husk()(talk_.args("Bash", R"({"command": "cat; echo end"})"), "of the caller\n");
    EXPECT_EQ(text_of(ran.json()), "$ cat; echo end\nend\n");
}

std::vector<std::string> files_below(const std::filesystem::path& directory) {
    std::vector<std::string> files;
    std::error_code failed;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, failed))
        if (entry.is_regular_file()) files.push_back(entry.path());
    return files;
}

std::string mode_of(const std::string& path) {
    struct stat info{};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    std::ostringstream text;
    text << std::oct << (info.st_mode & 07777);
    return text.str();
}

// BashTool::output_dir: the caller says where long output goes.
TEST_F(Yoi, OutputDir_IsWhereLongOutputGoes) {
    const std::filesystem::path spill = talk_.husk().dir() / "made" / "spill";
    talk_.configure("yoi: {output_dir: " + spill.string() + "}\n");
    EXPECT_EQ(said("seq 80"), "$ seq 80\n" + talk_.husk().script("seq 80").out);
    EXPECT_FALSE(std::filesystem::exists(spill));
    const std::string path = spill_of(said("seq 200"));
    EXPECT_EQ(files_below(spill), std::vector<std::string>{path});
    EXPECT_THAT(path, testing::MatchesRegex(".*/spill/bash-[a-zA-Z0-9]+\\.log"));
    EXPECT_EQ(lines_of(read_text(path)).size(), 200U);
    EXPECT_EQ(mode_of(path), "600");
    EXPECT_EQ(mode_of(spill), "700");
    EXPECT_EQ(said("wc -l < " + path), "$ wc -l < " + path + "\n200\n");
    const std::string large = spill_of(said("seq 2000000"));
    EXPECT_EQ(std::filesystem::file_size(large), 14888896U);
    const std::string cut = spill_of(said("echo part; sleep 300", 1));
    EXPECT_EQ(read_text(cut), "part\n");
    // They go with the session.
    const Json sessions = talk_.husk()({"session", "list", "--json"}).json();
    EXPECT_EQ(talk_.husk()({"session", "end", sessions["sessions"][0]["name"]}).code, 0);
    EXPECT_TRUE(files_below(spill).empty());
}

TEST_F(Yoi, OutputDir_IsAnOptionToo) {
    const std::string spill = talk_.husk().dir() / "spill";
    std::vector<std::string> args = talk_.args("Bash", R"({"command": "seq 200"})");
    args.insert(args.begin() + 1, {"--output-dir", spill});
    const std::string path = spill_of(text_of(talk_.husk()(args).json()));
    EXPECT_EQ(files_below(spill), std::vector<std::string>{path});
}

TEST_F(Yoi, OutputDir_FollowsNoLinkThatACommandMade) {
    const std::filesystem::path outside = talk_.husk().dir() / "outside";
    std::filesystem::create_directory(outside);
    talk_.configure("yoi: {output_dir: spill/deep}\n");
    EXPECT_EQ(said("ln -s " + outside.string() + " spill"),
              "$ ln -s " + outside.string() + " spill");
    const Ran refused = talk_.husk()(talk_.args("Bash", R"({"command": "seq 200"})"));
    EXPECT_TRUE(is_refusal(refused));
    EXPECT_THAT(refused.err, HasSubstr("leads through a link to "));
    EXPECT_TRUE(std::filesystem::is_empty(outside));
}

// Commands can make links wherever they can write.
TEST_F(Yoi, OutputDir_FollowsNoLinkInAPlaceThatCommandsCanWrite) {
    namespace fs = std::filesystem;
    const fs::path top = talk_.husk().dir();
    for (const char* name : {"more", "cache", "victim"}) fs::create_directory(top / name);
    fs::create_directory_symlink(talk_.work(), top / "alias");
    for (const fs::path& place : {fs::path(talk_.work()), top / "more", top / "cache"})
        fs::create_directory_symlink(top / "victim", place / "out");
    const auto refused = [&](const std::string& cwd, const fs::path& dir) {
        const Ran ran = talk_.husk()({"call", "--contract", "yoi", "--cwd", cwd, "--mode",
                                      "workspace", "--write", top / "more", "--output-dir", dir,
                                      "Bash", R"({"command": "seq 200"})"});
        EXPECT_TRUE(is_refusal(ran)) << dir;
        EXPECT_THAT(ran.err, HasSubstr("yoi.output_dir: ")) << dir;
        EXPECT_THAT(ran.err, HasSubstr("leads through a link to " + (top / "victim").string()));
    };
    talk_.configure("cache: " + (top / "cache").string() + "\n");
    refused(talk_.work(), top / "more/out");
    refused(talk_.work(), top / "cache/out/deep");
    refused(top / "alias", fs::path(talk_.work()) / "out");
    refused(top / "alias", "out");
    EXPECT_TRUE(fs::is_empty(top / "victim"));
}

TEST_F(Yoi, OutputDir_CountsFromTheWorkspace) {
    std::vector<std::string> args = talk_.args("Bash", R"({"command": "seq 200"})");
    args.insert(args.begin() + 1, {"--output-dir", "spill"});
    const std::string path = spill_of(text_of(talk_.husk()(args).json()));
    EXPECT_THAT(path, StartsWith(talk_.work() + "/spill/bash-"));
}

TEST_F(Yoi, OutputDir_ThatCannotBeWrittenLeavesTheOutputInTheLog) {
    write_text(talk_.husk().dir() / "file", "");
    talk_.configure("yoi: {output_dir: " + (talk_.husk().dir() / "file").string() + "}\n");
    const Json result = talk_.call("Bash", {{"command", "seq 200"}});
    EXPECT_EQ(lines_of(read_text(spill_of(text_of(result)))).size(), 200U);
    EXPECT_THAT(result["_meta"]["husk/notes"].dump(), HasSubstr("the output is in the log"));
}

TEST_F(Yoi, ShortOutputLeavesNoFile) {
    said("true");
    const auto logs_with = [&](const std::string& text) {
        std::vector<std::string> found;
        for (const std::string& file : files_below(talk_.husk().state() / "sessions"))
            if (file.ends_with(".log") && read_text(file).contains(text)) found.push_back(file);
        return found;
    };
    EXPECT_THAT(said("echo un''mistakable"), HasSubstr("\nunmistakable\n"));
    EXPECT_TRUE(logs_with("unmistakable").empty());
    EXPECT_TRUE(talk_.husk()({"shells", "--json", "--all"}).json()["shells"].empty());
    EXPECT_THAT(talk_.husk()({"log", "--json"}).out, HasSubstr("un''mistakable"));
    EXPECT_EQ(talk_.husk()({"log", "--verify"}).code, 0);
    said("seq 200");
    EXPECT_EQ(logs_with("\n200\n").size(), 1U);
}

TEST_F(Yoi, HasNoChecksUnlessTheUserAddsThem) {
    const Json arguments = {{"command", "git add -A"}};
    EXPECT_FALSE(is_error(talk_.call_among_stand_ins("git", "Bash", arguments)));
    EXPECT_EQ(read_text(talk_.mark()), "git was run\n");
    talk_.configure("packs: {git: on}");
    EXPECT_TRUE(is_error(talk_.call_among_stand_ins("git", "Bash", arguments)));
    EXPECT_EQ(read_text(talk_.mark()), "git was run\n");
}

}  // namespace
}  // namespace husk::test
