// What shells have said, as MCP's resources: husk://shells/{id}/log.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "serve/json_rpc.h"
#include "tool/toolbox.h"

namespace husk::serve {

// The shell that a URI is of; none when it is of none.
std::optional<std::string> shell_in(std::string_view uri);
// ListResourcesResult, newest shells only.
std::expected<Json, Fault> list_resources(const tool::Toolbox& toolbox);
// ListResourceTemplatesResult.
Json list_resource_templates();
// ReadResourceResult; none when there is no such shell.
std::optional<Json> read_resource(const tool::Toolbox& toolbox, std::string_view uri);
// CompleteResult: the ids that begin so, or whose command has that in it.
Json complete(const tool::Toolbox& toolbox, const Json& params);

}  // namespace husk::serve
