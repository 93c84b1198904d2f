// What the JSON library has to say about a text, without what only its authors understand.
#pragma once

#include <string>
#include <string_view>

namespace husk {

// Of "[json.exception.parse_error.101] parse error at line 1, column 2: what is wrong" the end.
inline std::string json_complaint(std::string_view said) {
    const size_t column = said.find("column");
    const size_t colon = column == std::string_view::npos ? column : said.find(": ", column);
    const std::string_view what = colon == std::string_view::npos ? said : said.substr(colon + 2);
    return "this is not JSON: " + std::string(what);
}

}  // namespace husk
