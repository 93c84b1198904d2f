#include "contract/contract.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace husk::contract {
namespace {

constexpr std::array all = {&husk_contract,        &phoenix_contract,   &codegen_contract,
                            &docware_contract,     &agentrail_contract, &yoi_contract,
                            &claude_code_contract, &anthropic_contract};

}  // namespace

Json tool_json(const Tool& tool) {
    Json json = {{"name", tool.name}, {"title", tool.title}, {"description", tool.description}};
    json["inputSchema"] = schema::input_schema(tool.takes, tool.manner.unknown);
    if (tool.gives) json["outputSchema"] = *tool.gives;
    json["annotations"] = {{"readOnlyHint", tool.only_reads},
                           {"destructiveHint", !tool.only_reads},
                           {"idempotentHint", tool.only_reads},
                           {"openWorldHint", !tool.only_reads}};
    return json;
}

Json result_json(const Answer& answer) {
    Json json;
    json["content"] = Json::array({{{"type", "text"}, {"text", text::to_utf8(answer.text)}}});
    if (answer.structured) json["structuredContent"] = *answer.structured;
    json["isError"] = answer.is_error;
    if (!answer.meta.empty()) json["_meta"] = answer.meta;
    return json;
}

std::span<const Contract* const> all_contracts() { return all; }

const Contract* find_contract(std::string_view name) {
    const auto* found = std::ranges::find(all, name, [](const Contract* one) { return one->name; });
    return found == all.end() ? nullptr : *found;
}

}  // namespace husk::contract
