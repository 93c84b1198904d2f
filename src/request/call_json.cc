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

std::vector<std::string> texts_of(const nlohmann::json& object, const char* name) {
    std::vector<std::string> texts;
    if (const auto found = object.find(name); found != object.end() && found->is_array())
        for (const auto& one : *found)
            if (one.is_string()) texts.push_back(one.get<std::string>());
    return texts;
}

nlohmann::ordered_json json_of(const Confinement& walls) {
    return {{"mode", walls.mode},           {"files", walls.files},
            {"network", walls.network},     {"signals", walls.signals},
            {"processes", walls.processes}, {"missing", walls.missing},
            {"unwatched", walls.unwatched}};
}

Confinement confinement_of(const nlohmann::json& object) {
    Confinement walls;
    walls.mode = text_of(object, "mode");
    walls.files = text_of(object, "files");
    walls.network = text_of(object, "network");
    walls.signals = text_of(object, "signals");
    walls.processes = text_of(object, "processes");
    walls.missing = texts_of(object, "missing");
    walls.unwatched = texts_of(object, "unwatched");
    return walls;
}

}  // namespace

std::string to_json(const CallNote& note) {
    nlohmann::ordered_json object;
    object["command"] = note.command;
    if (!note.description.empty()) object["description"] = note.description;
    object["session"] = note.session;
    object["working_dir"] = note.working_dir;
    if (!note.workspace.empty()) object["workspace"] = note.workspace;
    if (!note.caller.empty()) object["caller"] = note.caller;
    if (note.timeout) object["timeout_ms"] = note.timeout->count();
    object["on_timeout"] = note.on_timeout == OnTimeout::Kill ? "kill" : "background";
    object["background"] = note.background;
    if (note.goes_with_session) object["goes_with_session"] = true;
    object["leftovers"] = word(note.leftovers);
    if (note.confinement.mode != "open") object["confinement"] = json_of(note.confinement);
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
    note.workspace = text_of(object, "workspace");
    note.caller = text_of(object, "caller");
    note.goes_with_session = object.contains("goes_with_session");
    if (const auto walls = object.find("confinement"); walls != object.end() && walls->is_object())
        note.confinement = confinement_of(*walls);
    return note;
}

}  // namespace husk
