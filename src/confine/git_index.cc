#include "confine/git_index.h"

#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <memory>
#include <utility>

#include "confine/seen_file.h"
#include "os/file.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

constexpr size_t longest_path = 4096;     // git enters no directory whose path is longer
constexpr size_t longest_name = 1 << 20;  // what is longer would only fill the memory
constexpr uint64_t largest_index = 2ULL << 30;
constexpr size_t largest_small_file = 1 << 20;

// Numbers and names, from the front to the back. Every function returns false if the file is too
// short for what is asked.
class Reader {
public:
    // Owns the file, which is null if it could not be opened.
    Reader(std::FILE* file, uint64_t size) : file_(file), size_(file == nullptr ? 0 : size) {}

    uint64_t left() const { return size_ - at_; }
    uint64_t at() const { return at_; }

    bool take(uint64_t size, std::string& into) {
        if (left() < size) return false;
        const size_t start = into.size();
        into.resize(start + size);
        at_ += size;
        return std::fread(into.data() + start, 1, size, file_.get()) == size;
    }
    bool skip(uint64_t size) {
        constexpr uint64_t short_way = 4096;  // a seek would read a block again
        std::string passed;
        if (size <= short_way) return take(size, passed);
        if (left() < size) return false;
        at_ += size;
        return ::fseeko(file_.get(), static_cast<off_t>(size), SEEK_CUR) == 0;
    }
    bool number(size_t bytes, uint32_t& value) {
        std::string text;
        if (!take(bytes, text)) return false;
        value = 0;
        for (const char byte : text) value = value << 8U | static_cast<unsigned char>(byte);
        return true;
    }
    // As git writes how much of the name before is left out.
    bool offset_back(uint64_t& value) {
        constexpr uint64_t most = 1ULL << 56U;
        value = 0;
        uint32_t byte = 0;
        for (bool first = true;; first = false) {
            if (!number(1, byte) || value > most) return false;
            value = ((first ? 0 : value + 1) << 7U) + (byte & 0x7fU);
            if ((byte & 0x80U) == 0) return true;
        }
    }
    bool up_to_nul(std::string& into) {
        while (left() > 0) {
            const int letter = std::getc(file_.get());
            ++at_;
            if (letter <= 0 || into.size() > longest_name) return letter == 0;
            into += static_cast<char>(letter);
        }
        return false;
    }

private:
    struct Closing {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, Closing> file_;
    uint64_t size_;
    uint64_t at_ = 0;
};

struct Entry {
    uint32_t mode = 0;
    std::string name;
    size_t copied = 0;  // of it, from the name before
};

// The next one, which may be told by what is different from the name before. Nothing is done as a
// reader would like it, but all as git does it: what is read otherwise hides the rest.
bool read_entry(Reader& reader, uint32_t version, size_t hash_size, Entry& entry) {
    constexpr size_t before_mode = 24;
    constexpr size_t behind_mode = 12;
    constexpr uint32_t extended = 0x4000;
    constexpr uint32_t length_bits = 0xfff;
    constexpr uint64_t alignment = 8;
    const uint64_t start = reader.at();
    uint32_t flags = 0;
    if (!reader.skip(before_mode) || !reader.number(4, entry.mode)) return false;
    if (!reader.skip(behind_mode + hash_size) || !reader.number(2, flags)) return false;
    if ((flags & extended) != 0 && !reader.skip(2)) return false;
    const uint64_t length = flags & length_bits;
    entry.copied = 0;
    if (version == 4) {
        uint64_t left_out = 0;
        if (!reader.offset_back(left_out) || left_out > entry.name.size()) return false;
        entry.copied = entry.name.size() - static_cast<size_t>(left_out);
        entry.name.resize(entry.copied);
        if (length == length_bits) return reader.up_to_nul(entry.name);
        return length >= entry.copied && reader.take(length - entry.copied, entry.name) &&
               reader.skip(1);
    }
    const uint64_t name_at = reader.at();
    entry.name.clear();
    const bool read =
        length < length_bits ? reader.take(length, entry.name) : reader.up_to_nul(entry.name);
    const uint64_t size = name_at - start + entry.name.size();
    const uint64_t end = start + (size + alignment) / alignment * alignment;
    return read && end >= reader.at() && reader.skip(end - reader.at());
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

// Where the entries are. An entry that takes a part of its name from the one before cannot be the
// first of a block.
struct Layout {
    static constexpr uint32_t not_first = UINT32_MAX;
    std::vector<uint32_t> starts;
    uint64_t end = 0;
};

// The extension IEOT: git reads blocks of entries at the same time, from the offsets that it says.
// Returns false if these are not the entries that were read one after the other.
bool are_all_entries(Reader& reader, uint32_t size, const Layout& layout) {
    constexpr uint32_t head = 4;
    constexpr uint32_t block = 8;
    uint32_t version = 0;
    if (size % block != head || !reader.number(head, version) || version != 1) return false;
    size_t first = 0;
    for (uint32_t left = size / block; left > 0; --left) {
        uint32_t offset = 0;
        uint32_t count = 0;
        if (!reader.number(4, offset) || !reader.number(4, count)) return false;
        if (first >= layout.starts.size() || layout.starts[first] != offset) return false;
        if (offset == Layout::not_first || count > layout.starts.size() - first) return false;
        first += count;
    }
    return first == layout.starts.size();
}

// The extension EOIE: where git begins to read extensions. Returns false if that is elsewhere.
bool is_end_of_entries(Reader& reader, uint32_t size, size_t hash_size, const Layout& layout) {
    uint32_t offset = 0;
    return size == 4 + hash_size && reader.number(4, offset) && offset == layout.end &&
           reader.skip(hash_size);
}

bool read_link(Reader& reader, uint32_t size, size_t hash_size, GitIndex& index) {
    std::string hash;
    if (!index.shared.empty() || size < hash_size || !reader.take(hash_size, hash)) return false;
    if (hash.find_first_not_of('\0') != std::string::npos)
        index.shared = "sharedindex." + hexadecimal(hash);
    return reader.skip(size - hash_size);
}

// Behind the entries come extensions, and at the end a hash of it all. Returns false if they do not
// fill the file exactly, or if git would read other entries because of them.
bool read_extensions(Reader& reader, size_t hash_size, const Layout& layout, GitIndex& index) {
    while (reader.left() > hash_size) {
        std::string name;
        uint32_t size = 0;
        if (!reader.take(4, name) || !reader.number(4, size)) return false;
        const bool is_sound = name == "IEOT"   ? are_all_entries(reader, size, layout)
                              : name == "EOIE" ? is_end_of_entries(reader, size, hash_size, layout)
                              : name == "link" ? read_link(reader, size, hash_size, index)
                                               : reader.skip(size);
        if (!is_sound) return false;
    }
    return reader.left() == hash_size;
}

// Returns true if git would write a gitlink with this name. It would not write an empty one, which
// in an index of two parts stands for a name in the other part.
bool is_usual_name(std::string_view name) {
    if (name.contains('\0')) return false;
    for (size_t start = 0; start <= name.size();) {
        const size_t end = std::min(name.find('/', start), name.size());
        const std::string part(name.substr(start, end - start));
        if (part.empty() || part == "." || part == ".." || ::strcasecmp(part.c_str(), ".git") == 0)
            return false;
        start = end + 1;
    }
    return true;
}

GitIndex read_all(Reader reader, size_t hash_size, size_t& most_entries) {
    constexpr uint32_t type_bits = 0170000;
    constexpr uint32_t gitlink = 0160000;
    constexpr const char* no_sense = "it is not as git writes it";
    GitIndex result;
    std::string magic;
    uint32_t version = 0;
    uint32_t count = 0;
    const bool has_head =
        reader.take(4, magic) && reader.number(4, version) && reader.number(4, count);
    result.unreadable = no_sense;
    if (!has_head || magic != "DIRC" || version < 2 || version > 4) return result;
    result.unreadable = "it has too many entries";
    if (count > most_entries) return result;
    most_entries -= count;
    result.unreadable = no_sense;
    Layout layout;
    Entry entry;
    for (uint32_t i = 0; i < count; ++i) {
        const auto start = static_cast<uint32_t>(reader.at());
        if (!read_entry(reader, version, hash_size, entry)) return result;
        layout.starts.push_back(entry.copied == 0 ? start : Layout::not_first);
        if ((entry.mode & type_bits) != gitlink) continue;
        if (result.gitlinks.size() >= most_gitlinks) {
            result.unreadable =
                "it leads to more than " + std::to_string(most_gitlinks) + " repositories";
            return result;
        }
        if (!is_usual_name(entry.name)) return result;
        if (entry.name.size() < longest_path) result.gitlinks.push_back(entry.name);
    }
    layout.end = reader.at();
    if (read_extensions(reader, hash_size, layout, result)) result.unreadable.clear();
    return result;
}

struct OpenedFile {
    os::Fd file;
    struct stat info{};
};

// Never waits for whoever else has it open. The error is ENOENT where there is none.
Result<OpenedFile> open_regular(const fs::path& path) {
    OpenedFile result{.file = TRY(os::open_for_all(path, O_RDONLY | O_NONBLOCK | O_NOCTTY))};
    if (::fstat(result.file.get(), &result.info) != 0) return failure("fstat", errno, "");
    if (!S_ISREG(result.info.st_mode)) return failure("open", EINVAL, "it is no file");
    return result;
}

GitIndex read_index_file(const fs::path& path, size_t hash_size, size_t& most_entries) {
    auto opened = open_regular(path);
    if (!opened && is_gone(opened.error().code)) return {};
    GitIndex result;
    if (!opened) result.unreadable = opened.error().text();
    if (!opened) return result;
    const auto size = static_cast<uint64_t>(opened->info.st_size);
    result.unreadable = "it is larger than 2 GiB";
    if (size > largest_index) return result;
    return read_all(Reader(::fdopen(opened->file.release(), "r"), size), hash_size, most_entries);
}

}  // namespace

GitIndex parse_index(std::string_view bytes, size_t hash_size) {
    std::string copy(bytes);
    copy += '\0';  // an empty buffer cannot be opened
    size_t any_number = SIZE_MAX;
    return read_all(Reader(::fmemopen(copy.data(), copy.size(), "r"), bytes.size()), hash_size,
                    any_number);
}

GitIndex index_of(const fs::path& git_dir, size_t hash_size, size_t& most_entries) {
    GitIndex index = read_index_file(git_dir / "index", hash_size, most_entries);
    if (index.shared.empty()) return index;
    GitIndex rest = read_index_file(git_dir / index.shared, hash_size, most_entries);
    std::ranges::move(rest.gitlinks, std::back_inserter(index.gitlinks));
    if (index.unreadable.empty()) index.unreadable = rest.unreadable;
    return index;
}

Result<std::string> small_file(const fs::path& path) {
    const OpenedFile opened = TRY(open_regular(path));
    const auto size = static_cast<size_t>(opened.info.st_size);
    if (size > largest_small_file) return failure("open", EFBIG, path.string());
    return os::read_at(opened.file, 0, size);
}

}  // namespace husk::confine
