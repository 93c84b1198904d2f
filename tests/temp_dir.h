// A directory that goes away with everything in it.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace husk::test {

class TempDir {
public:
    explicit TempDir(const std::filesystem::path& parent = std::filesystem::temp_directory_path())
        : path_((parent / "husk-test-XXXXXX").string()) {
        std::string name = path_.string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::filesystem::filesystem_error(
                "mkdtemp", path_, std::error_code(errno, std::generic_category()));
        path_ = name;
    }
    ~TempDir() {
        std::error_code failed;
        std::filesystem::remove_all(path_, failed);
        if (!failed) return;
        // It may be deeper than there are descriptors.
        const std::string by_rm = "rm -rf '" + path_.string() + "'";
        [[maybe_unused]] const int result = std::system(by_rm.c_str());
    }
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace husk::test
