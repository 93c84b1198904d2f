// A fuzz target under libFuzzer:
//
//     husk_fuzz --target=NAME CORPUS_DIR [libFuzzer's options]
//     husk_fuzz --target=NAME FILE             runs one text: the way to see a crash again
//     husk_fuzz --target=NAME --seeds=DIR      writes the seeds that are made by Husk's own writers
//     husk_fuzz --targets                      lists the names
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "target.h"

namespace {

const husk::fuzz::Target* chosen = nullptr;

void write_seeds(const std::filesystem::path& dir) {
    if (chosen->seeds == nullptr) return;
    size_t number = 0;
    for (const std::string& seed : chosen->seeds())
        std::ofstream(dir / ("made-" + std::to_string(++number)), std::ios::binary) << seed;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    constexpr std::string_view target = "--target=";
    constexpr std::string_view seeds = "--seeds=";
    for (int i = 1; i < *argc; ++i) {
        const std::string_view argument = (*argv)[i];
        if (argument == "--targets") {
            for (const auto& one : husk::fuzz::targets()) std::puts(one.name.data());
            std::exit(0);
        }
        if (argument.starts_with(target))
            chosen = husk::fuzz::find_target(argument.substr(target.size()));
        if (argument.starts_with(seeds) && chosen != nullptr) {
            write_seeds(argument.substr(seeds.size()));
            std::exit(0);
        }
    }
    if (chosen != nullptr) return 0;
    std::fprintf(stderr, "husk_fuzz: --target=NAME is missing, or NAME is no target\n");
    std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    chosen->run({reinterpret_cast<const char*>(data), size});
    return 0;
}
