#include "record/removed.h"

#include <nlohmann/json.hpp>

#include "record/json_line.h"

namespace husk::audit {
namespace {

uint64_t number_in(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

}  // namespace

std::string Removed::json() const {
    JsonLine line;
    line.count("files", files).count("records", records).count("early", early);
    line.whole("until", until);
    return line.done();
}

Removed removed_in(std::string_view header) {
    const auto json = nlohmann::json::parse(header, nullptr, false);
    const auto found = json.is_object() ? json.find("removed") : json.end();
    if (!json.is_object() || found == json.end() || !found->is_object()) return {};
    return {.files = number_in(*found, "files"),
            .records = number_in(*found, "records"),
            .early = number_in(*found, "early"),
            .until = static_cast<int64_t>(number_in(*found, "until"))};
}

}  // namespace husk::audit
