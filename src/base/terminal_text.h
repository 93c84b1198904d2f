// What a terminal would show of the bytes that a program wrote to it.
#pragma once

#include <string>
#include <string_view>

namespace husk::text {

// What a model sees: no escapes, no controls but \n and \t, each line in its last state, and
// U+FFFD for invalid UTF-8. Honoured within a line are \r, \b, "erase to the end", "erase the
// line" (which also returns to its start) and "go to column"; a code point is a column, a tab
// too. Takes linear time, and memory of a small multiple of the input.
std::string plain(std::string_view raw);

// What somebody reads in order to judge it, such as a command: nothing is hidden. Controls other
// than \n and \t, marks that turn the direction of text, and characters without width are shown
// by their numbers, as bash would write them in $''; U+FFFD stands for invalid UTF-8.
std::string inert(std::string_view raw);

// The same on one line, for tables and messages: newlines and tabs are spaces.
std::string one_line(std::string_view raw);

}  // namespace husk::text
