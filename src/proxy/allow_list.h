// What `network: [...]` in husk.yaml allows. The syntax is in docs/proxy.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proxy/address.h"
#include "proxy/target.h"

namespace husk::proxy {

class AllowList {
public:
    // One entry a line, empty lines do not count. One that cannot be understood is an error,
    // since whoever wrote it expects something of it. No entry: nothing is allowed.
    static Result<AllowList> parse(std::string_view text);

    // Whether somebody may ask for it.
    bool allows(const Target& target) const;

    // Whether it may be connected to at `address`, which is the target itself or what its name
    // has led to: a name leads only to public addresses and to those that are listed as
    // such; `localhost`, where it is listed, also to loopback.
    bool allows(const Target& target, const Address& address) const;

    // Whether it is allowed on any port.
    bool names(std::string_view name) const;
    // The names that are listed themselves, in the order of the list and without `localhost`.
    std::vector<std::string> listed_names() const;
    // The addresses that are listed, and the ports that are listed by number for `localhost`.
    std::vector<Address> listed_addresses() const;
    std::vector<uint16_t> local_ports() const;

private:
    enum class Which { Itself, Below };  // "host", "*.host"
    struct Entry {
        Which which = Which::Itself;
        std::string name;
        std::optional<Address> address;
        std::vector<uint16_t> ports;  // none: any
    };

    static std::optional<Entry> parse_entry(std::string_view line);
    static bool opens(const Entry& entry, const Target& target);

    std::vector<Entry> entries_;
};

}  // namespace husk::proxy
