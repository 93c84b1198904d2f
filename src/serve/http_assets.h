// What browsers are shown: the console, where it was built, else a page that says what this is.
#pragma once

#include <string>
#include <string_view>

#include "serve/http_message.h"

namespace husk::serve::http {

// The file of the console at this path; "/" and whatever has no dot in its name is its first page.
Response console(std::string_view path);

// For a browser that was not let in: how to get a link. What is not known, or not to be told, is
// empty.
Response locked_page(std::string_view url, std::string_view token_file);

}  // namespace husk::serve::http
