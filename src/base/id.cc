#include "base/id.h"

#include <unistd.h>

namespace husk {

std::string random_id(int letters) {
    static constexpr char alphabet[] = "abcdefghjkmnpqrstuvwxyz23456789.";  // 31, and one to skip
    std::string id;
    while (id.size() < static_cast<size_t>(letters)) {
        unsigned char byte = 0;
        if (::getentropy(&byte, 1) != 0) continue;
        const char letter = alphabet[byte % 32];
        if (letter != '.') id += letter;
    }
    return id;
}

}  // namespace husk
