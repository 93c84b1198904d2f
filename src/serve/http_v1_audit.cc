// The audit over HTTP.
#include <unistd.h>

#include <algorithm>

#include "base/moment.h"
#include "contract/docware_metrics.h"
#include "serve/http_v1.h"

namespace husk::serve::http {
namespace {

constexpr uint64_t usual_records = 100;
constexpr uint64_t most_records = 1000;

// None, and an answer, where something is wrong with it.
std::optional<audit::Query> query_of(const ExchangePtr& exchange) {
    const Request& request = exchange->request;
    audit::Query query;
    const auto moment = [&](const char* name, std::optional<int64_t>& value) {
        const std::string text = value_of(request, name);
        if (text.empty()) return true;
        value = text::parse_moment(text, now_ms());
        if (!value)
            exchange->fail(400, "bad_request",
                           std::string("`") + name +
                               "` is a time such as 2h (ago), a date, or milliseconds since 1970");
        return value.has_value();
    };
    if (!moment("since", query.since) || !moment("until", query.until)) return std::nullopt;
    query.words = audit::query_words(value_of(request, "q"));
    query.session = value_of(request, "session");
    query.status = value_of(request, "status");
    query.decision = value_of(request, "decision");
    query.contract = value_of(request, "contract");
    query.via = value_of(request, "via");
    query.shell_id = value_of(request, "shell");
    const std::string all = value_of(request, "all");
    if (all == "true" || all == "1") query.which = audit::Query::Which::All;
    return query;
}

Response unreadable(const Error& error) { return error_response(500, "unreadable", error.text()); }

}  // namespace

void search_audit(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    constexpr uint64_t any = ~uint64_t{0} >> 1;
    auto query = query_of(exchange);
    const auto limit =
        query ? number_of(exchange, "limit", usual_records, most_records) : std::nullopt;
    const auto before = limit ? number_of(exchange, "before", any, any) : std::nullopt;
    if (!before) return;
    query->limit = std::max<uint64_t>(*limit, 1);
    if (*before != any) query->before = static_cast<int64_t>(*before);
    answer_later(parts, exchange, [&parts, query = *std::move(query)] {
        const auto page = parts.audit.find(query);
        if (!page) return unreadable(page.error());
        return json_response(200, {{"records", page->records},
                                   {"next", page->next ? Json(*page->next) : Json(nullptr)}});
    });
}

void tell_stats(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    auto query = query_of(exchange);
    if (!query) return;
    answer_later(parts, exchange, [&parts, query = *std::move(query)] {
        const auto stats = parts.audit.stats(query);
        return stats ? json_response(200, *stats) : unreadable(stats.error());
    });
}

void tell_metrics(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    auto query = query_of(exchange);
    if (!query) return;
    query->contract = contract::docware_contract.name;
    answer_later(parts, exchange, [&parts, query = *std::move(query)] {
        contract::DocwareMetrics metrics(static_cast<size_t>(::sysconf(_SC_NPROCESSORS_ONLN)));
        const auto read = parts.audit.each(query, [&](const Json& record) { metrics.add(record); });
        return read ? json_response(200, metrics.json()) : unreadable(read.error());
    });
}

}  // namespace husk::serve::http
