// How the commands of a script hang together: which feed which, and which call themselves.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "parse/script.h"

namespace husk::decide {

// Points into the script, which must outlive it.
class Survey {
public:
    explicit Survey(const parse::Script& script);

    // The commands that stand in front of this one in a pipeline, the nearest first. Of very
    // many only the nearest, so that no script can make this take long.
    std::vector<const parse::Command*> feeding(size_t command) const;

    // The commands whose output takes the place of a substitution in one of the command's words;
    // of very many only the first.
    std::vector<const parse::Command*> inside(size_t command, const parse::Piece& piece) const;

    // The command stands in the body of a function of its own name.
    bool calls_itself(size_t command) const;
    // The same, in a pipeline in that body of which at least so many stages call the function.
    bool calls_itself_in_pipeline(size_t command, size_t least_stages) const;

    // The last command before this one that reads a variable of this name from its input, as `read`
    // does; Command::none if there is none.
    size_t reader_of(const std::string& name, size_t command) const;

    // A variable that names a proxy is set for more than one command.
    bool sets_proxy() const { return sets_proxy_; }

private:
    // A stage of a pipeline.
    struct Place {
        size_t pipeline;
        size_t stage;
    };

    void note_places();
    void note_functions();
    void note_readers();
    void note_proxies();
    void count_callers();
    bool is_in_function(const std::string& name, size_t first, size_t last) const;

    const parse::Script& script_;
    std::vector<std::vector<Place>> places_;  // of each command, the innermost pipeline first
    std::map<std::string, std::vector<size_t>, std::less<>> readers_;  // of each variable
    // The bodies of the functions of each name, in order, with those that touch made one.
    std::map<std::string, std::vector<parse::Range>, std::less<>> functions_;
    // In how many stages of each pipeline a program is called. Only where there are functions.
    std::vector<std::map<std::string, size_t, std::less<>>> callers_;
    bool sets_proxy_ = false;
};

// The command, or one that it is carried by, comes to be run this way.
bool comes_via(const parse::Script& script, size_t command, parse::Via via);

}  // namespace husk::decide
