#include "record/configuration_entry.h"

#include <unistd.h>

#include "record/entry.h"
#include "record/json_line.h"

namespace husk::audit {
namespace {

std::string files_json(const std::vector<ConfigurationChange::File>& files) {
    std::vector<std::string> all;
    for (const ConfigurationChange::File& file : files) {
        JsonLine line;
        line.text("path", file.path.string()).word("sha256", file.digest);
        all.push_back(line.done());
    }
    return json_array(all);
}

}  // namespace

std::string_view word(ConfigurationChange::Outcome outcome) {
    return outcome == ConfigurationChange::Outcome::Applied ? "applied" : "refused";
}

std::string configuration_record(const std::string& id, const Server& server,
                                 const ConfigurationChange& change) {
    JsonLine line;
    line.whole("v", 1)
        .word("what", "configuration")
        .word("id", id)
        .whole("time", now_ms())
        .word("via", server.via)
        .word("contract", server.contract)
        .text("tool", "")
        .word("action", "configure")
        .whole("uid", static_cast<int64_t>(::geteuid()))
        .text("workspace", server.workspace)
        .text("command", "")
        .json("verdict", "null")
        .json("approval", "null")
        .word("status", word(change.outcome))
        .text("error", change.why)
        .json("files", files_json(change.files))
        .texts("changed", change.changed)
        .texts("after_restart", change.after_restart);
    return line.done();
}

}  // namespace husk::audit
