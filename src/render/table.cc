#include "render/table.h"

#include <algorithm>

#include "base/terminal_text.h"
#include "base/utf8.h"

namespace husk::render {
namespace {

constexpr size_t gap = 2;
constexpr size_t narrowest = 10;

// A code point is a column, as everywhere.
size_t columns_of(std::string_view text) {
    const auto starts_character = [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    };
    return static_cast<size_t>(std::ranges::count_if(text, starts_character));
}

std::vector<Row> plain_cells(std::vector<Row> rows) {
    for (Row& row : rows)
        for (std::string& cell : row) cell = text::one_line(cell);
    return rows;
}

std::vector<size_t> widths_of(const std::vector<Row>& rows) {
    std::vector<size_t> widths;
    for (const Row& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
    }
    return widths;
}

std::string line_of(const Row& row, const std::vector<size_t>& widths) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
        const std::string cell = cut_to(row[i], widths[i]);
        line += cell + std::string(widths[i] - columns_of(cell) + gap, ' ');
    }
    line.resize(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

}  // namespace

std::string cut_to(const std::string& text, size_t columns) {
    if (columns_of(text) <= columns) return text;
    size_t end = 0;
    for (size_t kept = 1; kept < columns; ++kept)
        end += text::first_rune(std::string_view(text).substr(end)).bytes;
    return text.substr(0, end) + "…";
}

std::string table(const std::vector<Row>& rows, size_t width) {
    const std::vector<Row> cells = plain_cells(rows);
    std::vector<size_t> widths = widths_of(cells);
    if (width > 0 && !widths.empty()) {
        size_t before = 0;
        for (size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] + gap;
        const size_t left = width > before ? width - before : 0;
        widths.back() = std::min(widths.back(), std::max(left, narrowest));
    }
    std::string text;
    for (const Row& row : cells) text += line_of(row, widths);
    return text;
}

}  // namespace husk::render
