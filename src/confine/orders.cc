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
    for (const auto& [path, name] : names) {
        if (root_above(path, roots) == nullptr || name.state == State::Pinned) continue;
        const auto kind = static_cast<uint16_t>((name.is_git_settings ? wire::GitSettings : 0) |
                                                (name.is_gitlink ? wire::Gitlink : 0));
        if (name.state != State::Present)
            orders.push_back({path, static_cast<uint16_t>(flags | kind), name.target});
        else if ((flags & wire::Watch) != 0)
            orders.push_back({path, static_cast<uint16_t>(wire::Watch | wire::IsThere | kind)});
    }
    return orders;
}

std::string encode_orders(std::span<Order> orders, const std::vector<fs::path>& roots) {
    std::string text;
    for (Order& order : orders) {
        const fs::path* root = root_above(order.path, roots);
        const std::string one =
            root == nullptr ? "" : encode(order, *root, static_cast<size_t>(root - roots.data()));
        const bool fits = !one.empty() && text.size() + one.size() <= wire::max_orders;
        if (!fits) order.result = -E2BIG;
        if (!fits) continue;
        order.at = text.size();
        text += one;
    }
    return text;
}

void read_results(std::string_view text, std::span<Order> orders) {
    wire::NameOrder answer{};
    for (Order& order : orders) {
        if (!order.at) continue;
        std::memcpy(&answer, text.data() + *order.at, sizeof answer);
        order.result = answer.result;
        order.made_again = (answer.flags & wire::MadeAgain) != 0;
    }
}

}  // namespace husk::confine
