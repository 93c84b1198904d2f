#include <gmock/gmock.h>

#include "contract/docware_cases.h"

namespace husk::contract::docware_stream_test {
namespace {

const auto start = std::chrono::system_clock::time_point(milliseconds(5000));

std::vector<Json> records_of(const std::vector<Event>& events) {
    const Stream stream = docware_contract.stream();
    std::vector<Json> all;
    for (const Event& event : events)
        for (Json& record : stream(event)) all.push_back(std::move(record));
    return all;
}

OutputPiece piece(std::string bytes, uint64_t offset, bool errors = false) {
    return {.errors = errors, .offset = offset, .bytes = std::move(bytes)};
}

TEST(Docware, Streaming_NumbersItsRecordsWithoutGaps) {
    const auto records = records_of({{start, Began{"id-1"}},
                                     {start, piece("a\n", 0)},
                                     {start, piece("e", 0, true)},
                                     {start, Sample{.cpu_percent = 1.5}},
                                     {start, piece("b\nc", 2)},
                                     {start, Over{Exited{3}}}});
    const char* types[] = {"status", "stdout", "stderr", "resource", "stdout", "status"};
    ASSERT_EQ(records.size(), std::size(types));
    for (size_t i = 0; i < records.size(); ++i) {
        EXPECT_EQ(records[i]["sequenceNumber"], i);
        EXPECT_EQ(records[i]["streamId"], "id-1");
        EXPECT_EQ(records[i]["timestamp"], 5000);
        EXPECT_EQ(records[i]["type"], types[i]);
    }
    EXPECT_EQ(records[4].dump(),
              R"({"streamId":"id-1","sequenceNumber":4,"timestamp":5000,"type":"stdout",)"
              R"("content":"b\nc","metadata":{"lineNumber":2,"byteOffset":2,"encoding":"utf-8"}})");
    EXPECT_EQ(records[5]["content"].dump(), R"({"status":"completed","exit_code":3})");
}

TEST(Docware, Streaming_GivesWholeCharacters) {
    const auto records = records_of({{start, Began{"id"}},
                                     {start, piece("a\xe2\x82", 0)},
                                     {start, piece("\xac", 3)},
                                     {start, piece("b\xc3", 4)},
                                     {start, Over{Signaled{9}}}});
    std::vector<std::string> texts;
    for (const Json& record : records)
        if (record["type"] == "stdout") texts.push_back(record["content"]);
    EXPECT_THAT(texts, testing::ElementsAre("a", "\xe2\x82\xac", "b", "\xef\xbf\xbd"));
    EXPECT_EQ(records[2]["metadata"]["byteOffset"], 1);
    EXPECT_EQ(records.back()["content"]["status"], "terminated");
    EXPECT_EQ(records[records.size() - 2]["type"], "error");
    for (size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i]["sequenceNumber"], i);
}

TEST(Docware, Streaming_SaysWhatIsMissing) {
    OutputPiece late = piece("z", 100);
    late.dropped_before = 90;
    const auto records = records_of({{start, piece("0123456789", 0)}, {start, late}});
    EXPECT_EQ(records[1]["metadata"]["droppedBefore"], 90);
    EXPECT_EQ(records[1]["metadata"]["byteOffset"], 100);
}

TEST(Docware, Streaming_IsInTheMetaOfACallThatAsksForIt) {
    const auto meta = [](const char* arguments) {
        const auto run = run_of(docware_contract, "Bash", arguments, in_workspace());
        Told told = told_of(run, {});
        told.events = {{start, Began{"id"}}, {start, Over{Exited{0}}}};
        return docware_contract.render(run, told).meta;
    };
    EXPECT_EQ(meta(R"({"command": "x", "stream_output": true})")["docware/stream"].size(), 2U);
    EXPECT_FALSE(meta(R"({"command": "x"})").contains("docware/stream"));
}

}  // namespace
}  // namespace husk::contract::docware_stream_test
