// Shells as commands: where the script comes from that they run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "parse/script.h"

namespace husk::parse {

bool is_shell(const std::string& program);

struct ShellCall {
    std::optional<size_t> code;        // the word behind -c
    std::optional<size_t> file;        // a file; if neither, standard input
    std::optional<size_t> startup;     // the file behind --rcfile
    bool expands_history = false;      // !x in its standard input means an earlier command
    bool has_unknown_options = false;  // where its script stands is not sure
};
ShellCall shell_call(const std::vector<Word>& words);

// It runs what it reads from its standard input.
bool reads_code(const Command& command);
// /proc/self/fd/3, /dev/fd/3: the program, or the script that a shell reads, is whatever file was
// opened there.
bool runs_a_descriptor(const Command& command);
// source <(x), bash <(x)
bool runs_what_a_command_writes(const Command& command);
// An unknown part of the word is not quoted, so that it can become several words, or none.
bool may_be_several_words(const Word& word);
// Words whose number or kind is not known stand where options do: bash "${a[@]}", timeout $t x.
bool may_run_more_than_it_shows(const Command& command);

}  // namespace husk::parse
