// The keys of husk.yaml as a table: their names, where their values are, how those are written,
// and which of them the file of a workspace may narrow. Rules have sections of their own.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "request/settings.h"

namespace husk::config {

// A plain number of Milliseconds is milliseconds, and of a Duration seconds.
enum class Unit { Word, Path, Name, Mode, Network, Duration, Milliseconds, Size, Count, Percent };

// What the file of a workspace may do before it is trusted.
enum class Workspace { SaysNothing, Narrows };

struct Key {
    using Place = std::variant<Setting<std::string> Settings::*, Setting<Mode> Settings::*,
                               Setting<Network> Settings::*, Setting<Time> Settings::*,
                               Setting<Amount> Settings::*>;
    enum class Least { Anything, MoreThanZero, MoreThanZeroOrNone };

    std::string_view section;  // empty: at the top of the file
    std::string_view name;
    Place place;
    Unit unit;
    Workspace workspace;
    Least least = Least::Anything;                 // of numbers
    std::span<const std::string_view> words = {};  // of a Word
    std::string_view example = {};
    std::string_view reason = {};  // why other words are refused
};

// A list of texts.
struct ListKey {
    enum class Kind { Path, Wall, Variable, Command, Port };
    std::string_view section;
    std::string_view name;
    Texts Settings::* place;
    Kind kind;
    // Whether an empty list has a meaning of its own: it is kept as one entry without text. If not,
    // an empty list is the same as no list.
    bool may_be_empty = false;
};

std::span<const Key> keys();
std::span<const ListKey> list_keys();

// None of that name: null.
const Key* find_key(std::string_view section, std::string_view name);
const ListKey* find_list_key(std::string_view section, std::string_view name);

// "limits.memory"
std::string full_name(std::string_view section, std::string_view name);

// "a size such as 256K, 64M or 2G, more than 0, or none"
std::string words_for(const Key& key);

// The error is for whoever wrote the text: `"lots" is not a size such as ...`.
std::expected<void, std::string> set(Settings& settings, const Key& key, std::string_view text,
                                     const Origin& origin);
// Why it is no such thing; empty when it is one.
std::string complaint_about(const ListKey& key, std::string_view text);

// A port as it stands in a list; 0 is none.
std::optional<uint16_t> port_of(std::string_view text);

// As it would be written.
std::string value_text(const Settings& settings, const Key& key);
const Origin& origin_of(const Settings& settings, const Key& key);
void take(Settings& to, const Settings& from, const Key& key);

const char* word(Mode mode);

// Hosts in the file: a list. As a text: "none", "open", or hosts with commas between them.
Network network_of(std::string_view text);
std::string to_text(const Network& network);

}  // namespace husk::config
