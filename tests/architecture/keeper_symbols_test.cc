// The keeper can do what src/keeper/SYMBOLS says and nothing else: its objects refer to one
// function for each system call, all of them in the object `sys`, and to each other.

#include <cxxabi.h>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Names = std::set<std::string>;

struct Symbols {
    Names defined;
    Names undefined;
};

// "sys::read" for "_ZN3sys4readEiPvm": the parameters differ from one machine to another.
std::string plain_name(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> demangled(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    const std::string name = status == 0 ? demangled.get() : symbol;
    return name.substr(0, name.find('('));
}

std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, decltype(&pclose)> pipe(popen(command.c_str(), "r"), &pclose);
    std::string output;
    std::array<char, 4096> buffer{};
    while (const size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
        output.append(buffer.data(), size);
    return output;
}

Symbols symbols_of(const std::string& object) {
    Symbols symbols;
    // One symbol a line: name, type, and for a defined one its value and size.
    std::istringstream lines(
        output_of("'" HUSK_NM "' --extern-only --format=posix '" + object + "'"));
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string name;
        std::string type;
        words >> name >> type;
        const bool undefined = type == "U" || type == "w" || type == "v";
        (undefined ? symbols.undefined : symbols.defined).insert(plain_name(name));
    }
    return symbols;
}

std::vector<std::string> keeper_objects() {
    std::vector<std::string> objects;
    std::istringstream joined(HUSK_KEEPER_OBJECTS);
    for (std::string object; std::getline(joined, object, ':');) objects.push_back(object);
    return objects;
}

Names listed_symbols() {
    Names names;
    std::ifstream file(HUSK_SOURCE_DIR "/src/keeper/SYMBOLS");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        for (std::string name; words >> name;) names.insert(name);
    }
    return names;
}

// Which of these the compiler calls of its own accord differs from one compiler to another.
const Names called_by_the_compiler = {"memcmp", "memcpy", "memmove", "memset"};

Names without(const Names& names, const Names& taken) {
    Names rest;
    std::ranges::set_difference(names, taken, std::inserter(rest, rest.end()));
    return rest;
}

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The types of the segments (PT_LOAD, PT_INTERP, ...) of a 64-bit ELF file.
std::set<Elf64_Word> segment_types(const std::string& image) {
    std::set<Elf64_Word> types;
    Elf64_Ehdr header{};
    std::memcpy(&header, image.data(), sizeof header);
    for (size_t i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment{};
        std::memcpy(&segment, image.data() + header.e_phoff + i * sizeof segment, sizeof segment);
        types.insert(segment.p_type);
    }
    return types;
}

TEST(KeeperSymbols, AreThoseOnTheList) {
    Names used;
    Names defined;
    ASSERT_FALSE(keeper_objects().empty());
    for (const std::string& object : keeper_objects()) {
        const Symbols symbols = symbols_of(object);
        ASSERT_FALSE(symbols.defined.empty()) << object;
        used.insert(symbols.undefined.begin(), symbols.undefined.end());
        if (std::filesystem::path(object).filename() == "sys.cc.o") continue;
        defined.insert(symbols.defined.begin(), symbols.defined.end());
    }
    const Names needed = without(used, defined);
    const Names listed = listed_symbols();
    EXPECT_THAT(without(needed, listed), testing::IsEmpty())
        << "used, but not in src/keeper/SYMBOLS";
    EXPECT_THAT(without(without(listed, needed), called_by_the_compiler), testing::IsEmpty())
        << "in src/keeper/SYMBOLS, but not used";
}

TEST(KeeperProgram, StandsOnItsOwn) {
    EXPECT_THAT(symbols_of(HUSK_KEEPER_BINARY).undefined, testing::IsEmpty());
    const std::string image = bytes_of(HUSK_KEEPER_BINARY);
    ASSERT_GT(image.size(), sizeof(Elf64_Ehdr));
    const auto types = segment_types(image);
    EXPECT_TRUE(types.contains(PT_LOAD));
    EXPECT_FALSE(types.contains(PT_INTERP));
    EXPECT_FALSE(types.contains(PT_DYNAMIC));
}

TEST(KeeperProgram, IsSmall) {
    EXPECT_LT(std::filesystem::file_size(HUSK_KEEPER_BINARY), 128U * 1024);
}

}  // namespace
