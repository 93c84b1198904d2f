#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace architecture {

// A path relative to the root of the project ("src/base/text.h") and what the file says.
struct SourceFile {
    std::string path;
    std::string text;
};

using Tree = std::vector<SourceFile>;

// What src/LAYERS says.
struct Layers {
    std::vector<std::string> modules;                     // lowest first
    std::set<std::string> pure;                           // of these modules
    std::map<std::string, std::set<std::string>> owners;  // of headers that start with the key
};

Layers parse_layers(std::string_view text);

// All C++ and assembler files under src/, include/, tests/ and examples/.
Tree read_tree(const std::filesystem::path& root);

// Each breach of the architecture as one line that starts with "file:" or "file:line:".
std::vector<std::string> breaches(const Tree& tree, const Layers& layers);

}  // namespace architecture
