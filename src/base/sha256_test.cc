#include "base/sha256.h"

#include <gtest/gtest.h>

namespace husk {
namespace {

TEST(Sha256, GivesWhatTheStandardSays) {
    const std::pair<std::string, const char*> known[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {std::string(1'000'000, 'a'),
         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (const auto& [text, digest] : known) EXPECT_EQ(sha256(text), digest) << text.size();
}

// Around the ends of blocks, where the length just fits or does not. The digests are those of
// sha256sum, of the letter x so many times.
TEST(Sha256, GivesTheSameAsSha256sumAtTheEndsOfBlocks) {
    const std::pair<size_t, const char*> known[] = {
        {55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072"},
        {56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e"},
        {63, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2"},
        {64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"},
        {65, "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"},
        {119, "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c"},
        {120, "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98"},
        {128, "24da1b81d0b16df6428eee73c69fcb2a93c76bc6df706f0c6670fe6bfe800464"},
    };
    for (const auto& [size, digest] : known) EXPECT_EQ(sha256(std::string(size, 'x')), digest);
}

TEST(Sha256, LooksAtEveryByte) {
    std::string text(200, '\0');
    const std::string before = sha256(text);
    for (size_t i = 0; i < text.size(); ++i) {
        text[i] = '\x80';
        EXPECT_NE(sha256(text), before) << i;
        text[i] = '\0';
    }
}

// The cases of RFC 4231 that differ in kind: a short key, one of a block and more.
TEST(Sha256, SealsAsTheStandardSays) {
    EXPECT_EQ(hmac_sha256("Jefe", "what do ya want for nothing?"),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(hmac_sha256(std::string(20, '\x0b'), "Hi There"),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(hmac_sha256(std::string(131, '\xaa'),
                          "Test Using Larger Than Block-Size Key - Hash Key First"),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

}  // namespace
}  // namespace husk
