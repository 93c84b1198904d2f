// Which directories of a checkout git takes for repositories of their own: it enters them by
// itself, and obeys the settings that it finds there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace husk::confine {

struct GitIndex {
    std::vector<std::string> gitlinks;  // paths, from the checkout on
    std::string shared;      // the file that holds the rest of an index in two parts, or nothing
    std::string unreadable;  // why it may lead to more repositories; empty: it does not
};

// Each of them is looked at before every call.
inline constexpr size_t most_gitlinks = 4096;

// Returns what `bytes` says up to the first thing that git would not write; `unreadable` names it.
// `hash_size` is that of the repository.
GitIndex parse_index(std::string_view bytes, size_t hash_size);

inline constexpr size_t sha1_size = 20;
inline constexpr size_t sha256_size = 32;

// The index of a directory of git, with the gitlinks of both of its parts. Subtracts its
// entries from `most_entries`; an index with more entries than that is unreadable.
GitIndex index_of(const std::filesystem::path& git_dir, size_t hash_size, size_t& most_entries);

// A small file that git reads, whole. Links are followed, as git does.
Result<std::string> small_file(const std::filesystem::path& path);

}  // namespace husk::confine
