// A shell that somebody asks about by its id, as contracts want to hear of it.
#pragma once

#include <husk/shells.h>

#include "base/result.h"
#include "collect/shell_files.h"
#include "contract/contract.h"
#include "request/call_json.h"

namespace husk::tool {

struct KnownShell {
    collect::ShellFiles files;
    collect::Snapshot now;
    CallNote note;
};

// Files that are open are readable to their end, also when the shell has been removed meanwhile.
Result<KnownShell> known(collect::ShellFiles files);
Result<KnownShell> open_known(const Settings& settings, const std::string& id);

// Everything but the output.
contract::Told told_of(const KnownShell& shell);

// The output in it: the bytes from `since` on that the portion asks for, or what `range` means,
// made readable.
Result<void> add_portion(contract::Told& told, const KnownShell& shell,
                         const contract::Portion& portion, uint64_t since = 0);
Result<void> add_readable(contract::Told& told, const KnownShell& shell, const Range& range,
                          uint64_t max_bytes,
                          contract::Read::Rest rest = contract::Read::Rest::ByTool);

}  // namespace husk::tool
