#include "symbols.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <sstream>

namespace architecture {
namespace {

std::string plain_name(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> demangled(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    const std::string name = status == 0 ? demangled.get() : symbol;
    return name.substr(0, name.find('('));
}

}  // namespace

std::vector<std::string> paths_in(const std::string& joined) {
    std::vector<std::string> paths;
    std::istringstream rest(joined);
    for (std::string path; std::getline(rest, path, ':');) paths.push_back(path);
    return paths;
}

std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, decltype(&pclose)> pipe(popen(command.c_str(), "r"), &pclose);
    std::string output;
    std::array<char, 4096> buffer{};
    while (const size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
        output.append(buffer.data(), size);
    return output;
}

Names undefined_c_names(const std::vector<std::string>& objects) {
    std::string command = "'" HUSK_NM "' --undefined-only --format=posix";
    for (const std::string& object : objects) command += " '" + object + "'";
    Names names;
    std::istringstream lines(output_of(command));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        std::string type;
        // A line with one word has the name of the next object.
        if (words >> name >> type && !name.starts_with("_Z")) names.insert(name);
    }
    return names;
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

Names without(const Names& names, const Names& taken) {
    Names rest;
    std::ranges::set_difference(names, taken, std::inserter(rest, rest.end()));
    return rest;
}

}  // namespace architecture
