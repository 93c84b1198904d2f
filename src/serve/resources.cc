#include "serve/resources.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"

namespace husk::serve {
namespace {

constexpr std::string_view before_id = "husk://shells/";
constexpr std::string_view behind_id = "/log";
constexpr size_t most_listed = 100;
constexpr uint64_t most_bytes = 256 * 1024;

std::string uri_of(std::string_view id) {
    return std::string(before_id) + std::string(id) + std::string(behind_id);
}

}  // namespace

std::optional<std::string> shell_in(std::string_view uri) {
    if (!uri.starts_with(before_id) || !uri.ends_with(behind_id)) return std::nullopt;
    if (uri.size() <= before_id.size() + behind_id.size()) return std::nullopt;
    uri.remove_prefix(before_id.size());
    uri.remove_suffix(behind_id.size());
    return std::string(uri);
}

std::expected<Json, Fault> list_resources(const tool::Toolbox& toolbox) {
    const auto shells = toolbox.shells();
    if (!shells) return std::unexpected(Fault{Code::Busy, shells.error().text()});
    Json resources = Json::array();
    for (const Report& shell : *shells) {
        if (resources.size() == most_listed) break;
        resources.push_back({{"uri", uri_of(shell.shell_id)},
                             {"name", shell.shell_id},
                             {"title", text::to_utf8(shell.display)},
                             {"description", std::string("The output of a shell that is ") +
                                                 status_word(shell.ending)},
                             {"mimeType", "text/plain"}});
    }
    return Json{{"resources", std::move(resources)}};
}

Json list_resource_templates() {
    const Json log = {{"uriTemplate", uri_of("{id}")},
                      {"name", "log"},
                      {"title", "Output of a shell"},
                      {"description", "What the shell with this id has written so far"},
                      {"mimeType", "text/plain"}};
    return {{"resourceTemplates", Json::array({log})}};
}

std::optional<Json> read_resource(const tool::Toolbox& toolbox, std::string_view uri) {
    const auto id = shell_in(uri);
    if (!id) return std::nullopt;
    auto log = toolbox.log(*id, most_bytes);
    if (!log) return std::nullopt;
    const Json content = {{"uri", uri}, {"mimeType", "text/plain"}, {"text", std::move(*log)}};
    return Json{{"contents", Json::array({content})}};
}

// Ids that begin so, and behind them those of commands in which the text is.
Json complete(const tool::Toolbox& toolbox, const Json& params) {
    constexpr size_t most = 100;  // that the protocol lets us name
    const Json& argument = member(params, "argument");
    const Json& begun = member(argument, "value");
    const bool is_id = member(member(params, "ref"), "uri") == uri_of("{id}") &&
                       member(argument, "name") == "id" && begun.is_string();
    std::vector<std::string> ids;
    if (const auto shells = toolbox.shells(); is_id && shells) {
        const auto text = begun.get<std::string>();
        for (const Report& shell : *shells)
            if (shell.shell_id.starts_with(text)) ids.push_back(shell.shell_id);
        for (const Report& shell : *shells)
            if (!shell.shell_id.starts_with(text) && shell.display.find(text) != std::string::npos)
                ids.push_back(shell.shell_id);
    }
    const size_t total = ids.size();
    ids.resize(std::min(total, most));
    return {{"completion", {{"values", ids}, {"total", total}, {"hasMore", total > most}}}};
}

}  // namespace husk::serve
