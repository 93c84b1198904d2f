// A journal that somebody has damaged is told about; nobody who reads it stops there.
#include <gtest/gtest.h>

#include "record/index.h"
#include "record/test_place.h"
#include "record/verify.h"

namespace husk::audit {
namespace {

Later nothing_later(const std::string&) { return {}; }

// With a digest, so that it is taken for a whole line.
std::string with_digest(const std::string& record) {
    return record + R"(,"chain":")" + digest_of("", record) + "\"}\n";
}

TEST(HostileJournal, AFirstLineWithTheWrongTypesIsBroken) {
    const Place place;
    place.record("s-1", "true");
    for (const char* header :
         {R"({"what":5,"previous":"")", R"({"what":["journal"],"previous":"")"}) {
        place.write(1, with_digest(header));
        const auto proof = verify(place.state());
        ASSERT_TRUE(proof);
        EXPECT_EQ(proof->broken_total, 1U) << header;
    }
}

TEST(HostileJournal, ARecordWithoutATimeIsNoRecord) {
    const Place place;
    place.record("s-1", "true");
    const std::string record = R"({"what":"call","id":"s-2","command":"x","time":)";
    place.write(1, place.text(1) + with_digest(record + "\"now\"") + with_digest(record + "{}"));
    Index index(place.state(), nothing_later);
    const auto page = index.find({});
    ASSERT_TRUE(page);
    ASSERT_EQ(page->records.size(), 1U);
    EXPECT_EQ(page->records[0]["id"], "s-1");
}

TEST(HostileJournal, NumbersThatNobodyMeasuredAreNotAddedUp) {
    const Place place;
    place.record("s-1", "true");
    const std::string begin = R"({"what":"call","id":"s-2","time":1,"status":"exited","output":)";
    place.write(1,
                place.text(1) +
                    with_digest(begin + R"({"bytes":9223372036854775807},"errors":{"bytes":1})") +
                    with_digest(begin + R"({"bytes":1e300},"errors":{"bytes":-1})"));
    Index index(place.state(), nothing_later);
    EXPECT_TRUE(index.find({}));
    const auto stats = index.stats({});
    ASSERT_TRUE(stats) << stats.error().text();
}

}  // namespace
}  // namespace husk::audit
