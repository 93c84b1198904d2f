// The standard input of a call: opened for the command, and the way in which it gets it.
#pragma once

#include <husk/request.h>

#include "base/result.h"
#include "os/fd.h"
#include "run/plan.h"
#include "run/session.h"

namespace husk::tool {

struct OpenedInput {
    os::Fd file;
    run::InputWay way;
};

// Refuses a terminal, and in a closed session a file that a command could have chosen: by a link in
// a directory of the session that leads out of it.
Result<OpenedInput> open_input(const Input& input, const run::Session& session);

}  // namespace husk::tool
