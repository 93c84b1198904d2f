// Messages of MCP, one on each line, as a client sends them. Tools are not called: their arguments
// are only decoded, by every contract.
#include "serve/json_rpc.h"

#include <map>
#include <mutex>

#include "contract/contract.h"
#include "serve/connection.h"
#include "target.h"
#include "temp_dir.h"

namespace husk::fuzz {
namespace of_json_rpc {
namespace {

using serve::Json;

// Whoever reads what was written knows what was meant.
void check_written(const Json& message) {
    const auto again = serve::parse_message(message.dump());
    demand(again && *again == message, "a message reads as it is written");
}

void check_message(const Json& json) {
    const serve::Message message = serve::read_message(json);
    if (const auto* request = std::get_if<serve::Request>(&message)) {
        const Json written = serve::request_message(request->id, request->method, request->params);
        const serve::Message again = serve::read_message(written);
        const auto* same = std::get_if<serve::Request>(&again);
        demand(same != nullptr && same->id == request->id && same->method == request->method &&
                   same->params == request->params,
               "a request reads as it is written");
    }
    if (const auto* malformed = std::get_if<serve::Malformed>(&message))
        check_written(serve::error_message(malformed->id, malformed->fault));
}

void decode_with_all(const std::string& tool, const std::string& arguments) {
    const contract::Situation situation{.working_dir = "/workspace"};
    for (const contract::Contract* one : contract::all_contracts())
        for (const contract::Tool& known : one->tools(situation)) {
            if (known.name != tool) continue;
            const auto action = one->decode(tool, arguments, situation);
            if (!action) check_written(contract::result_json(action.error()));
        }
}

struct Deaf {
    test::TempDir place;
    tool::Toolbox toolbox{{.contract = &contract::husk_contract,
                           .settings = {.state = place.path() / "state"},
                           .walls = {}}};
    serve::Server server{toolbox, [](const std::string& tool, const std::string& arguments,
                                     const tool::CallContext&, const tool::Toolbox::Done& done) {
                             decode_with_all(tool, arguments);
                             done(Json{{"content", Json::array()}});
                         }};
};

// The answers of one connection, by id.
class Answers {
public:
    void take(const Json& message) {
        check_written(message);
        const std::lock_guard lock(guard_);
        if (message.is_array())
            for (const Json& one : message) count(one);
        else
            count(message);
    }
    size_t of(const Json& id) const {
        const auto found = by_id_.find(id.dump());
        return found == by_id_.end() ? 0 : found->second;
    }

private:
    void count(const Json& message) {
        if (message.contains("result") || message.contains("error")) ++by_id_[message["id"].dump()];
    }
    std::mutex guard_;
    std::map<std::string, size_t> by_id_;
};

// Those that may be answered later, or never if the client goes away.
bool is_patient(const std::string& method) {
    return method == "tools/call" || method.starts_with("tasks/") ||
           method.starts_with("subscriptions/");
}

}  // namespace
}  // namespace of_json_rpc

void json_rpc(std::string_view bytes) {
    using namespace of_json_rpc;
    static Deaf deaf;
    Answers answers;
    std::map<std::string, std::pair<size_t, size_t>> asked;  // all requests, and those answered now
    {
        serve::Connection connection(deaf.server,
                                     [&](const Json& message) { answers.take(message); });
        for (size_t lines = 0; !bytes.empty() && lines < 8; ++lines) {
            const std::string_view line = bytes.substr(0, bytes.find('\n'));
            bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
            connection.receive(line);
            const auto json = serve::parse_message(line);
            if (!json) continue;
            check_written(*json);
            check_message(*json);
            const serve::Message message = serve::read_message(*json);
            const auto* request = std::get_if<serve::Request>(&message);
            if (request == nullptr) continue;
            auto& [all, now] = asked[request->id.dump()];
            ++all;
            if (!is_patient(request->method)) ++now;
        }
        connection.close();
    }
    for (const auto& [id, counts] : asked) {
        const size_t answered = answers.of(Json::parse(id));
        demand(answered >= counts.second, "every request is answered");
    }
}

}  // namespace husk::fuzz
