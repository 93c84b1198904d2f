// SHA-256 (FIPS 180-4), for telling whether a text is still the one that somebody has read.
#pragma once

#include <string>
#include <string_view>

namespace husk {

// 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

// HMAC (RFC 2104) with it: only who has the key can make it. Digits likewise.
std::string hmac_sha256(std::string_view key, std::string_view message);

// For what must not be guessed: in a time that does not tell how much of it was right.
bool are_equal(std::string_view one, std::string_view other);

}  // namespace husk
