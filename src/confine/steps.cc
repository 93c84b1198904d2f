#include "confine/steps.h"

#include <sys/mount.h>

#include <cstring>

#include "keeper/wire.h"
#include "os/pretend.h"

namespace husk::confine {

namespace fs = std::filesystem;
using wire::WallOp;

void Steps::make_directory(const fs::path& path, unsigned mode) {
    add({WallOp::MakeDirectory, "make " + path.string(), mode, 0, 0, {path.string()}});
}

void Steps::make_directories(const fs::path& base, const fs::path& path) {
    fs::path made = base;
    for (const fs::path& part : path.lexically_relative(base)) {
        if (part == ".") return;
        made /= part;
        make_directory(made);
    }
}

void Steps::make_file(const fs::path& path) {
    add({WallOp::MakeFile, "make " + path.string(), 0644, 0, 0, {path.string()}});
}

void Steps::mount(std::string_view type, const fs::path& target, uint64_t attributes,
                  const std::string& options) {
    add({WallOp::Mount,
         "mount " + std::string(type) + " on " + target.string(),
         attributes,
         0,
         0,
         {std::string(type), target.string(), options}});
}

void Steps::bind(const fs::path& source, const fs::path& target) {
    add({WallOp::Bind,
         "bind " + source.string() + " to " + target.string(),
         0,
         0,
         0,
         {source.string(), target.string()}});
}

void Steps::make_read_only(const fs::path& path, bool with_below) {
    add({WallOp::SetAttributes,
         "make " + path.string() + " read-only",
         MOUNT_ATTR_RDONLY,
         with_below ? 1U : 0U,
         0,
         {path.string()}});
}

std::string Steps::encode() const {
    constexpr WallOp unknown{};  // fails with ENOSYS
    wire::Walls header{};
    header.magic = wire::magic;
    header.version = wire::version;
    header.steps = static_cast<uint32_t>(steps_.size());
    const size_t texts_at = sizeof header + steps_.size() * sizeof(wire::WallStep);
    std::string texts;
    std::string coded;
    for (const Step& step : steps_) {
        wire::WallStep one{};
        one.op = step.name == os::pretended().failing_step ? unknown : step.op;
        one.optional = step.optional ? 1 : 0;
        one.a = step.a;
        one.b = step.b;
        one.c = step.c;
        one.identity = step.identity;
        for (size_t i = 0; i < step.texts.size() && i < wire::wall_texts; ++i) {
            if (step.texts[i].empty()) continue;
            texts.append(-(texts_at + texts.size()) % 8, '\0');  // a program wants to be aligned
            one.texts[i] = static_cast<uint32_t>(texts_at + texts.size());
            texts.append(step.texts[i]).push_back('\0');
        }
        coded.append(reinterpret_cast<const char*>(&one), sizeof one);
    }
    texts.push_back('\0');
    header.size = static_cast<uint32_t>(texts_at + texts.size());
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) + coded + texts;
}

}  // namespace husk::confine
