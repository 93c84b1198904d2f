// Where messages go.
#pragma once

#include <functional>

#include "serve/json_rpc.h"

namespace husk::serve {

using Send = std::function<void(const Json& message)>;

// Where to go with what is said about a message: its answer, and what comes before that.
struct Ways {
    Send answer;
    Send aside;
};

}  // namespace husk::serve
