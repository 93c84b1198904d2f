// The files of one call, made by the caller before the command exists.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "keeper/record.h"
#include "os/fd.h"
#include "run/state_dir.h"

namespace husk::run {

struct CallFiles {
    std::string shell_id;  // <session>-<number>
    uint64_t number = 0;
    os::Fd record;
    os::Fd log;
    os::Fd error_log;  // only when the streams are split
    std::filesystem::path log_path;
    std::filesystem::path error_log_path;
};

// `page` is completed with the ids and written with `call` (JSON) behind it. Nothing is left
// of it when an error is returned.
Result<CallFiles> make_call_files(SessionDir& session, record::Record page, const std::string& call,
                                  bool split);

// For a call that came to nothing.
void remove_call_files(const SessionDir& session, uint64_t number);

// Makes the files of the session's next calls while this one runs: making a file costs more
// than writing it. None for a first call, which may be the only one, then more and more at once.
void make_files_ahead(SessionDir& session);

}  // namespace husk::run
