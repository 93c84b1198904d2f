// What was taken away from commands is kept, the newest first, and never takes more than its part.
#include "collect/reverted.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "temp_dir.h"

namespace husk::collect {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

constexpr uint64_t kib = 1024;

class Reverted : public testing::Test {
protected:
    fs::path in(const std::string& name) const { return top_ / name; }
    void write(const std::string& name, size_t bytes) const {
        std::ofstream(in(name)) << std::string(bytes, 'x');
    }
    RevertedRest sweep(const RevertedBounds& bounds) const {
        return sweep_reverted(state_, bounds);
    }
    std::set<std::string> left() const {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(top_))
            names.insert(entry.path().filename());
        names.erase(".going");
        return names;
    }
    bool nothing_is_going() const { return fs::is_empty(in(".going")); }

    test::TempDir dir_;
    run::StateDir state_ = *run::StateDir::open_or_make(dir_.path() / "state");
    fs::path top_ = [this] {
        fs::create_directory(state_.path() / "reverted");
        return state_.path() / "reverted";
    }();
};

TEST_F(Reverted, MayNotBeThere) {
    fs::remove(top_);
    EXPECT_EQ(sweep({.bytes = 1}).bytes, 0U);
}

TEST_F(Reverted, LosesTheOldestFirst) {
    for (const char* name : {"c", "b", "a"}) {
        fs::create_directory(in(name));
        write(std::string(name) + "/settings.json", 40 * kib);
        ::usleep(20'000);  // the kernel's clock for files has steps
    }
    const RevertedRest rest = sweep({.bytes = 100 * kib});
    EXPECT_THAT(left(), ElementsAre("a", "b"));
    EXPECT_GT(rest.bytes, 80 * kib);
    EXPECT_LE(rest.bytes, 100 * kib);
    EXPECT_FALSE(rest.still_going);
    EXPECT_TRUE(nothing_is_going());
}

TEST_F(Reverted, LosesOneThatIsTooLargeAndKeepsOlderOnes) {
    write("older", 4 * kib);
    ::usleep(20'000);
    write("large", 400 * kib);
    sweep({.bytes = 100 * kib});
    EXPECT_THAT(left(), ElementsAre("older"));
}

TEST_F(Reverted, CountsWhatIsOnDiskOnce) {
    write("sparse", 1);
    ASSERT_EQ(::truncate(in("sparse").c_str(), off_t{10} << 30), 0);
    fs::create_directory(in("linked"));
    write("linked/0", 40 * kib);
    for (int i = 1; i < 20; ++i)
        fs::create_hard_link(in("linked/0"), in("linked/" + std::to_string(i)));
    const RevertedRest rest = sweep({.bytes = 200 * kib});
    EXPECT_THAT(left(), ElementsAre("linked", "sparse"));
    EXPECT_LT(rest.bytes, 150 * kib);
}

TEST_F(Reverted, HasRoomForSoManyEntries) {
    for (int i = 0; i < 30; ++i) write(std::to_string(i), 1);
    sweep({.bytes = 1 << 30, .entries = 20});
    EXPECT_EQ(left().size(), 20U);
}

// However many, however deep, in however many steps.
TEST_F(Reverted, TakesLongToRemoveOnlyInManySmallSteps) {
    fs::create_directory(in("many"));
    for (int i = 0; i < 3000; ++i) write("many/" + std::to_string(i), 0);
    bool still_going = sweep({.bytes = 4 * kib, .removing = 1ms}).still_going;
    EXPECT_TRUE(still_going);
    EXPECT_THAT(left(), IsEmpty());
    for (int i = 0; i < 1000 && still_going; ++i)
        still_going = sweep({.bytes = 4 * kib, .removing = 20ms}).still_going;
    EXPECT_FALSE(still_going);
    EXPECT_TRUE(nothing_is_going());
}

TEST_F(Reverted, MayBeDeeperThanAnyPath) {
    int at = ::open(top_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::string name(200, 'd');
    for (int i = 0; i < 300; ++i) {
        ASSERT_EQ(::mkdirat(at, name.c_str(), 0755), 0);
        const int next = ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        ::close(at);
        at = next;
    }
    ::close(at);
    RevertedRest rest = sweep({.bytes = 1 << 30, .removing = 60s});
    EXPECT_FALSE(rest.still_going);
    EXPECT_THAT(left(), IsEmpty());
    EXPECT_TRUE(nothing_is_going());
}

TEST_F(Reverted, NeitherModesNorLinksLeadOutOfIt) {
    const fs::path outside = dir_.path() / "outside";
    fs::create_directory(outside);
    std::ofstream(outside / "file") << "kept";
    fs::permissions(outside, fs::perms::owner_read | fs::perms::owner_exec);
    fs::create_directory(in("closed"));
    fs::create_directory(in("closed/inner"));
    write("closed/inner/file", 8 * kib);
    fs::create_directory_symlink(outside, in("closed/link"));
    fs::create_directory_symlink(outside, in("link"));
    fs::permissions(in("closed/inner"), fs::perms::none);
    fs::permissions(in("closed"), fs::perms::none);
    sweep({.bytes = 0, .removing = 10s});
    EXPECT_THAT(left(), IsEmpty());
    EXPECT_TRUE(nothing_is_going());
    EXPECT_TRUE(fs::exists(outside / "file"));
    EXPECT_EQ(fs::status(outside).permissions(), fs::perms::owner_read | fs::perms::owner_exec);
    fs::permissions(outside, fs::perms::owner_all);
}

}  // namespace
}  // namespace husk::collect
