#include "confine/orders.h"

#include <cstring>

#include "confine/reading.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// Empty when it is too long.
std::string encode(const Order& order, const fs::path& root, size_t root_index) {
    wire::NameOrder header{};
    std::string texts = order.path.string() + '\0';
    const size_t target = order.target.empty() ? 0 : sizeof header + texts.size();
    if (target != 0) texts += order.target.string() + '\0';
    constexpr size_t alignment = 8;
    while ((texts.size() + sizeof header) % alignment != 0) texts += '\0';
    const size_t size = sizeof header + texts.size();
    if (size > UINT16_MAX) return {};
    const size_t start = root == "/" ? 1 : root.native().size() + 1;  // behind the slash
    header.root = static_cast<uint16_t>(root_index);
    header.relative = static_cast<uint16_t>(sizeof header + start);
    header.target = static_cast<uint16_t>(target);
    header.flags = order.flags;
    header.size = static_cast<uint16_t>(size);
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) + texts;
}

}  // namespace

std::vector<Order> orders_about(const Names& names, const std::vector<fs::path>& roots,
                                uint16_t flags) {
    std::vector<Order> orders;
    for (const auto& [path, name] : names)
        if (name.state != State::Present && root_above(path, roots) != nullptr)
            orders.push_back({path, flags, name.target});
    return orders;
}

EncodedOrders encode_orders(std::span<const Order> orders, const std::vector<fs::path>& roots) {
    EncodedOrders result;
    for (const Order& order : orders) {
        const fs::path* root = root_above(order.path, roots);
        const std::string text =
            root == nullptr ? "" : encode(order, *root, static_cast<size_t>(root - roots.data()));
        const bool fits = !text.empty() && result.text.size() + text.size() <= wire::max_orders;
        result.sent.push_back(fits ? std::optional(result.text.size()) : std::nullopt);
        if (fits) result.text += text;
    }
    return result;
}

int result_of(std::string_view text, size_t offset) {
    wire::NameOrder order{};
    std::memcpy(&order, text.data() + offset, sizeof order);
    return order.result;
}

}  // namespace husk::confine
