#include "collect/ledger.h"

#include <gtest/gtest.h>

#include "temp_dir.h"

namespace husk::collect {
namespace {

constexpr uint64_t MiB = 1 << 20;

struct Books {
    test::TempDir dir;
    run::StateDir state = run::StateDir::open_or_make(dir.path() / "state").value();
    Ledger ledger = Ledger::open(state, 64 * MiB).value();
};

TEST(Ledger, GrantsWhatIsLeftAndTakesBackWhatWasNotNeeded) {
    Books books;
    const Grant grant = books.ledger.reserve(48 * MiB);
    EXPECT_EQ(grant.bytes, 48 * MiB);
    books.ledger.settle(grant, MiB);
    EXPECT_EQ(books.ledger.reserve(63 * MiB).bytes, 63 * MiB);
}

TEST(Ledger, FindsWhatWasNeverGivenBackEachTimeItIsTight) {
    Books books;
    // Callers that were killed: reserved, and nothing on the disk.
    for (int i = 0; i < 100; ++i) EXPECT_EQ(books.ledger.reserve(16 * MiB).bytes, 16 * MiB) << i;
}

TEST(Ledger, NeverGrantsNothing) {
    Books books;
    EXPECT_EQ(books.ledger.reserve(100 * MiB).bytes, 64 * MiB);
    EXPECT_GE(books.ledger.reserve(64 * MiB).bytes, MiB / 4);
}

}  // namespace
}  // namespace husk::collect
