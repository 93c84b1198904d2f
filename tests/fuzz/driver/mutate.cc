// Runs a fuzz target without libFuzzer: seeds, changed at random, for some seconds. A run has the
// same texts each time, so that a failure belongs to the change that was made.
//
//     mutate TARGET SECONDS [--number=N] SEEDS...
//     mutate TARGET FILE                 runs one text: the way to see a crash again
//
// SEEDS are directories, in which each file is a seed, and files, in which lines of "--" separate
// them.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "patience.h"
#include "target.h"

// Sanitizers end the program with SIGABRT, so that the text is saved, and bound its memory.
extern "C" const char* __asan_default_options() {
    return "abort_on_error=1:hard_rss_limit_mb=2048";
}
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

namespace {

namespace fs = std::filesystem;

constexpr int longest_text_seconds = 10;  // for one text, on a busy machine
constexpr size_t longest_text = 1 << 16;

// For the handler of signals: the text that is being looked at.
std::string current;
std::string crash_file;

void save_current(int signal) {
    const int file = ::open(crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const bool saved = file >= 0 && ::write(file, current.data(), current.size()) ==
                                        static_cast<ssize_t>(current.size());
    if (signal == SIGALRM) std::fprintf(stderr, "one text took too long\n");
    std::fprintf(stderr, saved ? "the text is in %s\n" : "the text could not be saved in %s\n",
                 crash_file.c_str());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void watch(std::string_view target) {
    crash_file = (fs::current_path() / ("crash-" + std::string(target))).string();
    for (const int signal : {SIGABRT, SIGALRM}) std::signal(signal, save_current);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, save_current);
    constexpr rlim_t most_memory = rlim_t{2} << 30;
    const rlimit most{most_memory, most_memory};
    ::setrlimit(RLIMIT_AS, &most);
#endif
}

void run(const husk::fuzz::Target& target, std::string text) {
    current = std::move(text);
    ::alarm(static_cast<unsigned>(longest_text_seconds * husk::test::slowness()));
    target.run(current);
    ::alarm(0);
}

std::string contents(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

void add_separated(const fs::path& path, std::vector<std::string>& seeds) {
    std::ifstream file(path);
    seeds.emplace_back();
    for (std::string line; std::getline(file, line);) {
        if (line == "--")
            seeds.emplace_back();
        else
            seeds.back() += line + "\n";
    }
}

void add_directory(const fs::path& path, std::vector<std::string>& seeds) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) seeds.push_back(contents(file));
}

class Mutator {
public:
    Mutator(std::vector<std::string> seeds, uint64_t number)
        : seeds_(std::move(seeds)), random_(number) {}

    std::string next() {
        std::string text = any();
        for (size_t changes = below(6); changes > 0; --changes) change(text);
        text.resize(std::min(text.size(), longest_text));
        return text;
    }

private:
    size_t below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }
    const std::string& any() { return seeds_[below(seeds_.size())]; }

    void change(std::string& text) {
        static constexpr char letters[] = "()<>&|;{}[]$`'\"\\ \r\n\t!*?~#=:-+/@%^,axE019\0\xff";
        const size_t at = below(text.size() + 1);
        switch (below(9)) {
            case 0: text.insert(at, 1, letters[below(sizeof letters)]); break;
            case 1: text.erase(at, below(8)); break;
            case 2: text.insert(at, any()); break;
            case 3: text.insert(at, text.substr(below(text.size() + 1), below(40))); break;
            case 4:
                if (at < text.size()) text[at] = letters[below(sizeof letters)];
                break;
            case 5:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ 1 << below(8));
                break;
            case 6: set_number(text, at); break;
            case 7: {  // a part of another seed in the place of what is here
                const std::string& other = any();
                const std::string part = other.substr(below(other.size() + 1), below(24));
                text.replace(at, std::min(part.size(), text.size() - at), part);
                break;
            }
            default: {
                const std::string piece = text.substr(at, 1 + below(6));
                for (size_t times = below(60); times > 0; --times) text.insert(at, piece);
            }
        }
    }

    // At the edge of what a number can be, or small.
    void set_number(std::string& text, size_t at) {
        const size_t width = size_t{1} << below(4);
        uint64_t value = below(16);
        if (below(2) == 0) value = ~value;
        if (below(3) == 0) value = uint64_t{1} << below(64);
        for (size_t i = 0; i < width && at + i < text.size(); ++i)
            text[at + i] = static_cast<char>(value >> (8 * i));
    }

    std::vector<std::string> seeds_;
    std::mt19937_64 random_;
};

int run_for(const husk::fuzz::Target& target, std::chrono::seconds time, uint64_t number,
            std::vector<std::string> seeds) {
    const auto end = std::chrono::steady_clock::now() + time;
    if (target.seeds != nullptr) std::ranges::move(target.seeds(), std::back_inserter(seeds));
    if (seeds.empty()) return 2;
    for (const std::string& seed : seeds) run(target, seed);
    Mutator mutator(std::move(seeds), number);
    size_t texts = 0;
    for (; std::chrono::steady_clock::now() < end; ++texts) run(target, mutator.next());
    std::printf("%zu texts\n", texts);
    return texts > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const auto* target = argc > 2 ? husk::fuzz::find_target(argv[1]) : nullptr;
    if (target == nullptr) return 2;
    watch(target->name);
    if (argc == 3 && fs::is_regular_file(argv[2])) {
        run(*target, contents(argv[2]));
        return 0;
    }
    constexpr std::string_view number_option = "--number=";
    uint64_t number = 1;
    std::vector<std::string> seeds;
    for (int i = 3; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument.starts_with(number_option))
            number = std::strtoull(argv[i] + number_option.size(), nullptr, 10);
        else if (fs::is_directory(argument))
            add_directory(argument, seeds);
        else
            add_separated(argument, seeds);
    }
    return run_for(*target, std::chrono::seconds(std::atoi(argv[2])), number, std::move(seeds));
}
