// What a command wrote, made safe for the terminal of a person.
#pragma once

#include <string>
#include <string_view>

namespace husk::text {

// Passes text, colours (SGR), cursor movement and erasing. Takes out everything that makes a
// terminal answer, that reaches the clipboard, the title or a printer, or that outlasts the
// command: strings (OSC, DCS, APC, PM, SOS), queries, modes, margins, character sets and 8-bit
// controls. Invalid UTF-8 becomes U+FFFD. Pieces may be cut anywhere: an unfinished sequence waits
// for the next piece. Takes linear time and keeps a few bytes.
class TerminalFilter {
public:
    std::string pass(std::string_view piece);
    // What a terminal needs after the last piece: colours are switched off.
    std::string finish();

private:
    enum class State { Text, Escape, EscapeMore, Control, String };

    void take(char byte, std::string& shown);
    void take_text(char byte, std::string& shown);
    void take_escape(char byte, std::string& shown);
    void take_control(char byte, std::string& shown);
    void end_torn_rune(std::string& shown);

    State state_ = State::Text;
    std::string held_;  // of an unfinished character, or the parameters of a control sequence
    bool coloured_ = false;
};

// The same for a text that is complete.
std::string for_terminal(std::string_view text);

}  // namespace husk::text
