// The API in JSON: its routes, and what they are made of. docs/http.md is its page.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/index.h"
#include "run/state_dir.h"
#include "serve/http_auth.h"
#include "serve/http_board.h"
#include "serve/http_calls.h"
#include "serve/http_docware.h"
#include "serve/http_events.h"
#include "serve/http_exchange.h"
#include "serve/http_metrics.h"
#include "serve/http_shells.h"
#include "tool/toolbox.h"
#include "tool/workers.h"

namespace husk::serve::http {

struct Parts {
    Loop& loop;
    tool::Toolbox& toolbox;
    const run::StateDir& state;
    Settings settings;
    Events& events;
    LiveShells& shells;
    Board& board;
    Calls& calls;
    Gate& gate;
    Metrics& metrics;
    audit::Index& audit;
    DocwareRequests& docware;
    tool::Workers& workers;  // for what waits for the disk, or for a process
    Json about;              // what GET /v1 says
    std::string url;         // where we are, without a path
};

struct V1Route {
    std::string_view method;
    std::string_view pattern;
    void (*handle)(Parts& parts, const ExchangePtr& exchange, const std::vector<std::string>& path);
};
std::span<const V1Route> v1_routes();

// The description of them, as it is served.
std::string_view openapi_document();

// Calls, whoever makes them.
inline constexpr size_t most_under_way = 4096;

// The handlers of shells.
using PathParts = std::vector<std::string>;
void list_shells(Parts& parts, const ExchangePtr& exchange, const PathParts& path);
void tell_shell(Parts& parts, const ExchangePtr& exchange, const PathParts& path);
void read_output(Parts& parts, const ExchangePtr& exchange, const PathParts& path);
void follow_output(Parts& parts, const ExchangePtr& exchange, const PathParts& path);
void kill_shell(Parts& parts, const ExchangePtr& exchange, const PathParts& path);

// Those of the audit, and of the contract docware.
void search_audit(Parts& parts, const ExchangePtr& exchange, const PathParts& path);
void tell_stats(Parts& parts, const ExchangePtr& exchange, const PathParts& path);
void tell_metrics(Parts& parts, const ExchangePtr& exchange, const PathParts& path);
void request_execution(Parts& parts, const ExchangePtr& exchange, const PathParts& path);
void tell_execution(Parts& parts, const ExchangePtr& exchange, const PathParts& path);
void end_execution(Parts& parts, const ExchangePtr& exchange, const PathParts& path);

// Answers with what `work` makes of it on a thread that may wait.
void answer_later(Parts& parts, ExchangePtr exchange, std::function<Response()> work);

// The body, an object; an empty one where there is no body. Where it is none, that is answered.
std::optional<Json> body_of(const ExchangePtr& exchange);

// What a query says, or the default; none, and an answer, where it is wrong.
std::optional<uint64_t> number_of(const ExchangePtr& exchange, const char* name, uint64_t usual,
                                  uint64_t most);
std::string value_of(const Request& request, const char* name);

}  // namespace husk::serve::http
