#include "serve/json_rpc.h"

#include <gtest/gtest.h>

namespace husk::serve {
namespace {

// {"k0":0,"k1":0,...}
std::string object_of(size_t members) {
    std::string text = "{";
    for (size_t i = 0; i < members; ++i)
        text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
    return text + "}";
}

// The value keeps members in their order, and looks at all of them to add one: without a bound, a
// message of a megabyte would keep the server for ten seconds.
TEST(JsonRpc, AnObjectOfAMessageHasABoundedNumberOfMembers) {
    EXPECT_TRUE(parse_message(object_of(1000)));
    EXPECT_TRUE(parse_message("[" + object_of(1000) + "," + object_of(1000) + "]"));
    EXPECT_TRUE(parse_message("{\"a\":" + object_of(999) + ",\"b\":\":::\"}"));
    const auto refused = parse_message("{\"params\":" + object_of(1001) + "}");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::NotJson);
    EXPECT_NE(refused.error().message.find("1000"), std::string::npos);
}

TEST(JsonRpc, BracketsThatCloseTooMuchAreNotJson) {
    for (const char* text : {"]", "}:", "]]]]{:", "{}}:"})
        EXPECT_FALSE(parse_message(text)) << text;
}

}  // namespace
}  // namespace husk::serve
