// Runs a fuzz target without libFuzzer: seeds from a file, changed at random, for some seconds.
//
//     mutate SECONDS FILE [SEED]
//
// The seeds are separated by lines of "--". The number of the first text is printed, so that the
// same run can be had again.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::vector<std::string> seeds_of(const char* path) {
    std::ifstream file(path);
    std::vector<std::string> seeds(1);
    for (std::string line; std::getline(file, line);) {
        if (line == "--")
            seeds.emplace_back();
        else
            seeds.back() += line + "\n";
    }
    return seeds;
}

class Mutator {
public:
    Mutator(std::vector<std::string> seeds, uint64_t number)
        : seeds_(std::move(seeds)), random_(number) {}

    std::string next() {
        std::string text = any();
        for (size_t changes = below(6); changes > 0; --changes) change(text);
        return text;
    }

private:
    size_t below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }
    const std::string& any() { return seeds_[below(seeds_.size())]; }

    void change(std::string& text) {
        static constexpr char letters[] = "()<>&|;{}[]$`'\"\\ \n\t!*?~#=:-+/@%^,axE019\0\xff";
        const size_t at = below(text.size() + 1);
        switch (below(6)) {
            case 0: text.insert(at, 1, letters[below(sizeof letters)]); break;
            case 1: text.erase(at, below(8)); break;
            case 2: text.insert(at, any()); break;
            case 3: text.insert(at, text.substr(below(text.size() + 1), below(40))); break;
            case 4:
                if (at < text.size()) text[at] = letters[below(sizeof letters)];
                break;
            default: {
                const std::string piece = text.substr(at, 1 + below(6));
                for (size_t times = below(60); times > 0; --times) text.insert(at, piece);
            }
        }
    }

    std::vector<std::string> seeds_;
    std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[1]));
    const uint64_t number = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : std::random_device()();
    std::printf("starting with %llu\n", static_cast<unsigned long long>(number));
    std::fflush(stdout);
    Mutator mutator(seeds_of(argv[2]), number);
    size_t texts = 0;
    for (; std::chrono::steady_clock::now() < end; ++texts) {
        const std::string text = mutator.next();
        LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    }
    std::printf("%zu texts\n", texts);
    return texts > 0 ? 0 : 1;
}
