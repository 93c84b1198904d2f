// A fuzz target is a function that takes any bytes, hands them to one reader of Husk, and checks
// what the reader says. All targets are in one program, which is told the name of one of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace husk::fuzz {

struct Target {
    std::string_view name;
    void (*run)(std::string_view bytes);
    // Of a binary format: texts made by Husk's own writers, so that they are always of its version.
    // Those of a text format are files in corpus/NAME.
    std::vector<std::string> (*seeds)() = nullptr;
};

std::span<const Target> targets();
const Target* find_target(std::string_view name);

// Ends the program with a message, unless it holds.
void demand(bool holds, const char* what);

// Each in the file of its name.
void parse(std::string_view bytes);
void json_rpc(std::string_view bytes);
void http(std::string_view bytes);
void settings(std::string_view bytes);
void rules(std::string_view bytes);
void git_index(std::string_view bytes);
void proxy(std::string_view bytes);
void dns(std::string_view bytes);
void question(std::string_view bytes);
void wire(std::string_view bytes);
void spool(std::string_view bytes);
void terminal_text(std::string_view bytes);
void audit(std::string_view bytes);

std::vector<std::string> git_index_seeds();
std::vector<std::string> dns_seeds();
std::vector<std::string> question_seeds();
std::vector<std::string> wire_seeds();
std::vector<std::string> spool_seeds();

}  // namespace husk::fuzz
