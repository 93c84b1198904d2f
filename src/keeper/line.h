// A line of text put together piece by piece; a piece that does not fit is cut off.
#pragma once

#include <stdint.h>

template <unsigned room>
struct Line {
    char text[room];
    unsigned length = 0;

    void put(char letter) {
        if (length < room) text[length++] = letter;
    }
    void add(const char* part) {
        while (*part != 0) put(*part++);
    }
    void add(uint64_t number) {
        char digits[20];
        int count = 0;
        do {
            digits[count++] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number > 0);
        while (count > 0) put(digits[--count]);
    }
    // With spaces behind it, so that a larger number has room in the same place.
    void add_padded(uint64_t number, unsigned width) {
        const unsigned end = length + width;
        add(number);
        while (length < end) put(' ');
    }
    // As a string of JSON; letters beyond ASCII stay as they are.
    void quote(const char* part) {
        put('"');
        for (; *part != 0; ++part) {
            const auto letter = static_cast<unsigned char>(*part);
            if (letter == '"' || letter == '\\') put('\\');
            if (letter >= ' ') {
                put(*part);
                continue;
            }
            add("\\u00");
            put(static_cast<char>('0' + (letter >> 4)));
            put("0123456789abcdef"[letter & 0xf]);
        }
        put('"');
    }
};
