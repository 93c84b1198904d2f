// What a command that talks to other machines sends to them.
#pragma once

#include <string>
#include <vector>

#include "decide/check.h"
#include "parse/script.h"

namespace husk::decide {

bool downloads(const parse::Command& command);  // curl, wget and the like

// "exec" and "tcp-listen" of `socat EXEC:sh TCP-LISTEN:80`, in lower case, as far as they are
// known.
std::vector<std::string> socat_address_types(const parse::Command& command);

// What such a program is told to fetch, as written: with or without a scheme.
std::vector<parse::Word> urls_of(const parse::Command& command);
// The words that go to the other machine beside the address: headers, forms, bodies.
std::vector<parse::Word> sent_words(const parse::Command& command);

// An option of curl or wget leads the request to another machine than the address says.
bool leads_request_away(const parse::Command& command);

struct Sending {
    std::vector<parse::Word> files = {};  // local files whose content it sends
    bool standard_input = false;          // it sends what it reads there
    bool to_this_machine = false;         // to no other one
};

// Of a program that can send at all: curl, nc, scp, ssh ...
std::optional<Sending> sending_of(const parse::Command& command);

// The word names a file that holds passwords or keys.
bool is_secret(const parse::Word& word, const Context& context);
// The command reads such a file, or prints the environment.
bool gives_secrets(const parse::Command& command, const Context& context);
// It reads files, or turns what it reads into something that can be sent.
bool gives_local_data(const parse::Command& command);

}  // namespace husk::decide
