#include "place/streams.h"

#include <gtest/gtest.h>

#include "place/warden_wire.h"

namespace husk::place {
namespace {

std::string piece(char stream, const std::string& text) {
    std::string out = {stream, 0, 0, 0, 0, 0, 0, static_cast<char>(text.size())};
    return out + text;
}

TEST(Apart, TakesStreamsApartHoweverTheyAreCut) {
    const std::string all =
        piece(1, "out") + piece(2, "err") + piece(1, "") + piece(0, "in") + piece(2, "end");
    for (size_t step = 1; step <= all.size(); ++step) {
        Apart apart;
        std::string out, err;
        for (size_t at = 0; at < all.size(); at += step)
            EXPECT_TRUE(apart.take(
                std::string_view(all).substr(at, step),
                [&](int stream, std::string_view bytes) { (stream == 2 ? err : out) += bytes; }));
        EXPECT_EQ(out, "outin");
        EXPECT_EQ(err, "errend");
    }
}

TEST(Apart, SaysWhatItDoesNotUnderstand) {
    Apart apart;
    EXPECT_FALSE(apart.take("plain text", [](int, std::string_view) { FAIL(); }));
}

const std::string secret(warden::secret_size, 'k');

std::string note(const std::string& word, const std::string& code) {
    return std::string(warden::note_mark, warden::note_mark_size) + word + code;
}

TEST(Sieve, TakesTheNoteOutHoweverItIsCut) {
    const std::string all = "before\n" + note(secret, "042") + "behind\n" + note(secret, "001");
    for (size_t step = 1; step <= all.size(); ++step) {
        Sieve sieve(secret);
        std::string out;
        for (size_t at = 0; at < all.size(); at += step)
            out += sieve.take(std::string_view(all).substr(at, step));
        out += sieve.rest();
        EXPECT_EQ(sieve.code(), 42) << step;
        // There is one, and whoever writes another is only writing.
        EXPECT_EQ(out, "before\nbehind\n" + note(secret, "001")) << step;
    }
}

TEST(Sieve, LosesNothingThatOnlyLooksLikeOne) {
    const std::string mark(warden::note_mark, warden::note_mark_size);
    for (const std::string& text :
         {std::string("plain"), mark, mark + mark, mark + "x", note(std::string(32, 'x'), "000"),
          std::string("\0\0\0", 3), "a" + mark.substr(0, 4), note(secret, "0").substr(0, 40)}) {
        for (size_t step = 1; step <= text.size(); ++step) {
            Sieve sieve(secret);
            std::string out;
            for (size_t at = 0; at < text.size(); at += step)
                out += sieve.take(std::string_view(text).substr(at, step));
            EXPECT_EQ(out + sieve.rest(), text);
            EXPECT_FALSE(sieve.code());
        }
    }
}

}  // namespace
}  // namespace husk::place
