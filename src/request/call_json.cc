#include "request/call_json.h"

#include <nlohmann/json.hpp>

namespace husk {
namespace {

const char* word(Leftovers leftovers) {
    if (leftovers == Leftovers::Kill) return "kill";
    return leftovers == Leftovers::Wait ? "wait" : "adopt";
}

std::string text_of(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::string to_json(const CallNote& note) {
    nlohmann::ordered_json object;
    object["command"] = note.command;
    if (!note.description.empty()) object["description"] = note.description;
    object["session"] = note.session;
    object["working_dir"] = note.working_dir;
    if (note.timeout) object["timeout_ms"] = note.timeout->count();
    object["on_timeout"] = note.on_timeout == OnTimeout::Kill ? "kill" : "background";
    object["background"] = note.background;
    object["leftovers"] = word(note.leftovers);
    object["streams"] = note.streams == Streams::Split ? "split" : "merged";
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

CallNote call_from_json(const std::string& text) {
    const auto object = nlohmann::json::parse(text, nullptr, false);
    if (!object.is_object()) return {};
    CallNote note;
    note.command = text_of(object, "command");
    note.description = text_of(object, "description");
    note.session = text_of(object, "session");
    note.working_dir = text_of(object, "working_dir");
    return note;
}

}  // namespace husk
