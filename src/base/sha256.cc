#include "base/sha256.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace husk {
namespace {

constexpr size_t block_size = 64;
using State = std::array<uint32_t, 8>;

// The fractions of the square roots of the first 8 primes.
constexpr State beginning = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// The fractions of the cube roots of the first 64.
constexpr std::array<uint32_t, 64> rounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t word_at(std::string_view bytes, size_t at) {
    uint32_t word = 0;
    for (size_t i = 0; i < 4; ++i) word = word << 8 | static_cast<uint8_t>(bytes[at + i]);
    return word;
}

std::array<uint32_t, 64> schedule(std::string_view block) {
    std::array<uint32_t, 64> words{};
    for (size_t i = 0; i < 16; ++i) words[i] = word_at(block, i * 4);
    for (size_t i = 16; i < 64; ++i) {
        const uint32_t early = words[i - 15];
        const uint32_t late = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] +
                   (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3) +
                   (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10);
    }
    return words;
}

void add_block(State& state, std::string_view block) {
    const auto words = schedule(block);
    auto [a, b, c, d, e, f, g, h] = state;
    for (size_t i = 0; i < 64; ++i) {
        const uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                               ((e & f) ^ (~e & g)) + rounds[i] + words[i];
        const uint32_t second =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const State added = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

// What is left of the bytes, a one, zeros, and how many bits there were.
std::string ending(std::string_view left, uint64_t bits) {
    constexpr size_t length_size = 8;
    std::string last(left);
    last += '\x80';
    while (last.size() % block_size != block_size - length_size) last += '\0';
    for (int shift = 56; shift >= 0; shift -= 8) last += static_cast<char>(bits >> shift & 0xff);
    return last;
}

std::string bytes_of(std::string_view digits) {
    std::string bytes;
    const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
    for (size_t at = 0; at + 1 < digits.size(); at += 2)
        bytes += static_cast<char>(value(digits[at]) << 4 | value(digits[at + 1]));
    return bytes;
}

}  // namespace

std::string sha256(std::string_view bytes) {
    State state = beginning;
    const uint64_t bits = uint64_t{bytes.size()} * 8;
    for (; bytes.size() >= block_size; bytes.remove_prefix(block_size))
        add_block(state, bytes.substr(0, block_size));
    const std::string last = ending(bytes, bits);
    for (size_t at = 0; at < last.size(); at += block_size)
        add_block(state, std::string_view(last).substr(at, block_size));
    std::string digits;
    for (const uint32_t word : state)
        for (int shift = 28; shift >= 0; shift -= 4)
            digits += "0123456789abcdef"[word >> shift & 0xf];
    return digits;
}

std::string hmac_sha256(std::string_view key, std::string_view message) {
    std::string whole_key(key.size() > block_size ? bytes_of(sha256(key)) : key);
    whole_key.resize(block_size);
    const auto padded = [&](char pad) {
        std::string block = whole_key;
        for (char& letter : block) letter = static_cast<char>(letter ^ pad);
        return block;
    };
    const std::string inner = bytes_of(sha256(padded('\x36') + std::string(message)));
    return sha256(padded('\x5c') + inner);
}

bool are_equal(std::string_view one, std::string_view other) {
    if (one.size() != other.size()) return false;
    unsigned different = 0;
    for (size_t at = 0; at < one.size(); ++at)
        different |= static_cast<unsigned>(one[at] ^ other[at]);
    return different == 0;
}

}  // namespace husk
