// The keeper can do what src/keeper/SYMBOLS says and nothing else: its objects refer to one
// function for each system call, all of them in the object `sys`, and to each other.

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "symbols.h"

namespace {

using architecture::Names;
using architecture::Symbols;
using architecture::symbols_of;
using architecture::without;

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
    const auto objects = architecture::paths_in(HUSK_KEEPER_OBJECTS);
    ASSERT_FALSE(objects.empty());
    for (const std::string& object : objects) {
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

// As it is part of Husk: each caller copies it into memory.
TEST(KeeperProgram, IsSmall) {
    EXPECT_LT(std::filesystem::file_size(HUSK_KEEPER_IMAGE), 128U * 1024);
}

}  // namespace
