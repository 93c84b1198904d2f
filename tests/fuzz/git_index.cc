// The index of a git repository. The first byte chooses the size of its hashes.
#include "confine/git_index.h"

#include "target.h"

namespace husk::fuzz {

void git_index(std::string_view bytes) {
    if (bytes.empty()) return;
    const size_t hash_size = bytes[0] == '2' ? 32 : 20;
    const std::string_view index = bytes.substr(1);
    const auto read = confine::parse_index(index, hash_size);
    // An entry can be read with and without the name before it.
    demand(read.gitlinks.size() <= 2 * index.size() / (42 + hash_size),
           "an entry takes some bytes");
}

std::vector<std::string> git_index_seeds() { return {"1DIRC"}; }

}  // namespace husk::fuzz
