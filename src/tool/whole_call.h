// A call is more than its text: variables that it sets and its standard input are weighed with it.
#pragma once

#include <husk/request.h>

#include <string>

#include "tool/judge.h"

namespace husk::tool {

// What is known of where the command runs, and what comes with it.
decide::Context context_of(const Request& request, std::string working_dir);

// What stands for the whole script, whatever was said of its commands.
void overrule(decide::Verdict& verdict, decide::Decision decision, const Verdict& by);

// `bash` whose standard input comes with the call, as `bash <<< TEXT` is.
void add_input(Judged& judged, const Request& request, const decide::Rules& rules,
               const decide::Context& context);

// Whoever is asked must know of it.
void tell_what_comes_with_it(decide::Verdict& verdict, const decide::Context& context,
                             const Request& request);

}  // namespace husk::tool
