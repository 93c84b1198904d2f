#include "probes.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

namespace husk::redteam {
namespace {

const std::map<std::string, Proof> proofs = {
    {"changed", Proof::Changed}, {"spoiled", Proof::Spoiled}, {"built", Proof::Built},
    {"told", Proof::Told},       {"heard", Proof::Heard},     {"hurt", Proof::Hurt},
    {"made", Proof::Made},       {"lived", Proof::Lived},
};

[[noreturn]] void give_up(const std::string& line) {
    std::cerr << "tests/redteam/probes: not understood: " << line << "\n";
    std::exit(1);
}

Probe read_first_line(const std::string& line) {
    std::istringstream words(line);
    Probe probe;
    std::string who, signs, proof;
    words >> probe.id >> who >> signs >> proof >> std::ws;
    std::getline(words, probe.title);
    if (probe.title.empty() || signs.size() < 3) give_up(line);
    probe.by_root = who == "both" || who == "root";
    probe.by_user = who == "both" || who == "user";
    probe.gets_through_open = signs[0] == '+';
    probe.gets_through_workspace = signs[1] == '+';
    probe.gets_through_read_only = signs[2] == '+';
    probe.gets_through_online = (signs.size() > 3 ? signs[3] : signs[1]) == '+';
    probe.needs_root = proof.ends_with('!');
    if (probe.needs_root) proof.pop_back();
    probe.may_be_absent = proof.ends_with('?');
    if (probe.may_be_absent) proof.pop_back();
    const auto found = proofs.find(proof);
    if (found == proofs.end() || (!probe.by_root && !probe.by_user)) give_up(line);
    probe.proof = found->second;
    return probe;
}

}  // namespace

bool Probe::gets_through(Place place) const {
    if (place == Place::Bare) return true;
    if (place == Place::Open) return gets_through_open;
    if (place == Place::Online) return gets_through_online;
    return place == Place::ReadOnly ? gets_through_read_only : gets_through_workspace;
}

bool Probe::is_tried_in(Place place) const {
    if (place == Place::Bare) return !gets_through_open;
    return place != Place::Online || category() == 'N';
}

std::vector<Probe> read_probes(char category) {
    std::ifstream file(std::string(HUSK_SOURCE_DIR "/tests/redteam/probes/") + category + ".txt");
    std::vector<Probe> probes;
    constexpr std::string_view indent = "    ";
    const std::string environment = std::string(indent) + "with ";
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.starts_with('#')) continue;
        if (!line.starts_with(indent)) {
            probes.push_back(read_first_line(line));
            if (probes.back().category() != category) give_up(line);
        } else if (probes.empty()) {
            give_up(line);
        } else if (line.starts_with(environment) && probes.back().script.empty()) {
            probes.back().environment.push_back(line.substr(environment.size()));
        } else {
            probes.back().script += line.substr(indent.size()) + "\n";
        }
    }
    return probes;
}

}  // namespace husk::redteam
