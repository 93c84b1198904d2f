// Options that take one of a few words.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace husk::cli {

// The error names all of them.
template <class T>
CLI::Option* add_word(CLI::App& app, const std::string& name, T& value,
                      const std::vector<std::pair<std::string, T>>& words,
                      const std::string& description) {
    return app.add_option_function<std::string>(
        name,
        [&value, name, words](const std::string& text) {
            std::vector<std::string> all;
            for (const auto& [word, meaning] : words) {
                all.push_back(word);
                if (word == text) value = meaning;
            }
            if (std::ranges::find(all, text) == all.end())
                throw CLI::ValidationError(
                    name, "\"" + text + "\" is not one of " + text::join(all, ", "));
        },
        description);
}

}  // namespace husk::cli
