#include "record/journal.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "record/test_place.h"
#include "record/verify.h"

namespace husk::audit {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> ids_in(const Place& place) {
    std::vector<std::string> ids;
    const auto dir = open_folder(place.state());
    const auto numbers = file_numbers(*dir);
    for (const uint64_t number : *numbers)
        EXPECT_TRUE(read_lines(*dir, number, 0, [&](const JournalLine& line) {
            const auto json = nlohmann::json::parse(line.text, nullptr, false);
            if (json.contains("id")) ids.push_back(json["id"]);
        }));
    return ids;
}

std::string note(int number) { return R"({"id":"n)" + std::to_string(number) + "\"}"; }

TEST(Journal, KeepsWhatIsAddedForItsOwnerOnly) {
    const Place place;
    Journal journal(place.state());
    EXPECT_FALSE(std::filesystem::exists(place.state()));  // nothing is made before it is needed
    for (int number = 0; number < 3; ++number) ASSERT_TRUE(journal.append(note(number)));
    EXPECT_EQ(ids_in(place), (std::vector<std::string>{"n0", "n1", "n2"}));
    struct stat info{};
    ASSERT_EQ(::stat(place.file(1).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
    ASSERT_EQ(::stat((place.state() / folder).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
    const auto proof = verify(place.state());
    ASSERT_TRUE(proof);
    EXPECT_EQ(proof->records, 3U);
    EXPECT_TRUE(proof->from_the_start);
    EXPECT_EQ(proof->broken_total, 0U);
    EXPECT_EQ(proof->last.size(), 64U);
}

TEST(Journal, GoesOnInTheNextFileAndForgetsTheOldest) {
    const Place place;
    Journal journal(place.state(), {.file_bytes = 1000, .files = 3, .keep = 0h});
    for (int number = 0; number < 60; ++number) ASSERT_TRUE(journal.append(note(number)));
    const auto dir = open_folder(place.state());
    const auto numbers = file_numbers(*dir);
    ASSERT_TRUE(numbers);
    EXPECT_EQ(numbers->size(), 3U);
    EXPECT_GT(numbers->front(), 1U);
    EXPECT_EQ(ids_in(place).back(), "n59");
    const auto proof = verify(place.state());
    EXPECT_EQ(proof->broken_total, 0U);
    EXPECT_FALSE(proof->from_the_start);
    // Nothing is gone without a word.
    EXPECT_EQ(proof->removed.files + 1, numbers->front());
    EXPECT_EQ(proof->removed.records + proof->records, 60U);
    EXPECT_EQ(proof->removed.early, 0U);
    EXPECT_NEAR(static_cast<double>(proof->removed.until), static_cast<double>(now_ms()), 60'000);
}

TEST(Journal, AFloodDoesNotTakeTheLastDaysAlong) {
    const Place place;
    const Retention retention{.file_bytes = 1000, .files = 3, .most_files = 10, .keep = 24h};
    Journal journal(place.state(), retention);
    for (int number = 0; number < 40; ++number) ASSERT_TRUE(journal.append(note(number)));
    EXPECT_EQ(ids_in(place).size(), 40U);  // in more than three files, none of them old
    // Beyond a bound they go all the same, and that is told.
    for (int number = 40; number < 200; ++number) ASSERT_TRUE(journal.append(note(number)));
    const auto proof = verify(place.state());
    EXPECT_EQ(proof->files, 10U);
    EXPECT_EQ(proof->broken_total, 0U);
    EXPECT_EQ(proof->removed.records + proof->records, 200U);
    EXPECT_EQ(proof->removed.early, proof->removed.records);
    // What is old goes as soon as there is something newer.
    const auto there = file_numbers(*open_folder(place.state()));
    for (const uint64_t number : *there)
        std::filesystem::last_write_time(place.file(number),
                                         std::filesystem::file_time_type::clock::now() - 25h);
    for (int number = 200; number < 240; ++number) ASSERT_TRUE(journal.append(note(number)));
    const auto later = verify(place.state());
    EXPECT_LT(later->files, 10U);
    EXPECT_EQ(later->removed.early, proof->removed.early);
    EXPECT_EQ(later->removed.records + later->records, 240U);
}

// Who asks for /dev/null to be written to, or for a file of somebody's, does not get it.
TEST(Journal, WritesToNothingButFilesOfItsOwn) {
    const std::pair<const char*, std::function<void(const Place&)>> cases[] = {
        {"a link to a file",
         [](const Place& p) {
             std::ofstream(p.state() / "victim") << "mine\n";
             std::filesystem::create_symlink("../victim", p.file(2));
         }},
        {"a link to nothing",
         [](const Place& p) { std::filesystem::create_symlink("../victim", p.file(2)); }},
        {"a pipe", [](const Place& p) { ::mkfifo(p.file(2).c_str(), 0600); }},
        {"a directory", [](const Place& p) { std::filesystem::create_directory(p.file(2)); }},
        {"the folder elsewhere",
         [](const Place& p) {
             std::filesystem::rename(p.state() / folder, p.state() / "other");
             std::filesystem::create_symlink("other", p.state() / folder);
         }},
    };
    for (const auto& [what, change] : cases) {
        SCOPED_TRACE(what);
        const Place place;
        ASSERT_TRUE(Journal(place.state()).append(note(0)));
        change(place);
        const auto before = place.text(1);
        EXPECT_FALSE(Journal(place.state()).append(note(1)));
        EXPECT_EQ(place.text(1), before);
        const auto victim = place.state() / "victim";
        EXPECT_TRUE(!std::filesystem::exists(victim) || std::filesystem::file_size(victim) == 5);
        EXPECT_FALSE(verify(place.state()));
    }
}

// Threads with a journal of their own are like processes: each has its own descriptor.
TEST(Journal, ManyMayWriteAtOnce) {
    const Place place;
    const Retention small{.file_bytes = 20'000, .files = 1000};
    Journal shared(place.state(), small);
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 8; ++writer)
        writers.emplace_back([&, writer] {
            Journal own(place.state(), small);
            Journal& journal = writer % 2 == 0 ? shared : own;
            for (int number = 0; number < 100; ++number) {
                // Who waits a second for a disk that stands still gives up; here it tries again.
                bool added = false;
                for (int tries = 0; tries < 20 && !added; ++tries)
                    added = journal.append(note(writer * 100 + number)).has_value();
                EXPECT_TRUE(added);
            }
        });
    writers.clear();
    auto ids = ids_in(place);
    EXPECT_EQ(ids.size(), 800U);
    std::ranges::sort(ids);
    EXPECT_EQ(std::ranges::unique(ids).size(), 0U);
    const auto proof = verify(place.state());
    EXPECT_EQ(proof->records, 800U);
    EXPECT_EQ(proof->broken_total, 0U);
    EXPECT_EQ(proof->torn, 0U);
}

TEST(Journal, ALineThatWasTornIsPassedOver) {
    const Place place;
    Journal journal(place.state());
    ASSERT_TRUE(journal.append(note(0)));
    place.write(1, place.text(1) + R"({"id":"torn","comm)");
    ASSERT_TRUE(journal.append(note(1)));
    ASSERT_TRUE(journal.append(note(2)));
    EXPECT_EQ(ids_in(place), (std::vector<std::string>{"n0", "n1", "n2"}));
    const auto proof = verify(place.state());
    EXPECT_EQ(proof->torn, 1U);
    EXPECT_EQ(proof->records, 3U);
    EXPECT_EQ(proof->broken_total, 0U);
}

// A full disk can cut a line anywhere, also just before its newline.
TEST(Journal, GoesOnWhereverALineWasCut) {
    const Place place;
    ASSERT_TRUE(Journal(place.state()).append(note(0)));
    const std::string before = place.text(1);
    ASSERT_TRUE(Journal(place.state()).append(note(1)));
    const std::string both = place.text(1);
    for (size_t size = before.size() + 1; size <= both.size(); ++size) {
        place.write(1, both.substr(0, size));
        ASSERT_TRUE(Journal(place.state()).append(note(2)));
        const auto proof = verify(place.state());
        EXPECT_EQ(proof->broken_total, 0U) << size - before.size();
        EXPECT_EQ(proof->records, size + 1 < both.size() ? 2U : 3U) << size - before.size();
    }
}

TEST(Journal, OneThatWasDeletedIsBegunAnew) {
    const Place place;
    Journal journal(place.state());
    ASSERT_TRUE(journal.append(note(0)));
    std::filesystem::remove_all(place.state() / folder);
    ASSERT_TRUE(journal.append(note(1)));
    EXPECT_EQ(ids_in(place), (std::vector<std::string>{"n1"}));
}

TEST(Journal, WhoeverKeepsTheLockIsNotWaitedForForEver) {
    const Place place;
    Journal journal(place.state());
    ASSERT_TRUE(journal.append(note(0)));
    const int other = ::open(place.file(1).c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(::flock(other, LOCK_EX), 0);
    const auto refused = journal.append(note(1));
    EXPECT_FALSE(refused);
    ::close(other);
    EXPECT_TRUE(journal.append(note(2)));
    EXPECT_EQ(ids_in(place), (std::vector<std::string>{"n0", "n2"}));
}

struct Change {
    const char* what;
    std::function<void(const Place&)> change;
    const char* found;  // empty: it is not
};

std::string without_line(const std::string& text, size_t number) {
    std::istringstream lines(text);
    std::string line, rest;
    for (size_t at = 1; std::getline(lines, line); ++at)
        if (at != number) rest += line + "\n";
    return rest;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

TEST(Verify, FindsWhatWasChanged) {
    const Change changes[] = {
        {"a word", [](const Place& p) { p.write(1, replaced(p.text(1), "n1", "xx")); },
         "000001.jsonl:3: "},
        {"a line that is gone", [](const Place& p) { p.write(1, without_line(p.text(1), 3)); },
         "000001.jsonl:3: "},
        {"the first line", [](const Place& p) { p.write(1, without_line(p.text(1), 1)); },
         "000001.jsonl:1: "},
        {"a digest",
         [](const Place& p) {
             p.write(1, replaced(p.text(1), "\"chain\":\"", "\"chain\":\"0").substr(0));
         },
         ""},  // the line is torn then, and the next does not fit
        {"a file that is gone", [](const Place& p) { std::filesystem::remove(p.file(2)); },
         "000003.jsonl:1: "},
        {"the first file that is gone", [](const Place& p) { std::filesystem::remove(p.file(1)); },
         "000002.jsonl:1: "},
    };
    for (const Change& one : changes) {
        SCOPED_TRACE(one.what);
        const Place place;
        Journal journal(place.state(), {.file_bytes = 1000, .files = 100});
        for (int number = 0; number < 25; ++number) ASSERT_TRUE(journal.append(note(number)));
        ASSERT_EQ(verify(place.state())->broken_total, 0U);
        one.change(place);
        const auto proof = verify(place.state());
        ASSERT_TRUE(proof);
        EXPECT_GT(proof->broken_total + proof->torn, 0U);
        if (*one.found != '\0') {
            ASSERT_FALSE(proof->broken.empty());
            EXPECT_TRUE(proof->broken[0].starts_with(one.found)) << proof->broken[0];
        }
    }
}

// The page of the format says so: a chain alone cannot tell that its end was cut off.
TEST(Verify, AnEndThatWasCutOffShowsOnlyInTheLastDigest) {
    const Place place;
    Journal journal(place.state());
    for (int number = 0; number < 3; ++number) ASSERT_TRUE(journal.append(note(number)));
    const std::string last = verify(place.state())->last;
    place.write(1, without_line(place.text(1), 4));
    const auto proof = verify(place.state());
    EXPECT_EQ(proof->broken_total, 0U);
    EXPECT_NE(proof->last, last);
}

}  // namespace
}  // namespace husk::audit
