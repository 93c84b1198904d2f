// Requests of the contract docware that came over HTTP: which call each of them has become.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>

#include "contract/docware_protocol.h"

namespace husk::serve::http {

class DocwareRequests {
public:
    struct Known {
        std::string call;
        contract::UsageFigures figures = contract::UsageFigures::Told;
    };
    // False: there is one of this id.
    bool add(const std::string& request_id, Known known);
    // Null where there is none.
    const Known* find(const std::string& request_id) const;

private:
    std::map<std::string, Known> known_;
    std::deque<std::string> in_order_;
};

}  // namespace husk::serve::http
