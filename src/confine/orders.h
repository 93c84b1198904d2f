// What a session's mason is told to do about protected names, and what became of it.
#pragma once

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "confine/names.h"
#include "keeper/walls_wire.h"

namespace husk::confine {

struct Order {
    std::filesystem::path path;
    uint16_t flags = wire::TakeAway;    // of wire::OrderFlags
    std::filesystem::path target = {};  // of the link that has to be there; empty: nothing may be
    int result = -EIO;                  // as in wire::NameOrder, once the mason has answered
    bool made_again = false;            // likewise: the link was missing
    std::optional<size_t> at = {};      // where it is in the text that the mason gets
};

// Orders about the names below the roots where nothing may come, and about the links that have to
// stay. To watch, the mason has to know of the names that are there, too.
std::vector<Order> orders_about(const Names& names, const std::vector<std::filesystem::path>& roots,
                                uint16_t flags);

// Orders as the mason reads them; walls_wire.h describes the format. An order that is below no root
// or does not fit is not in the text, and has failed.
std::string encode_orders(std::span<Order> orders, const std::vector<std::filesystem::path>& roots);
// Takes the results from the text that the mason has written them into.
void read_results(std::string_view text, std::span<Order> orders);

}  // namespace husk::confine
