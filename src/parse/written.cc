#include "parse/written.h"

#include "parse/parser.h"

namespace husk::parse {

bool writes_known_text(const Command& command) {
    const std::string program = command.program();
    if (program == "cat")
        return command.words.size() == 1 && command.redirects.size() == 1 &&
               (command.redirects[0].kind == Redirect::Kind::HereDocument ||
                command.redirects[0].kind == Redirect::Kind::HereString);
    return (program == "echo" || program == "printf") && command.redirects.empty() &&
           command.words.size() > 1;
}

Word text_written_by(const Command& command) {
    if (command.program() == "cat") return command.redirects[0].target;
    const bool echo = command.program() == "echo";
    Word text;
    bool options = true;
    bool formatted = !echo;
    for (size_t i = 1; i < command.words.size(); ++i) {
        const Word& word = command.words[i];
        const std::string option = word.shown();
        options = options && (echo ? option.starts_with('-') && option.size() > 1 &&
                                         option.find_first_not_of("neE", 1) == std::string::npos
                                   : option == "--");
        if (options) {
            formatted = formatted || option.find('e') != std::string::npos;
            continue;
        }
        if (!text.pieces.empty()) add_text(text, " ", false);
        text.pieces.insert(text.pieces.end(), word.pieces.begin(), word.pieces.end());
    }
    if (formatted && text.shown().find_first_of("%\\") != std::string::npos)
        text.pieces.push_back({Piece::Kind::Substitution, "", true, {}});
    return text;
}

}  // namespace husk::parse
