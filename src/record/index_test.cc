#include "record/index.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "record/test_place.h"

namespace husk::audit {
namespace {

using Ids = std::vector<std::string>;

Later nobody_knows(const std::string&) { return {}; }

Ids ids_of(const Result<Page>& page) {
    Ids ids;
    if (!page) {
        ADD_FAILURE() << page.error().text();
        return ids;
    }
    for (const Json& record : page->records) ids.push_back(record["id"]);
    return ids;
}

TEST(Index, MakesOneRecordOfBeginningAndEnd) {
    const Place place;
    place.record("s-1", "make -j2", 2);
    Index index(place.state(), nobody_knows);
    const auto page = index.find({});
    ASSERT_EQ(ids_of(page), Ids({"s-1"}));
    const Json& record = page->records[0];
    EXPECT_EQ(record["command"], "make -j2");
    EXPECT_EQ(record["status"], "exited");
    EXPECT_EQ(record["exit_code"], 2);
    EXPECT_EQ(record["duration_ms"], 30);
    EXPECT_EQ(record["usage"]["system_ms"], 2);
    EXPECT_TRUE(record["usage"]["read_bytes"].is_null());
    EXPECT_TRUE(record["verdict"].is_null());
    EXPECT_FALSE(record.contains("chain"));
}

struct Case {
    const char* query;
    Ids found;
};

TEST(Index, FindsWordsAnywhereInACommand) {
    const Place place;
    place.record("s-1", "git push origin main");
    place.record("s-2", "git status --short");
    place.record("s-3", "printf '%s\\n' \"Ünïcode\" | sort -u");
    place.record("s-4", "ls 100% of_it");
    Index index(place.state(), nobody_knows);
    const Case cases[] = {
        {"git", {"s-2", "s-1"}},
        {"GIT push", {"s-1"}},
        {"\"git push\"", {"s-1"}},
        {"push git", {"s-1"}},
        {"\"push git\"", {}},
        {"git -push", {"s-2"}},
        {"-git", {"s-4", "s-3"}},
        {"tatu", {"s-2"}},
        {"ünïc", {"s-3"}},
        {"-u", {"s-4"}},  // without: it is in "push", "status" and "Ünïcode | sort -u"
        {"ls", {"s-4"}},
        {"0%", {"s-4"}},
        {"f_i", {"s-4"}},
        {"x_y", {}},
        {"%", {"s-4", "s-3"}},
        {"'\" OR 1", {}},
        {"main)", {}},
        {"", {"s-4", "s-3", "s-2", "s-1"}},
    };
    for (const Case& one : cases)
        EXPECT_EQ(ids_of(index.find({.words = query_words(one.query)})), one.found) << one.query;
}

TEST(Index, IsNarrowedByEverythingThatIsKnown) {
    const Place place;
    const auto asked = [](const char* via, const char* contract, const char* decision) {
        Asked all{.via = via, .contract = contract, .action = "run", .session = "work"};
        all.verdict.emplace();
        all.verdict->decision = decision;
        all.verdict->rule = "no-such-thing";
        return all;
    };
    place.record("s-1", "one", 0, asked("serve/v1", "husk", "allow"));
    place.record("s-2", "two", 1, asked("serve/mcp", "docware", "ask"));
    place.record("s-3", "three", 0);
    Journal journal(place.state());
    ASSERT_TRUE(journal.append(
        call_record("x", {.via = "mcp", .action = "read"}, "s-1", "", std::nullopt)));
    Index index(place.state(), nobody_knows);
    EXPECT_EQ(ids_of(index.find({.via = "serve"})), Ids({"s-2", "s-1"}));
    EXPECT_EQ(ids_of(index.find({.via = "serve/v1"})), Ids({"s-1"}));
    EXPECT_EQ(ids_of(index.find({.contract = "docware"})), Ids({"s-2"}));
    EXPECT_EQ(ids_of(index.find({.decision = "ask"})), Ids({"s-2"}));
    EXPECT_EQ(ids_of(index.find({.session = "work"})), Ids({"s-2", "s-1"}));
    EXPECT_EQ(ids_of(index.find({.status = "exited"})), Ids({"s-3", "s-2", "s-1"}));
    EXPECT_EQ(ids_of(index.find({.words = {"no-such-thing"}})), Ids({"s-2", "s-1"}));
    EXPECT_EQ(ids_of(index.find({.which = Query::Which::All})), Ids({"x", "s-3", "s-2", "s-1"}));
    EXPECT_EQ(ids_of(index.find({.since = now_ms() + 1000})), Ids());
    EXPECT_EQ(ids_of(index.find({.until = now_ms() - 60'000})), Ids());
}

TEST(Index, ComesPageByPageWhateverIsAddedMeanwhile) {
    const Place place;
    for (int number = 0; number < 7; ++number) place.record("s-" + std::to_string(number), "x");
    Index index(place.state(), nobody_knows);
    const auto first = index.find({.limit = 3});
    EXPECT_EQ(ids_of(first), Ids({"s-6", "s-5", "s-4"}));
    place.record("s-7", "x");
    const auto second = index.find({.limit = 3, .before = first->next});
    EXPECT_EQ(ids_of(second), Ids({"s-3", "s-2", "s-1"}));
    const auto third = index.find({.limit = 3, .before = second->next});
    EXPECT_EQ(ids_of(third), Ids({"s-0"}));
    EXPECT_FALSE(third->next);
}

TEST(Index, CanBeDeletedOrDamagedAtAnyTime) {
    const Place place;
    place.record("s-1", "one");
    const auto file = place.state() / folder / "index.sqlite";
    Index index(place.state(), nobody_knows);
    EXPECT_EQ(ids_of(index.find({})), Ids({"s-1"}));
    struct stat info{};
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
    place.record("s-2", "two");
    EXPECT_EQ(ids_of(index.find({})), Ids({"s-2", "s-1"}));
    EXPECT_TRUE(std::filesystem::exists(file));
    Index other(place.state(), nobody_knows);
    for (const char* end : {"-wal", "-shm"}) std::filesystem::remove(file.string() + end);
    std::filesystem::remove(file);
    std::ofstream(file) << std::string(10'000, 'x');
    EXPECT_EQ(ids_of(other.find({})), Ids({"s-2", "s-1"}));
}

TEST(Index, FollowsTheJournalWhenThatIsAnotherOne) {
    const Place place;
    place.record("s-1", "one");
    Index index(place.state(), nobody_knows);
    EXPECT_EQ(ids_of(index.find({})), Ids({"s-1"}));
    std::filesystem::remove(place.file(1));
    place.record("s-2", "two");
    EXPECT_EQ(ids_of(index.find({})), Ids({"s-2"}));
}

TEST(Index, ForgetsWithTheFilesThatGo) {
    const Place place;
    Journal journal(place.state(), {.file_bytes = 2000, .files = 2, .keep = {}});
    Index index(place.state(), nobody_knows);
    for (int number = 0; number < 20; ++number) {
        ASSERT_TRUE(journal.append(begin_record("s-" + std::to_string(number),
                                                {.via = "run", .action = "run", .command = "x"})));
        ASSERT_TRUE(index.find({}));
    }
    const Ids ids = ids_of(index.find({}));
    EXPECT_LT(ids.size(), 20U);
    EXPECT_EQ(ids.front(), "s-19");
    EXPECT_EQ(ids_of(index.find({.words = {"s-0"}})), Ids());
}

TEST(Index, AsksAboutCallsWithoutAnEnd) {
    const Place place;
    Journal journal(place.state());
    for (const char* id : {"running", "over", "gone"})
        ASSERT_TRUE(journal.append(
            begin_record(id, {.via = "run", .action = "run", .command = "x", .background = true})));
    int asked = 0;
    Index index(place.state(), [&](const std::string& id) -> Later {
        ++asked;
        if (id == "over") return {Later::Kind::Ended, Place::ended("over", 3)};
        return {id == "gone" ? Later::Kind::Unknown : Later::Kind::Running};
    });
    const auto page = index.find({});
    ASSERT_EQ(ids_of(page), Ids({"gone", "over", "running"}));
    EXPECT_EQ(page->records[0]["status"], "unknown");
    EXPECT_EQ(page->records[1]["exit_code"], 3);
    EXPECT_EQ(page->records[2]["status"], "running");
    // What was found is in the journal now, and nobody asks again.
    EXPECT_NE(place.text(1).find("\"exit_code\":3"), std::string::npos);
    asked = 0;
    ASSERT_TRUE(index.find({}));
    EXPECT_EQ(asked, 1);
}

TEST(Index, TellsAnEndThatItsCallerHasNotRecordedYet) {
    const Place place;
    Journal journal(place.state());
    ASSERT_TRUE(
        journal.append(begin_record("s-1", {.via = "run", .action = "run", .command = "x"})));
    Later later{Later::Kind::JustEnded, Place::ended("s-1", 3)};
    Index index(place.state(), [&](const std::string&) { return later; });
    EXPECT_EQ(index.find({.status = "exited"})->records.at(0)["exit_code"], 3);
    // Its caller may be about to record it: it does not stand there twice.
    EXPECT_EQ(place.text(1).find("\"exit_code\""), std::string::npos);
    ASSERT_TRUE(journal.append(Place::ended("s-1", 4)));
    EXPECT_EQ(index.find({})->records.at(0)["exit_code"], 4) << "the journal is the truth";
}

TEST(Index, RecordsAnEndThatItsCallerNeverRecorded) {
    const Place place;
    Journal journal(place.state());
    ASSERT_TRUE(
        journal.append(begin_record("s-1", {.via = "run", .action = "run", .command = "x"})));
    Later later{Later::Kind::JustEnded, Place::ended("s-1", 3)};
    int asked = 0;
    Index index(place.state(), [&](const std::string&) {
        ++asked;
        return later;
    });
    ASSERT_TRUE(index.find({}));
    later.kind = Later::Kind::Ended;
    EXPECT_EQ(index.find({})->records.at(0)["exit_code"], 3);
    EXPECT_NE(place.text(1).find("\"exit_code\":3"), std::string::npos);
    asked = 0;
    ASSERT_TRUE(index.find({}));
    EXPECT_EQ(asked, 0);
}

TEST(Index, KeepsTheEndOfACallThatTheSpoolHasForgotten) {
    const Place place;
    Journal journal(place.state());
    ASSERT_TRUE(
        journal.append(begin_record("s-1", {.via = "run", .action = "run", .command = "x"})));
    Later later{Later::Kind::JustEnded, Place::ended("s-1", 3)};
    int asked = 0;
    Index index(place.state(), [&](const std::string&) {
        ++asked;
        return later;
    });
    ASSERT_TRUE(index.find({}));
    later = {Later::Kind::Unknown};
    ASSERT_TRUE(index.find({}));
    asked = 0;
    EXPECT_EQ(index.find({})->records.at(0)["exit_code"], 3);
    EXPECT_EQ(asked, 0);
}

TEST(Index, CountsAndLeavesOutWhatWasNotMeasured) {
    const Place place;
    Index index(place.state(), nobody_knows);
    const auto empty = index.stats({});
    ASSERT_TRUE(empty) << empty.error().text();
    EXPECT_EQ((*empty)["calls"], 0);
    EXPECT_TRUE((*empty)["duration_ms"]["median"].is_null());
    EXPECT_TRUE((*empty)["output_bytes"].is_null());
    for (int number = 0; number < 20; ++number)
        place.record("s-" + std::to_string(number), "x", number,
                     {.via = "run", .action = "run", .programs = {"git", "make"}});
    const auto stats = index.stats({});
    ASSERT_TRUE(stats) << stats.error().text();
    EXPECT_EQ((*stats)["calls"], 20);
    EXPECT_EQ((*stats)["exit_zero"], 1);
    EXPECT_EQ((*stats)["status"]["exited"], 20);
    EXPECT_EQ((*stats)["duration_ms"]["measured"], 20);
    EXPECT_EQ((*stats)["duration_ms"]["mean"], 105);
    EXPECT_EQ((*stats)["duration_ms"]["median"], 100);
    EXPECT_EQ((*stats)["duration_ms"]["p95"], 190);
    EXPECT_EQ((*stats)["duration_ms"]["max"], 200);
    EXPECT_EQ((*stats)["user_ms"], 20);
    EXPECT_EQ((*stats)["output_bytes"], 2000);
    EXPECT_TRUE((*stats)["peak_memory_bytes"].is_null());
    EXPECT_EQ((*stats)["programs"].size(), 2U);
    EXPECT_EQ((*stats)["programs"][0]["calls"], 20);
}

}  // namespace
}  // namespace husk::audit
