#include "decide/match.h"

#include <utility>

#include "decide/files.h"
#include "decide/path.h"

namespace husk::decide {
namespace {

using parse::Word;

// Where an argument may be cut in two: in front of its second half, and behind its first.
struct Cut {
    size_t first_end;
    size_t second_begin;
};

std::optional<Cut> cut_of(const Letters& text, Cuts cuts) {
    if (text.starts_with(u"--")) {
        const size_t equals = text.find(u'=');
        if (equals == Letters::npos || text.substr(0, equals).contains(any_text)) return {};
        return Cut{equals, equals + 1};
    }
    const bool glued =
        cuts == Cuts::AtLetters && text.size() > 2 && text[0] == u'-' && text[1] != any_text;
    return glued ? std::optional(Cut{2, 2}) : std::nullopt;
}

}  // namespace

Subject::Subject(const parse::Script& of_script, size_t at, const Context& of_context,
                 const Context& moved)
    : script(of_script),
      index(at),
      command(of_script.commands[at]),
      context(of_context),
      here(moved),
      text(command_text(of_script, at)),
      readings(readings_text(of_script, at)) {}

std::vector<Token> tokens_of(std::span<const Word> words, const std::string& placeholder,
                             Cuts cuts) {
    std::vector<Token> tokens;
    for (size_t i = 0; i < words.size(); ++i) {
        const size_t at = tokens.size();
        const Letters text = seen(words[i], placeholder);
        const Letters shown = letters(words[i].shown());
        const auto cut = cut_of(text, cuts);
        const auto add = [&](size_t begin, size_t end, size_t next) {
            tokens.push_back({.text = Text(text.substr(begin, end - begin)),
                              .shown = Text(shown.substr(begin, end - begin)),
                              .next = next,
                              .word = i});
        };
        add(0, Letters::npos, at + (cut ? 3 : 1));
        tokens.back().many = may_be_many_words(words[i]);
        if (!cut) continue;
        add(0, cut->first_end, at + 2);
        add(cut->second_begin, Letters::npos, at + 3);
    }
    return tokens;
}

const std::vector<Token>& Subject::tokens(Cuts cuts) const {
    auto& kept = tokens_[static_cast<size_t>(cuts)];
    if (!kept)
        kept =
            tokens_of(std::span(command.words).subspan(1), placeholder_of(script, command), cuts);
    return *kept;
}

const std::vector<std::vector<Text>>& Subject::written() const {
    if (written_) return *written_;
    written_.emplace();
    for (const FileTouch& touch : file_touches(command)) {
        if (touch.operation != Operation::Write && touch.operation != Operation::Append) continue;
        std::vector<Text>& paths = written_->emplace_back();
        paths.emplace_back(absolute(path_of(touch.path, context), context));
        if (!here.working_directory.empty())
            paths.emplace_back(absolute(path_of(touch.path, here), here));
    }
    return *written_;
}

}  // namespace husk::decide
