// What became of a shell whose end nobody has recorded.
#pragma once

#include <functional>
#include <string>

namespace husk::audit {

struct Later {
    enum class Kind {
        Running,
        JustEnded,  // as `record` says; its caller may be about to record that itself
        Ended,      // `record` is the one to be added
        Unknown,    // nothing is left of it
    };
    Kind kind = Kind::Running;
    std::string record = {};
};

using AskLater = std::function<Later(const std::string& shell_id)>;

}  // namespace husk::audit
