// A directory for one call alone, which goes away with everything in it.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

namespace husk::tool {

class PrivateDir {
public:
    // None when it could not be made.
    static std::optional<PrivateDir> make();
    ~PrivateDir();
    PrivateDir(PrivateDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    PrivateDir& operator=(PrivateDir&&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    explicit PrivateDir(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

}  // namespace husk::tool
