#include "case.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace husk::everyday {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view indent = "    ";

Output output_of(const Block& block) {
    const std::string text = block.text("output");
    if (text.empty()) return Output::AsWritten;
    if (text == "sorted") return Output::Sorted;
    if (text == "ignored") return Output::Ignored;
    block.give_up("output is sorted or ignored");
}

// Parts are separated by a comma and a space.
std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(", ", at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 2;
    }
    return parts;
}

Case case_of(const Block& block, const std::string& file) {
    block.allow_only({"setup", "run", "workspace", "needs", "npm", "settings", "unstable",
                      "ignored", "refused", "also", "output", "as", "slow", "fails"});
    Case one;
    one.name = file + "_" + block.name;
    std::ranges::replace(one.name, '-', '_');
    if (one.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
        block.give_up("a name has small letters, digits and hyphens");
    one.setup = block.text("setup");
    one.run = block.text("run");
    if (one.run.empty()) block.give_up("there is nothing to run");
    if (block.values.contains("workspace")) one.workspace = block.text("workspace");
    one.needs = block.words("needs");
    one.npm = block.words("npm");
    one.settings = block.words("settings");
    one.unstable = block.words("unstable");
    one.ignored = block.words("ignored");
    one.also = block.words("also");
    one.refused = parts_of(block.text("refused"));
    one.output = output_of(block);
    const std::string as = block.text("as");
    if (!as.empty() && as != "root" && as != "user") block.give_up("as: root, or as: user");
    one.by_root = as != "user";
    one.by_user = as != "root";
    one.slow = block.values.contains("slow");
    one.fails = block.values.contains("fails");
    return one;
}

}  // namespace

void Block::give_up(const std::string& why) const {
    std::cerr << where << ": " << name << ": " << why << "\n";
    std::exit(1);
}

std::vector<std::string> Block::words(const std::string& key) const {
    std::istringstream stream(text(key));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

std::string Block::text(const std::string& key) const {
    const auto found = values.find(key);
    return found == values.end() ? "" : found->second;
}

void Block::allow_only(const std::vector<std::string>& keys) const {
    for (const auto& [key, value] : values)
        if (std::ranges::find(keys, key) == keys.end()) give_up("unknown key " + key);
}

std::vector<Block> read_blocks(const fs::path& file, const std::string& keyword) {
    std::ifstream stream(file);
    std::vector<Block> blocks;
    std::string* text = nullptr;
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
        const std::string where = file.filename().string() + ":" + std::to_string(++number);
        if (line.starts_with(indent) || (line.empty() && text != nullptr)) {
            if (text == nullptr) Block{where, line, {}}.give_up("text without a key");
            *text += (line.empty() ? "" : line.substr(indent.size())) + "\n";
            continue;
        }
        if (line.empty() || line.starts_with('#')) continue;
        text = nullptr;
        if (line.starts_with(keyword + " ")) {
            blocks.push_back({where, line.substr(keyword.size() + 1), {}});
            continue;
        }
        const size_t colon = line.find(':');
        if (blocks.empty() || colon == std::string::npos)
            Block{where, line, {}}.give_up("neither a key nor text");
        std::string& value = blocks.back().values[line.substr(0, colon)];
        if (colon + 2 < line.size()) value = line.substr(colon + 2);
        if (colon + 1 == line.size()) text = &value;
    }
    return blocks;
}

std::vector<Case> read_cases(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".txt" && entry.path().stem() != "differences")
            files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<Case> cases;
    std::set<std::string> names;
    for (const fs::path& file : files)
        for (const Block& block : read_blocks(file, "case")) {
            cases.push_back(case_of(block, file.stem()));
            if (!names.insert(cases.back().name).second) block.give_up("there are two");
        }
    return cases;
}

}  // namespace husk::everyday
