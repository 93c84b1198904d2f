#include "decide/arguments.h"

#include <algorithm>

#include "decide/glob.h"

namespace husk::decide {
namespace {

using parse::Piece;
using parse::Word;

class Reader {
public:
    Reader(std::span<const Word> words, const ValueOptions& with_value)
        : words_(words), with_value_(with_value) {}

    Arguments read() {
        while (next_ < words_.size()) {
            const Word& word = words_[next_++];
            const std::string start = word.known_start();
            if (word.is("--")) {
                read_operands();
            } else if (start.starts_with("--")) {
                read_long(word, start);
            } else if (start.starts_with('-') && (start.size() > 1 || !word.known())) {
                read_cluster(word, start);
            } else {
                read_operand(word);
            }
        }
        return std::move(out_);
    }

private:
    void read_operands() {
        for (; next_ < words_.size(); ++next_) out_.operands.push_back(words_[next_]);
    }

    void read_operand(const Word& word) {
        using enum Piece::Kind;
        const Piece::Kind first = word.pieces.empty() ? Text : word.pieces.front().kind;
        const bool may_be_option = first == Variable || first == Substitution || first == Braces;
        out_.may_have_more |= may_be_option && may_be_many_words(word);
        out_.operands.push_back(word);
    }

    void read_long(const Word& word, const std::string& start) {
        const size_t equals = start.find('=');
        Option option{.name = start.substr(2, equals - 2), .value = {}, .is_long = true};
        if (equals != std::string::npos)
            option.value = without_start(word, equals + 1);
        else if (std::ranges::find(with_value_.names, option.name) != with_value_.names.end())
            option.value = take_word();
        out_.options.push_back(std::move(option));
    }

    void read_cluster(const Word& word, const std::string& start) {
        for (size_t i = 1; i < start.size(); ++i) {
            Option option{.name = std::string(1, start[i]), .value = {}};
            const bool takes_value = with_value_.letters.contains(start[i]);
            if (takes_value) {
                Word rest = without_start(word, i + 1);
                option.value = rest.pieces.empty() ? take_word() : std::move(rest);
            }
            out_.options.push_back(std::move(option));
            if (takes_value) return;
        }
        out_.may_have_more |= !word.known();
    }

    std::optional<Word> take_word() {
        if (next_ >= words_.size()) return std::nullopt;
        return words_[next_++];
    }

    std::span<const Word> words_;
    const ValueOptions& with_value_;
    size_t next_ = 0;
    Arguments out_;
};

}  // namespace

bool Arguments::has(std::string_view name, size_t shortest) const {
    return std::ranges::any_of(options, [&](const Option& option) {
        if (option.is_long != (name.size() > 1)) return false;
        return option.name == name ||
               (option.is_long && option.name.size() >= shortest && name.starts_with(option.name));
    });
}

const Word* Arguments::value_of(std::string_view name) const {
    const Word* last = nullptr;
    for (const Option& option : options) {
        if (option.name == name && option.value) last = &*option.value;
    }
    return last;
}

std::vector<Word> Arguments::values_of(std::string_view name) const {
    std::vector<Word> values;
    for (const Option& option : options) {
        if (option.name == name && option.value) values.push_back(*option.value);
    }
    return values;
}

Arguments read_arguments(std::span<const Word> words, const ValueOptions& with_value) {
    return Reader(words, with_value).read();
}

Word without_start(const Word& word, size_t count) {
    Word rest = word;
    parse::drop_start(rest, count);
    return rest;
}

std::span<const Word> arguments_of(const parse::Command& command) {
    return command.words.empty() ? std::span<const Word>() : std::span(command.words).subspan(1);
}

}  // namespace husk::decide
