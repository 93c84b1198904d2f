// What happens to the files that a command names while it runs.
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
    // Looks at the files now, before the command. Files outside of `roots` are unknown, because the
    // command may see other files there, and so are those behind a link, because it could lead to
    // what is withheld from the command. Empty `roots`: the command sees the files of this host.
    // If `allowed` is given, files outside of these directories are unknown too; no link is on the
    // way to one of them.
    FileStates(std::vector<contract::NamedFile> files,
               const std::vector<std::filesystem::path>& roots,
               std::optional<std::vector<std::filesystem::path>> allowed = {});

    // What has happened to the files so far.
    std::vector<contract::FileState> now() const;

private:
    // The attributes that differ after a file has changed.
    struct Look {
        enum class Kind : uint8_t { There, Missing, Unknown } kind = Kind::Unknown;
        bool is_link = false;
        dev_t device = 0;
        ino_t inode = 0;
        off_t size = 0;
        int64_t changed_ns = 0;
        bool operator==(const Look&) const = default;
    };
    struct Known {
        contract::NamedFile file;
        std::filesystem::path root;  // that it lies in; empty: the file is looked at by its path
        Look before;
    };
    Look look_at(const std::filesystem::path& path, const std::filesystem::path& root) const;

    std::optional<std::vector<std::filesystem::path>> allowed_;
    std::vector<Known> known_;
};

}  // namespace husk::tool
