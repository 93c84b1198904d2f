// What a session's mason is told to do about protected names.
#pragma once

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
};

// Orders about the names below the roots where nothing may come, and about the links that have to
// stay.
std::vector<Order> orders_about(const Names& names, const std::vector<std::filesystem::path>& roots,
                                uint16_t flags);

// Orders as the mason reads them; walls_wire.h describes the format. `sent[i]` is the offset of
// order i, or nothing for an order that is below no root or does not fit.
struct EncodedOrders {
    std::string text;
    std::vector<std::optional<size_t>> sent;
};
EncodedOrders encode_orders(std::span<const Order> orders,
                            const std::vector<std::filesystem::path>& roots);

// What became of the order at an offset of the text that the mason has written its results into.
int result_of(std::string_view text, size_t offset);

}  // namespace husk::confine
