#include "confine/git_index.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "confine/remembered.h"
#include "os/file.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

constexpr size_t sha1_size = 20;
constexpr size_t sha256_size = 32;
constexpr size_t longest_name = 4096;
constexpr size_t largest_index = 512UL << 20;
constexpr size_t largest_small_file = 1 << 20;

// Numbers and names, from the front to the back; what is not there is 0.
class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    bool has(size_t size) const { return bytes_.size() - at_ >= size; }
    size_t at() const { return at_; }
    void go_to(size_t at) { at_ = std::min(at, bytes_.size()); }
    std::string_view take(size_t size) {
        const std::string_view taken = bytes_.substr(at_, size);
        at_ += taken.size();
        return taken;
    }
    uint32_t number(size_t size) {
        uint32_t value = 0;
        for (const char byte : take(size)) value = value << 8U | static_cast<unsigned char>(byte);
        return value;
    }
    // As git writes how much of the name before is left out.
    size_t offset() {
        size_t value = 0;
        for (bool first = true, more = true; more && has(1); first = false) {
            const uint32_t byte = number(1);
            value = ((first ? value : value + 1) << 7U) + (byte & 0x7fU);
            more = (byte & 0x80U) != 0 && value <= longest_name;
        }
        return value;
    }
    std::string_view up_to_nul() {
        const size_t end = bytes_.find('\0', at_);
        if (end == std::string_view::npos) return take(bytes_.size());
        const std::string_view text = take(end - at_);
        ++at_;
        return text;
    }

private:
    std::string_view bytes_;
    size_t at_ = 0;
};

struct Entry {
    uint32_t mode = 0;
    std::string name;
};

// The next one, which may be told by what is different from the name before.
bool read_entry(Reader& reader, uint32_t version, size_t hash_size, Entry& entry) {
    constexpr size_t before_mode = 24;
    constexpr size_t behind_mode = 12;
    constexpr uint32_t extended = 0x4000;
    constexpr uint32_t length_bits = 0xfff;
    constexpr size_t alignment = 8;
    const size_t start = reader.at();
    if (!reader.has(before_mode + 4 + behind_mode + hash_size + 2)) return false;
    reader.take(before_mode);
    entry.mode = reader.number(4);
    reader.take(behind_mode + hash_size);
    const uint32_t flags = reader.number(2);
    if (version > 2 && (flags & extended) != 0) reader.take(2);
    if (version == 4) {
        const size_t left_out = reader.offset();
        if (left_out > entry.name.size()) return false;
        entry.name.resize(entry.name.size() - left_out);
        entry.name += reader.up_to_nul();
        return entry.name.size() <= longest_name;
    }
    const size_t length = flags & length_bits;
    const size_t name_at = reader.at();
    entry.name = length < length_bits ? reader.take(length) : reader.up_to_nul();
    const size_t size = name_at - start + entry.name.size();
    reader.go_to(start + (size + alignment) / alignment * alignment);
    return entry.name.size() <= longest_name;
}

std::string hexadecimal(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        text += digits[value >> 4U];
        text += digits[value & 0xfU];
    }
    return text;
}

struct OpenedFile {
    os::Fd file;
    struct stat info{};
};

// Never waits for whoever else has it open.
std::optional<OpenedFile> open_regular(const fs::path& path) {
    auto opened = os::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!opened) return std::nullopt;
    OpenedFile result{.file = std::move(*opened)};
    if (::fstat(result.file.get(), &result.info) != 0 || !S_ISREG(result.info.st_mode))
        return std::nullopt;
    return result;
}

std::string read_up_to(const fs::path& path, size_t most) {
    const auto opened = open_regular(path);
    if (!opened || static_cast<size_t>(opened->info.st_size) > most) return {};
    return os::read_at(opened->file, 0, static_cast<size_t>(opened->info.st_size)).value_or("");
}

GitIndex read_index(const fs::path& git_dir, const fs::path& common_dir) {
    const std::string settings = read_up_to(common_dir / "config", largest_small_file);
    const size_t hash_size = settings.contains("sha256") ? sha256_size : sha1_size;
    GitIndex index = parse_index(read_up_to(git_dir / "index", largest_index), hash_size);
    if (!index.shared.empty()) {
        const std::string rest = read_up_to(git_dir / index.shared, largest_index);
        std::ranges::move(parse_index(rest, hash_size).gitlinks,
                          std::back_inserter(index.gitlinks));
    }
    return index;
}

}  // namespace

GitIndex parse_index(std::string_view bytes, size_t hash_size) {
    constexpr uint32_t type_bits = 0170000;
    constexpr uint32_t gitlink = 0160000;
    GitIndex result;
    Reader reader(bytes);
    if (reader.take(4) != "DIRC") return result;
    const uint32_t version = reader.number(4);
    const uint32_t count = reader.number(4);
    if (version < 2 || version > 4) return result;
    Entry entry;
    for (uint32_t i = 0; i < count; ++i) {
        if (!read_entry(reader, version, hash_size, entry)) return result;
        if ((entry.mode & type_bits) == gitlink) result.gitlinks.push_back(entry.name);
    }
    // Behind the entries come extensions, and at the end a hash of it all.
    while (reader.has(8 + hash_size)) {
        const std::string_view name = reader.take(4);
        const uint32_t size = reader.number(4);
        if (name == "link" && size >= hash_size)
            result.shared = "sharedindex." + hexadecimal(reader.take(hash_size));
        if (name == "link") break;
        if (!reader.has(size)) break;
        reader.take(size);
    }
    return result;
}

GitIndex index_of(const fs::path& git_dir, const fs::path& common_dir) {
    static thread_local Remembered<GitIndex> known;
    return known.get(git_dir / "index", [&] {
        GitIndex index = read_index(git_dir, common_dir);
        const bool is_whole = index.shared.empty();
        return std::pair(std::move(index), is_whole);
    });
}

std::optional<std::string> small_file(const fs::path& path) {
    const auto opened = open_regular(path);
    if (!opened || static_cast<size_t>(opened->info.st_size) > largest_small_file)
        return std::nullopt;
    auto text = os::read_at(opened->file, 0, static_cast<size_t>(opened->info.st_size));
    if (!text) return std::nullopt;
    return *std::move(text);
}

}  // namespace husk::confine
