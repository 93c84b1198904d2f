// What shells have said, as MCP's resources: husk://shells/{id}/log.
#pragma once

#include <optional>
#include <string_view>

#include "serve/json_rpc.h"
#include "tool/toolbox.h"

namespace husk::serve {

// ListResourcesResult, newest shells only.
std::expected<Json, Fault> list_resources(const tool::Toolbox& toolbox);
// ListResourceTemplatesResult.
Json list_resource_templates();
// ReadResourceResult; none when there is no such shell.
std::optional<Json> read_resource(const tool::Toolbox& toolbox, std::string_view uri);
// CompleteResult: the ids that begin so, where the argument is one.
Json complete(const tool::Toolbox& toolbox, const Json& params);

}  // namespace husk::serve
