// What the answers of several contracts are made of.
#pragma once

#include <string>
#include <vector>

#include "contract/contract.h"

namespace husk::contract {

// Ends the last line, if there is one that has not ended.
inline void end_line(std::string& text) {
    if (!text.empty() && text.back() != '\n') text += '\n';
}

// The command beside what people want to see of it, _meta["husk/display"], and the notes of the
// report, for which many texts have no place, _meta["husk/notes"].
Json display_meta(const Report& report);

// Why settings of git were not written, in sentences.
std::vector<std::string> refused_settings(const Report& report);
// Adds what the command saw succeed, or fail without a reason, and what a model has to hear of,
// each in brackets and on a line of its own: protected names that were taken away again, and
// settings of git that were not written.
void add_what_became_of_it(std::string& text, const Report& report);

// Processes that outlived their command, with pid and name: the first twenty.
Json leftovers_json(const std::vector<Leftover>& leftovers);

// For contracts whose text may not tell of such processes: _meta["husk/leftovers"], and as
// _meta["husk/shell_id"] the id by which the tools of the contract, or `husk kill`, end them.
void add_leftovers(Json& meta, const Report& report, const std::string& shell_id);

// An answer that is nothing but an error.
inline Answer error_answer(std::string text) { return {.text = std::move(text), .is_error = true}; }

// Why a command was not started. `advice` says what to do about a working directory that cannot be
// entered, in the words of the contract.
std::string why_not_started(const Error& cause, std::string_view advice);
// The same for contracts whose calls cannot name a directory.
std::string why_not_started(const Error& cause);

// Why it was denied, in the words of the rule. Of one that asks: who was asked, or that nobody was.
std::string reason_of(const Report& report, const Denied& denied);

// The output as it came, or its kept parts with the text between them; characters are whole.
std::string joined(const Bytes& bytes, const std::string& between);

}  // namespace husk::contract
