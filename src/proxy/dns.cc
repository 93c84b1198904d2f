#include "proxy/dns.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "proxy/target.h"

namespace husk::proxy {
namespace {

constexpr size_t most_addresses = 16;
constexpr size_t most_servers = 3;
constexpr uint16_t type_cname = 5;
constexpr uint16_t class_internet = 1;

void put(std::string& message, uint16_t value) {
    message += static_cast<char>(value >> 8);
    message += static_cast<char>(value & 0xff);
}

// Reads from the front of a message; once something is missing, it stays bad.
class Reader {
public:
    explicit Reader(std::string_view message) : message_(message) {}

    bool good() const { return good_; }

    uint8_t byte() {
        if (at_ >= message_.size()) good_ = false;
        return good_ ? static_cast<uint8_t>(message_[at_++]) : 0;
    }
    uint16_t number() {
        const unsigned high = byte();
        return static_cast<uint16_t>(high << 8 | byte());
    }
    std::string_view bytes(size_t size) {
        if (message_.size() - at_ < size) good_ = false;
        if (!good_) return {};
        at_ += size;
        return message_.substr(at_ - size, size);
    }

    // With dots and in lower case. Every pointer leads further back, so this ends.
    std::string name() {
        std::string text;
        size_t back = 0;  // where reading goes on after the first pointer
        size_t limit = at_;
        for (;;) {
            const uint8_t length = byte();
            if (!good_ || length == 0) break;
            if (length >= 0xc0) {
                const size_t to = static_cast<size_t>(length & 0x3f) << 8 | byte();
                if (back == 0) back = at_;
                if (to >= limit) good_ = false;
                limit = at_ = to;
                continue;
            }
            if (length > 63 || text.size() > 255) good_ = false;
            if (!text.empty()) text += '.';
            text += bytes(length);
        }
        if (back != 0) at_ = back;
        std::ranges::transform(text, text.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        });
        return text;
    }

private:
    std::string_view message_;
    size_t at_ = 0;
    bool good_ = true;
};

struct Header {
    uint16_t id = 0, flags = 0, questions = 0, answers = 0;
    bool is_answer() const { return (flags & 0xf800) == 0x8000; }  // to a standard query
    bool is_truncated() const { return (flags & 0x0200) != 0; }
    unsigned code() const { return flags & 0xfU; }
};

Header read_header(Reader& reader) {
    Header header{reader.number(), reader.number(), reader.number(), reader.number()};
    reader.bytes(4);
    return header;
}

struct Record {
    std::string owner;
    uint16_t type = 0;
    std::string alias;
    std::string_view data;
};

std::optional<Record> read_record(Reader& reader) {
    Record record;
    record.owner = reader.name();
    record.type = reader.number();
    const uint16_t kind = reader.number();
    reader.bytes(4);  // how long it may be remembered: we do not
    const uint16_t size = reader.number();
    if (record.type == type_cname)
        record.alias = reader.name();
    else
        record.data = reader.bytes(size);
    if (!reader.good()) return std::nullopt;
    if (kind != class_internet) record.type = 0;
    return record;
}

std::optional<Address> address_in(const Record& record, RecordType type) {
    if (record.type != static_cast<uint16_t>(type)) return std::nullopt;
    if (type == RecordType::A && record.data.size() == 4) {
        uint8_t v4[4];
        std::memcpy(v4, record.data.data(), sizeof v4);
        return v4_address(v4);
    }
    Address address;
    if (type != RecordType::Aaaa || record.data.size() != address.bytes.size()) return std::nullopt;
    std::memcpy(address.bytes.data(), record.data.data(), address.bytes.size());
    return address;
}

// The words of a line, without its comment.
std::vector<std::string_view> words_of(std::string_view line, std::string_view comment) {
    line = line.substr(0, line.find_first_of(comment));
    std::vector<std::string_view> words;
    for (;;) {
        const size_t first = line.find_first_not_of(" \t\r");
        if (first == line.npos) return words;
        line.remove_prefix(first);
        words.push_back(line.substr(0, line.find_first_of(" \t\r")));
        line.remove_prefix(words.back().size());
    }
}

std::string_view next_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

}  // namespace

std::string encode(const Question& question) {
    std::string message;
    put(message, question.id);
    put(message, 0x0100);  // recursion, please
    put(message, 1);       // question; and no answers, authorities and others
    for (int i = 0; i < 3; ++i) put(message, 0);
    std::string_view rest = question.name;
    while (!rest.empty()) {
        const std::string_view label = rest.substr(0, rest.find('.'));
        message += static_cast<char>(label.size());
        message += label;
        rest.remove_prefix(std::min(rest.size(), label.size() + 1));
    }
    message += '\0';
    put(message, static_cast<uint16_t>(question.type));
    put(message, class_internet);
    return message;
}

std::expected<std::vector<Address>, NoAnswer> decode(std::string_view message,
                                                     const Question& question) {
    constexpr unsigned no_such_name = 3;
    Reader reader(message);
    const Header header = read_header(reader);
    if (!reader.good() || header.id != question.id || !header.is_answer() || header.questions != 1)
        return std::unexpected(NoAnswer::NotOurs);
    const bool same_name = reader.name() == question.name;
    const bool same_type = reader.number() == static_cast<uint16_t>(question.type);
    if (reader.number() != class_internet || !same_name || !same_type || !reader.good())
        return std::unexpected(NoAnswer::NotOurs);
    if (header.is_truncated()) return std::unexpected(NoAnswer::Truncated);
    if (header.code() == no_such_name) return std::vector<Address>();
    if (header.code() != 0) return std::unexpected(NoAnswer::Failed);
    std::string name = question.name;
    std::vector<Address> found;
    for (unsigned i = 0; i < header.answers && found.size() < most_addresses; ++i) {
        auto record = read_record(reader);
        if (!record) return std::unexpected(NoAnswer::Failed);
        if (record->owner != name) continue;
        if (record->type == type_cname) name = std::move(record->alias);
        if (const auto address = address_in(*record, question.type)) found.push_back(*address);
    }
    return found;
}

std::vector<Address> find_in_hosts(std::string_view hosts, std::string_view name) {
    std::vector<Address> found;
    while (!hosts.empty() && found.size() < most_addresses) {
        const auto words = words_of(next_line(hosts), "#");
        if (words.size() < 2) continue;
        const auto address = parse_address(words[0]);
        const bool names_it = std::any_of(words.begin() + 1, words.end(),
                                          [&](auto word) { return parse_name(word) == name; });
        if (address && names_it) found.push_back(*address);
    }
    return found;
}

std::vector<Address> name_servers(std::string_view resolv_conf) {
    std::vector<Address> servers;
    while (!resolv_conf.empty() && servers.size() < most_servers) {
        const auto words = words_of(next_line(resolv_conf), "#;");
        if (words.size() < 2 || words[0] != "nameserver") continue;
        if (const auto address = parse_address(words[1])) servers.push_back(*address);
    }
    if (servers.empty()) servers.push_back(*parse_address("127.0.0.1"));
    return servers;
}

}  // namespace husk::proxy
