// What was read from files that are looked at before each call.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "confine/seen_file.h"

namespace husk::confine {

// Values by file, for as long as the file stays the same one.
template <class Value>
class Remembered {
public:
    // `read` gives the value, and whether it depends on this file alone.
    template <class Read>
    Value get(const std::filesystem::path& path, const Read& read) {
        struct stat info{};
        if (::stat(path.c_str(), &info) != 0) return is_gone(errno) ? Value() : read().first;
        const FileIdentity identity = identity_of(info);
        const auto found = known_.find(path.native());
        if (found != known_.end() && found->second.first == identity) return found->second.second;
        const bool settled = has_settled(info);
        std::pair<Value, bool> made = read();
        if (known_.size() >= most) known_.clear();
        known_.erase(path.native());
        if (settled && made.second) known_.insert({path.native(), {identity, made.first}});
        return std::move(made.first);
    }

private:
    static constexpr size_t most = 256;

    std::map<std::string, std::pair<FileIdentity, Value>> known_;
};

}  // namespace husk::confine
