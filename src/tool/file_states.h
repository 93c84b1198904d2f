// Which of the files that a command names have changed when it has ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "contract/contract.h"

namespace husk::tool {

class FileStates {
public:
    // Looks at the files now, before the command. Files outside of `roots` may be others for the
    // command; an empty list is for commands that see what this host sees.
    FileStates(std::vector<contract::NamedFile> files,
               const std::vector<std::filesystem::path>& roots);

    // What has become of them until now.
    std::vector<contract::FileState> now() const;

private:
    // As much of it as changes when a file does.
    struct Look {
        enum class Kind : uint8_t { There, Missing, Unknown } kind = Kind::Unknown;
        dev_t device = 0;
        ino_t inode = 0;
        off_t size = 0;
        int64_t changed_ns = 0;
        bool operator==(const Look&) const = default;
    };
    struct Known {
        contract::NamedFile file;
        Look before;
    };
    static Look look_at(const std::string& path);

    std::vector<Known> known_;
};

}  // namespace husk::tool
