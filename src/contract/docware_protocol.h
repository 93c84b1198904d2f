// The protocol of requests and responses of the contract `docware` (CommandExecutionRequest and
// CommandExecutionResponse): pure, what carries it is elsewhere.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "contract/contract.h"

namespace husk::contract {

// Whether responses tell what a command uses. Limits hold either way.
enum class UsageFigures : uint8_t { Told, Withheld };

struct DocwareRequest {
    std::string id;       // requestId
    std::string session;  // empty: the conversation's
    Json arguments;       // of the tool `Bash`
    UsageFigures figures = UsageFigures::Told;
};

// The call that it means, or what is wrong with it in one sentence.
std::expected<DocwareRequest, std::string> docware_request(const Json& body);

// A call as it is now.
struct DocwareState {
    std::string request_id;
    int64_t now = 0;  // milliseconds since 1970, as are the next two
    int64_t started = 0;
    std::optional<int64_t> ended = {};
    bool is_cancelled = false;
    Json output = nullptr;   // BashToolOutput: the structured content of the result
    Json denials = nullptr;  // of the report: what walls have stopped
    Json usage = nullptr;    // while it runs: docware_usage() of the last look
    UsageFigures figures = UsageFigures::Told;
};

Json docware_response(const DocwareState& state);

// What a command that is running has used so far, and uses at the moment.
Json docware_usage(const Sample& sample);

// A record of the stream as it stands in a response, as its `streamData`.
Json docware_stream_data(const Json& record);

}  // namespace husk::contract
