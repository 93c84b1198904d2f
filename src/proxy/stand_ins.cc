#include "proxy/stand_ins.h"

#include "keeper/forwarding.h"

namespace husk::proxy {
namespace {

// A wildcard opens any number of names, and each takes memory.
constexpr size_t most_names = 16384;
constexpr uint32_t first = forwarding::network + 1;

}  // namespace

StandIns::StandIns(const std::vector<std::string>& known) {
    for (const std::string& name : known) address_of(name);
}

uint32_t StandIns::address_of(std::string_view name) {
    if (const auto found = numbers_.find(name); found != numbers_.end())
        return first + found->second;
    if (names_.size() >= most_names) return 0;
    const auto number = static_cast<uint32_t>(names_.size());
    names_.emplace_back(name);
    numbers_.emplace(name, number);
    return first + number;
}

std::string StandIns::name_of(uint32_t address) const {
    if (address < first || address - first >= names_.size()) return {};
    return names_[address - first];
}

}  // namespace husk::proxy
