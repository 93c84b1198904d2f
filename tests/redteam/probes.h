// The table of probes/, as values. probes/README.txt says what the words mean.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace husk::redteam {

// Where a script runs: with no husk at all, or in a mode of it. Online is `workspace` with a
// network, Container is `workspace` in a container.
enum class Place { Bare, Open, Workspace, ReadOnly, Online, Container };

enum class Attacker { Root, User };
inline std::ostream& operator<<(std::ostream& out, Attacker attacker) {
    return out << (attacker == Attacker::Root ? "root" : "user");
}

enum class Proof { Changed, Spoiled, Built, Told, Heard, Hurt, Made, Lived };

struct Probe {
    std::string id;
    bool by_root = false;
    bool by_user = false;
    bool gets_through_open = false;
    bool gets_through_workspace = false;
    bool gets_through_read_only = false;
    bool gets_through_online = false;
    Proof proof = Proof::Changed;
    bool may_be_absent = false;  // from a kernel
    bool needs_root = false;     // to be prepared, or to be seen
    std::string title;
    std::vector<std::string> environment;  // NAME=value, with $ in it
    std::string script;

    char category() const { return id.front(); }
    bool is_for(Attacker attacker) const { return attacker == Attacker::Root ? by_root : by_user; }
    // Bare there is nothing that could stop it.
    bool gets_through(Place place) const;
    // Bare only what cannot be shown in `open`, online only what has to do with a network.
    bool is_tried_in(Place place) const;
};

// All of one category. A line that cannot be understood ends the program.
std::vector<Probe> read_probes(char category);

inline constexpr std::string_view categories = "FMWPSNKIERDT";

}  // namespace husk::redteam
