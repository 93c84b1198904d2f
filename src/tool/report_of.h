// From what the files of a shell say to the report that people and programs read.
#pragma once

#include <husk/report.h>
#include <husk/shells.h>

#include "base/result.h"
#include "collect/shell_files.h"
#include "collect/stream.h"
#include "request/call_json.h"

namespace husk::tool {

// Everything but the output. `note` is the call, which whoever made it still knows.
Report report_of(const collect::ShellFiles& files, const collect::Snapshot& now,
                 const CallNote& note);

// The output in it, both streams where they are apart. Also tells the shell how far its
// readers know it.
Result<void> add_output(Report& report, const collect::ShellFiles& files, const Range& range,
                        uint64_t max_bytes, const collect::Hint& hint = {});

}  // namespace husk::tool
