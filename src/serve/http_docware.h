// Requests of the contract docware that came over HTTP: which call each of them has become.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace husk::serve::http {

class DocwareRequests {
public:
    // False: there is one of this id.
    bool add(const std::string& request_id, const std::string& call_id);
    std::optional<std::string> call_of(const std::string& request_id) const;

private:
    std::map<std::string, std::string> calls_;
    std::deque<std::string> in_order_;
};

}  // namespace husk::serve::http
