// Where the data of a command comes from, for checks that ask.
#pragma once

#include <algorithm>

#include "decide/check.h"

namespace husk::decide {

// One of the commands in front of it in a pipeline satisfies the question.
template <class Question>
bool is_piped_from(const Scene& scene, Question question) {
    return std::ranges::any_of(scene.survey.feeding(scene.index),
                               [&](const parse::Command* command) { return question(*command); });
}

// One of the commands whose output stands in this word of it does.
template <class Question>
bool comes_from(const Scene& scene, const parse::Word& word, Question question) {
    return std::ranges::any_of(word.pieces, [&](const parse::Piece& piece) {
        return std::ranges::any_of(scene.survey.inside(scene.index, piece),
                                   [&](const parse::Command* inner) { return question(*inner); });
    });
}

// The same for any of its words.
template <class Question>
bool comes_from_words(const Scene& scene, Question question) {
    return std::ranges::any_of(scene.command.words, [&](const parse::Word& word) {
        return comes_from(scene, word, question);
    });
}

}  // namespace husk::decide
