// Tables for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace husk::render {

using Row = std::vector<std::string>;

// Aligned columns, two spaces apart, without spaces at the end of a line; the first row is the
// header. The last column is cut so that a line has at most `width` columns if that leaves
// it ten; 0 means no limit. Cells are made plain and one line each. Rows may be short.
std::string table(const std::vector<Row>& rows, size_t width);

// Cut to so many columns, if it has more; then the last of them is an ellipsis.
std::string cut_to(const std::string& text, size_t columns);

}  // namespace husk::render
