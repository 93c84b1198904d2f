#include "request/call_json.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace husk {
namespace {

using Json = nlohmann::ordered_json;

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

// Written before every call, so it matters what it costs: no name is looked for before it is added.
class Object {
public:
    Object() { members().reserve(16); }

    template <class Value>
    void add(const char* name, Value&& value) {
        members().emplace_back(name, Json(std::forward<Value>(value)));
    }
    Json take() { return std::move(object_); }

private:
    Json::object_t& members() { return object_.get_ref<Json::object_t&>(); }

    Json object_ = Json::object();
};

Json json_of(const Confinement& walls) {
    Object object;
    object.add("mode", walls.mode);
    object.add("files", walls.files);
    object.add("network", walls.network);
    object.add("signals", walls.signals);
    object.add("processes", walls.processes);
    object.add("missing", walls.missing);
    object.add("unwatched", walls.unwatched);
    object.add("published", walls.published);
    return object.take();
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
    walls.published = texts_of(object, "published");
    return walls;
}

}  // namespace

std::string to_json(const CallNote& note) {
    Object object;
    object.add("command", note.command);
    if (!note.description.empty()) object.add("description", note.description);
    object.add("session", note.session);
    object.add("working_dir", note.working_dir);
    if (!note.workspace.empty()) object.add("workspace", note.workspace);
    if (!note.writable.empty()) object.add("writable", note.writable);
    if (!note.caller.empty()) object.add("caller", note.caller);
    if (note.timeout) object.add("timeout_ms", note.timeout->count());
    object.add("on_timeout", note.on_timeout == OnTimeout::Kill ? "kill" : "background");
    object.add("background", note.background);
    if (note.goes_with_session) object.add("goes_with_session", true);
    object.add("leftovers", word(note.leftovers));
    if (note.confinement.mode != "open") object.add("confinement", json_of(note.confinement));
    object.add("streams", note.streams == Streams::Split ? "split" : "merged");
    return object.take().dump(-1, ' ', false, Json::error_handler_t::replace);
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
    note.writable = texts_of(object, "writable");
    note.caller = text_of(object, "caller");
    note.goes_with_session = object.contains("goes_with_session");
    if (const auto walls = object.find("confinement"); walls != object.end() && walls->is_object())
        note.confinement = confinement_of(*walls);
    return note;
}

}  // namespace husk
