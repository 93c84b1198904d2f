// The files of the console, as the build has put them into the program. The table is written by
// cmake/Http.cmake.
#pragma once

#include <span>
#include <string_view>

namespace husk::serve::http {

struct Asset {
    std::string_view path;  // "/index.html"
    std::string_view bytes;
};
std::span<const Asset> embedded_assets();

}  // namespace husk::serve::http
