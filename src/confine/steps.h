// Walls as a list of steps, each with a name that an error can tell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "keeper/walls_wire.h"

namespace husk::confine {

struct Step {
    wire::WallOp op;
    std::string name;  // "mount a private /tmp"
    uint64_t a = 0;
    uint64_t b = 0;
    uint64_t c = 0;
    std::vector<std::string> texts = {};  // an empty one is none
    bool optional = false;                // what it is about may have gone meanwhile
    std::string mechanism = {};           // that is not to be had when it fails
    wire::Identity identity = {};         // of the object at the first text, if it is known
};

class Steps {
public:
    void add(Step step) { steps_.push_back(std::move(step)); }
    void add_with(std::string mechanism, Step step) {
        step.mechanism = std::move(mechanism);
        add(std::move(step));
    }

    void make_directory(const std::filesystem::path& path, unsigned mode = 0755);
    // `path` below `base`, which is there already, with all that is between.
    void make_directories(const std::filesystem::path& base, const std::filesystem::path& path);
    void make_file(const std::filesystem::path& path);
    // A new file system; `attributes` are MOUNT_ATTR_*.
    void mount(std::string_view type, const std::filesystem::path& target, uint64_t attributes,
               const std::string& options);
    void bind(const std::filesystem::path& source, const std::filesystem::path& target);
    // Only for paths that nobody else can change.
    void make_read_only(const std::filesystem::path& path, bool with_below = false);

    const std::vector<Step>& all() const { return steps_; }
    size_t size() const { return steps_.size(); }
    // For a nursery; walls_wire.h describes it.
    std::string encode() const;

private:
    std::vector<Step> steps_;
};

}  // namespace husk::confine
