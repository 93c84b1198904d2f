// A short path put together without libc.
#pragma once

struct Path {
    char text[64] = {};
    unsigned length = 0;

    void add(const char* part) {
        while (*part != 0 && length < sizeof text - 1) text[length++] = *part++;
        text[length] = 0;
    }
    void add(int number) {
        char digits[12];
        int count = 0;
        do {
            digits[count++] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number > 0);
        char reversed[12];
        int length_of = 0;
        while (count > 0) reversed[length_of++] = digits[--count];
        reversed[length_of] = 0;
        add(reversed);
    }
};
