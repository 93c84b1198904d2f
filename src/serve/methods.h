// Requests that are answered at once, and for which nothing has to be remembered.
#pragma once

#include <expected>
#include <string_view>

#include "serve/json_rpc.h"
#include "tool/toolbox.h"

namespace husk::serve {

enum class Era {
    Connections,  // up to 2025-11-25
    Without,      // from 2026-07-28
};
inline constexpr std::string_view version_without = "2026-07-28";

using Answer = std::expected<Json, Fault>;

struct Asked {
    const tool::Toolbox& toolbox;
    const Json& params;
    Era era;
};

// The result; or what is wrong, also that the era has no such method.
Answer answer(const std::string& method, const Asked& asked);

// As the era wants every result to look.
Json dressed(Json result, Era era);

Json server_info();
Json capabilities();  // that both eras have

}  // namespace husk::serve
