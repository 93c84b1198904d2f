// Addresses that stand for names: a program that does not know of the proxy looks a name up, gets
// one of these, and connects to it (keeper/forwarding.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace husk::proxy {

class StandIns {
public:
    // The names that are known beforehand always get the same addresses, also after the proxy had
    // to be started again.
    explicit StandIns(const std::vector<std::string>& known);

    // An address of 198.18.0.0/15 as a number, the same for every question about this name. 0:
    // there are too many names.
    uint32_t address_of(std::string_view name);

    // Empty if the address stands for nothing.
    std::string name_of(uint32_t address) const;

private:
    std::map<std::string, uint32_t, std::less<>> numbers_;
    std::vector<std::string> names_;  // by number
};

}  // namespace husk::proxy
