#include "confine/git_index.h"

#include <fcntl.h>
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

// Behind the entries come extensions, and at the end a hash of it all. Returns false if they do not
// fill the file exactly.
bool read_extensions(Reader& reader, size_t hash_size, GitIndex& index, bool& has_blocks) {
    while (reader.left() > hash_size) {
        std::string name;
        uint32_t size = 0;
        if (!reader.take(4, name) || !reader.number(4, size)) return false;
        if (name == "IEOT") has_blocks = true;
        uint32_t rest = size;
        if (name == "link") {
            std::string hash;
            if (!index.shared.empty() || size < hash_size || !reader.take(hash_size, hash))
                return false;
            rest -= static_cast<uint32_t>(hash_size);
            if (hash.find_first_not_of('\0') != std::string::npos)
                index.shared = "sharedindex." + hexadecimal(hash);
        }
        if (!reader.skip(rest)) return false;
    }
    return reader.left() == hash_size;
}

GitIndex read_all(Reader reader, size_t hash_size) {
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
    // Where git reads blocks of entries at the same time, it does not know the name before.
    std::vector<std::string> alone;
    Entry entry;
    for (uint32_t i = 0; i < count; ++i) {
        if (!read_entry(reader, version, hash_size, entry)) return result;
        if ((entry.mode & type_bits) != gitlink) continue;
        if (result.gitlinks.size() >= most_gitlinks) {
            result.unreadable =
                "it leads to more than " + std::to_string(most_gitlinks) + " repositories";
            return result;
        }
        const std::string name = entry.name.substr(0, entry.name.find('\0'));
        if (name.size() < longest_path) result.gitlinks.push_back(name);
        if (entry.copied > 0 && entry.copied < name.size() &&
            name.size() - entry.copied < longest_path)
            alone.push_back(name.substr(entry.copied));
    }
    bool has_blocks = false;
    if (!read_extensions(reader, hash_size, result, has_blocks)) return result;
    if (has_blocks) std::ranges::move(alone, std::back_inserter(result.gitlinks));
    result.unreadable.clear();
    return result;
}

struct OpenedFile {
    os::Fd file;
    struct stat info{};
};

// Never waits for whoever else has it open. The error is ENOENT where there is none.
Result<OpenedFile> open_regular(const fs::path& path) {
    OpenedFile result{.file = TRY(os::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY))};
    if (::fstat(result.file.get(), &result.info) != 0) return failure("fstat", errno, "");
    if (!S_ISREG(result.info.st_mode)) return failure("open", EINVAL, "it is no file");
    return result;
}

GitIndex read_index_file(const fs::path& path, size_t hash_size) {
    auto opened = open_regular(path);
    if (!opened && is_gone(opened.error().code)) return {};
    GitIndex result;
    if (!opened) result.unreadable = opened.error().text();
    if (!opened) return result;
    const auto size = static_cast<uint64_t>(opened->info.st_size);
    result.unreadable = "it is larger than 2 GiB";
    if (size > largest_index) return result;
    return read_all(Reader(::fdopen(opened->file.release(), "r"), size), hash_size);
}

}  // namespace

GitIndex parse_index(std::string_view bytes, size_t hash_size) {
    std::string copy(bytes);
    copy += '\0';  // an empty buffer cannot be opened
    return read_all(Reader(::fmemopen(copy.data(), copy.size(), "r"), bytes.size()), hash_size);
}

GitIndex index_of(const fs::path& git_dir, size_t hash_size) {
    GitIndex index = read_index_file(git_dir / "index", hash_size);
    if (index.shared.empty()) return index;
    GitIndex rest = read_index_file(git_dir / index.shared, hash_size);
    std::ranges::move(rest.gitlinks, std::back_inserter(index.gitlinks));
    if (index.unreadable.empty()) index.unreadable = rest.unreadable;
    return index;
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
