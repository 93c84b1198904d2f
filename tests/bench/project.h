// Where commands of the benchmark run.
#pragma once

#include <husk/husk.h>

#include <filesystem>
#include <string>

namespace husk::bench {

void run_bare(const std::string& command);

// A directory that goes away with everything in it.
class TempDir {
public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

// A repository with a Makefile and many small files, and a state directory beside it.
class Project {
public:
    explicit Project(size_t files);

    std::filesystem::path work() const { return base_.path() / "work"; }
    Settings settings() const { return {.state = base_.path() / "state"}; }
    std::string in_work(const std::string& command) const {
        return "cd " + work().string() + " && { " + command + "; } >/dev/null 2>&1";
    }

private:
    TempDir base_;
};

}  // namespace husk::bench
