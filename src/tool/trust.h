// Files of workspaces that the user has read and trusts, by their path and their content.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace husk::tool {

struct Trusted {
    std::string digest;          // SHA-256 of the content, in hexadecimal
    std::filesystem::path file;  // absolute, without links
};

// Where the list is kept.
std::filesystem::path trust_list(const std::filesystem::path& state);

// The list is in the state directory, which no command behind walls can write. One that others
// could have written, or that is damaged, is an error.
Result<std::vector<Trusted>> list_trusted(const std::filesystem::path& state);

// Whether this file with exactly this content is trusted.
bool is_trusted(const std::filesystem::path& state, const std::filesystem::path& file,
                std::string_view content);

// Trust in an earlier content of the file ends.
Result<void> trust(const std::filesystem::path& state, const std::filesystem::path& file,
                   std::string_view content);

// False when it was not trusted.
Result<bool> revoke(const std::filesystem::path& state, const std::filesystem::path& file);

}  // namespace husk::tool
