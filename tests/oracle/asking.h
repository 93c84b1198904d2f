// Asks the real programs: bash, and shfmt as a second reader of bash.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace husk::test {

// True when bash takes the text for a script. Nothing is run.
bool bash_accepts(const std::string& text);

// What bash makes of these words, as it would hand them to a program. No expansion in them may
// run anything.
std::vector<std::string> bash_words(const std::string& words);

// How many commands shfmt finds in the text; none when it cannot read it.
std::optional<size_t> shfmt_commands(const std::string& text);

// What the script prints. It is run, so it may only do what a test may do.
std::string bash_output(const std::string& text);

// The cases of a file in tests/oracle, which a line "--" separates.
std::vector<std::string> cases_in(const std::string& name);
// The cases of tests/oracle/scripts.txt.
std::vector<std::string> script_cases();

// Every shell script below the usual directories of this machine.
std::vector<std::string> scripts_of_this_machine();

std::string read_file(const std::string& path);

}  // namespace husk::test
