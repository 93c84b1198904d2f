// Where commands of the benchmark run.
#pragma once

#include <husk/husk.h>

#include <filesystem>
#include <string>

#include "temp_dir.h"

namespace husk::bench {

void run_bare(const std::string& command);

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
    test::TempDir base_;
};

}  // namespace husk::bench
