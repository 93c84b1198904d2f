// Text in JSON: what is not there is null, and what is not UTF-8 is made so.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/utf8.h"

namespace husk::render {

inline nlohmann::ordered_json text_or_null(const std::string& text) {
    if (text.empty()) return nullptr;
    return text::to_utf8(text);
}

}  // namespace husk::render
