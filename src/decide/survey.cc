#include "decide/survey.h"

#include <algorithm>
#include <set>
#include <utility>

#include "decide/detours.h"
#include "decide/input.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Piece;
using parse::Range;
using parse::Script;
using parse::Via;

constexpr size_t most_looked_at = 64;

}  // namespace

Survey::Survey(const Script& script) : script_(script), places_(script.commands.size()) {
    note_places();
    note_functions();
    note_readers();
    note_proxies();
    if (!functions_.empty()) count_callers();
}

void Survey::note_places() {
    for (size_t pipeline = 0; pipeline < script_.pipelines.size(); ++pipeline) {
        const auto& stages = script_.pipelines[pipeline].stages;
        for (size_t stage = 0; stage < stages.size(); ++stage) {
            for (size_t i = stages[stage].first; i < stages[stage].last; ++i)
                places_[i].push_back({pipeline, stage});
        }
    }
    const auto start = [&](const Place& place) {
        return script_.pipelines[place.pipeline].stages.front().first;
    };
    // What is inside starts later.
    for (std::vector<Place>& places : places_) std::ranges::sort(places, std::greater(), start);
}

void Survey::note_functions() {
    for (const parse::Function& function : script_.functions)
        functions_[function.name].push_back({function.first, function.last});
    for (auto& [name, bodies] : functions_) {
        std::ranges::sort(bodies, {}, &Range::begin);
        std::vector<Range> merged;
        for (const Range& body : bodies) {
            if (merged.empty() || merged.back().end < body.begin)
                merged.push_back(body);
            else
                merged.back().end = std::max(merged.back().end, body.end);
        }
        bodies = std::move(merged);
    }
}

// `http_proxy=x program` is for the program alone, unless that is a function.
void Survey::note_proxies() {
    const auto sets = [&](const Command& command) {
        if (!decide::sets_proxy(command)) return false;
        Command alone = command;
        if (!functions_.contains(command.program()) && !command.words.empty())
            alone.assignments.clear();
        return decide::sets_proxy(alone);
    };
    sets_proxy_ = std::ranges::any_of(script_.commands, sets) ||
                  std::ranges::any_of(script_.loops, names_proxy, &parse::Loop::name);
}

void Survey::note_readers() {
    for (size_t i = 0; i < script_.commands.size(); ++i)
        if (reads_variables(script_.commands[i]))
            for (const std::string& name : variables_read(script_.commands[i]))
                readers_[name].push_back(i);
}

size_t Survey::reader_of(const std::string& name, size_t command) const {
    const auto found = readers_.find(name);
    if (found == readers_.end()) return Command::none;
    const auto after = std::ranges::lower_bound(found->second, command);
    return after == found->second.begin() ? Command::none : *std::prev(after);
}

void Survey::count_callers() {
    for (const parse::Pipeline& pipeline : script_.pipelines) {
        auto& counts = callers_.emplace_back();
        for (const auto& [first, last] : pipeline.stages) {
            std::set<std::string> called;
            for (size_t i = first; i < last; ++i) called.insert(script_.commands[i].program());
            for (const std::string& program : called) ++counts[program];
        }
    }
}

std::vector<const Command*> Survey::feeding(size_t command) const {
    std::vector<const Command*> found;
    for (const Place& place : places_[command]) {
        if (place.stage == 0) continue;
        const auto& stages = script_.pipelines[place.pipeline].stages;
        for (size_t i = stages[place.stage - 1].last; i-- > stages.front().first;) {
            if (found.size() == most_looked_at) return found;
            found.push_back(&script_.commands[i]);
        }
    }
    return found;
}

// What a substitution runs stands behind the command whose word it is in; a carried command has
// its words from its wrapper.
std::vector<const Command*> Survey::inside(size_t command, const Piece& piece) const {
    using enum Piece::Kind;
    if (piece.kind != Substitution && piece.kind != Process) return {};
    size_t owner = command;
    while (script_.commands[owner].via == Via::Wrapper) owner = script_.commands[owner].carrier;
    std::vector<const Command*> found;
    for (size_t i = owner + 1; i < script_.commands.size(); ++i) {
        const Command& inner = script_.commands[i];
        if (inner.depth <= script_.commands[owner].depth || i - owner > most_looked_at) break;
        const bool nested = !found.empty() && inner.carrier != owner;
        const bool here = inner.carrier == owner && inner.via == Via::Substitution &&
                          piece.text.contains(inner.text);
        if (here || nested) found.push_back(&inner);
    }
    return found;
}

// Both commands stand in it.
bool Survey::is_in_function(const std::string& name, size_t first, size_t last) const {
    const auto found = functions_.find(name);
    if (found == functions_.end()) return false;
    const std::vector<Range>& bodies = found->second;
    const auto after = std::ranges::upper_bound(bodies, first, {}, &Range::begin);
    return after != bodies.begin() && last < std::prev(after)->end;
}

bool Survey::calls_itself(size_t command) const {
    return is_in_function(script_.commands[command].program(), command, command);
}

bool Survey::calls_itself_in_pipeline(size_t command, size_t least_stages) const {
    if (!calls_itself(command)) return false;
    const std::string name = script_.commands[command].program();
    return std::ranges::any_of(places_[command], [&](const Place& place) {
        const size_t first = script_.pipelines[place.pipeline].stages.front().first;
        return callers_[place.pipeline].at(name) >= least_stages &&
               is_in_function(name, first, command);
    });
}

bool comes_via(const Script& script, size_t command, Via via) {
    for (size_t i = command; i < script.commands.size(); i = script.commands[i].carrier) {
        if (script.commands[i].via == via) return true;
    }
    return false;
}

}  // namespace husk::decide
