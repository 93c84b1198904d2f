// out_lines BYTES [CHUNK]: writes so many bytes of numbered lines, CHUNK at a time, as fast as
// they are taken. A line is 15 digits and a newline.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr size_t width = 16;

void count_up(char* digits) {
    size_t at = width - 2;
    while (digits[at] == '9') digits[at--] = '0';
    ++digits[at];
}

bool write_all(const char* from, size_t size) {
    while (size > 0) {
        const ssize_t written = ::write(1, from, size);
        if (written <= 0) return false;
        from += written;
        size -= static_cast<size_t>(written);
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    constexpr size_t block = 64 * 1024;
    unsigned long long left = std::strtoull(argv[1], nullptr, 10);
    const size_t chunk = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : block;
    char line[width + 1] = "000000000000000\n";
    std::string lines(block, '\0');
    while (left > 0) {
        for (size_t at = 0; at < block; at += width) {
            count_up(line);
            std::memcpy(lines.data() + at, line, width);
        }
        const size_t wanted = std::min<unsigned long long>(left, block);
        for (size_t at = 0; at < wanted; at += chunk)
            if (!write_all(lines.data() + at, std::min(chunk, wanted - at))) return 1;
        left -= wanted;
    }
    return 0;
}
