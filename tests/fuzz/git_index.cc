// The index of a git repository. The first byte chooses the size of its hashes. A second reader,
// which knows only what git does with an entry, must find the same submodules, or the first one
// must say that it cannot read the index.
#include "confine/git_index.h"

#include <algorithm>
#include <optional>

#include "target.h"

namespace husk::fuzz {
namespace of_git_index {
namespace {

using Names = std::vector<std::string>;

constexpr size_t longest_path = 4096;  // git enters no directory whose path is longer

uint32_t number_at(std::string_view bytes, size_t at, size_t size) {
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
    return value;
}

// How much of the name before is left out, and where the text goes on.
std::optional<uint64_t> varint_at(std::string_view bytes, size_t& at) {
    uint64_t value = 0;
    for (size_t count = 0; at < bytes.size() && count < 8; ++count) {
        const auto byte = static_cast<uint8_t>(bytes[at++]);
        value = ((count == 0 ? 0 : value + 1) << 7) + (byte & 0x7f);
        if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
}

// Paths of submodules as git finds them; nothing if the entries do not fit into the text.
std::optional<Names> submodules_in(std::string_view bytes, size_t hash_size) {
    if (bytes.size() < 12 + hash_size || !bytes.starts_with("DIRC")) return std::nullopt;
    const uint32_t version = number_at(bytes, 4, 4);
    if (version < 2 || version > 4) return std::nullopt;
    Names found;
    std::string before;
    size_t at = 12;
    for (uint32_t left = number_at(bytes, 8, 4); left > 0; --left) {
        const size_t fixed = 40 + hash_size + 2;
        if (bytes.size() - at < fixed) return std::nullopt;
        const uint32_t mode = number_at(bytes, at + 24, 4);
        const uint32_t flags = number_at(bytes, at + 40 + hash_size, 2);
        size_t name_at = at + fixed + ((flags & 0x4000) != 0 ? 2 : 0);
        size_t copied = 0;
        if (version == 4) {
            const auto left_out = varint_at(bytes, name_at);
            if (!left_out || *left_out > before.size()) return std::nullopt;
            copied = before.size() - *left_out;
        }
        const size_t nul = bytes.find('\0', std::min(name_at, bytes.size()));
        const size_t length = flags & 0xfff;
        if (length < 0xfff ? length < copied : nul == bytes.npos) return std::nullopt;
        const size_t own = length < 0xfff ? length - copied : nul - name_at;
        if (name_at > bytes.size() || bytes.size() - name_at < own + 1) return std::nullopt;
        before = before.substr(0, copied) + std::string(bytes.substr(name_at, own));
        const std::string name = before.substr(0, before.find('\0'));
        if ((mode & 0170000) == 0160000 && name.size() < longest_path) found.push_back(name);
        at = version == 4 ? name_at + own + 1 : at + (name_at - at + own + 8) / 8 * 8;
        if (at > bytes.size()) return std::nullopt;
    }
    return found;
}

std::string big_endian(uint32_t value, size_t size) {
    std::string bytes;
    for (size_t i = size; i-- > 0;) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
}

std::string entry(uint32_t version, uint32_t mode, const std::string& name, size_t hash_size) {
    std::string bytes(24, '\1');
    bytes += big_endian(mode, 4) + std::string(12 + hash_size, '\2');
    bytes += big_endian(static_cast<uint32_t>(std::min<size_t>(name.size(), 0xfff)), 2);
    if (version == 4) return bytes + '\0' + name + '\0';  // nothing of the name before is left out
    bytes += name;
    return bytes + std::string(8 - bytes.size() % 8, '\0');
}

std::string index_of(uint32_t version, const std::string& entries, uint32_t count,
                     const std::string& extensions, size_t hash_size) {
    return (hash_size == 32 ? "2DIRC" : "1DIRC") + big_endian(version, 4) + big_endian(count, 4) +
           entries + extensions + std::string(hash_size, '\3');
}

}  // namespace
}  // namespace of_git_index

void git_index(std::string_view bytes) {
    using namespace of_git_index;
    if (bytes.empty()) return;
    const size_t hash_size = bytes[0] == '2' ? 32 : 20;
    const std::string_view index = bytes.substr(1);
    const confine::GitIndex read = confine::parse_index(index, hash_size);
    // Each entry has a name, and perhaps a second one.
    demand(read.gitlinks.size() <= 2 * index.size() / (42 + hash_size), "entries take some bytes");
    if (!read.unreadable.empty()) return;
    const auto expected = submodules_in(index, hash_size);
    demand(expected.has_value(), "an index whose entries are cut off is unreadable");
    for (const std::string& name : *expected)
        demand(std::ranges::find(read.gitlinks, name) != read.gitlinks.end(),
               "every submodule that git sees is found");
}

std::vector<std::string> git_index_seeds() {
    using namespace of_git_index;
    constexpr uint32_t file = 0100644;
    constexpr uint32_t gitlink = 0160000;
    std::vector<std::string> seeds;
    for (const size_t hash_size : {size_t{20}, size_t{32}}) {
        for (const uint32_t version : {2U, 3U, 4U}) {
            const std::string entries = entry(version, file, "a/b", hash_size) +
                                        entry(version, gitlink, "a/module", hash_size) +
                                        entry(version, gitlink, "third", hash_size);
            seeds.push_back(index_of(version, entries, 3, "", hash_size));
        }
        const std::string extension = "TREE" + big_endian(3, 4) + "abc";
        const std::string link =
            "link" + big_endian(static_cast<uint32_t>(hash_size), 4) + std::string(hash_size, '\4');
        seeds.push_back(index_of(2, "", 0, extension + link, hash_size));
        seeds.push_back(index_of(2, entry(2, gitlink, std::string(5000, 'x'), hash_size), 1,
                                 extension, hash_size));
    }
    return seeds;
}

}  // namespace husk::fuzz
