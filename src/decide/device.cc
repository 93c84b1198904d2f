#include "decide/device.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/path.h"

namespace husk::decide {

using parse::Word;

bool is_block_device(const Word& word, const Context& context) {
    std::string path = known_absolute(path_of(word, context), context);
    if (path.empty()) path = word.known_start();
    constexpr std::string_view dev = "/dev/";
    if (!path.starts_with(dev)) return false;
    const std::string_view name = std::string_view(path).substr(dev.size());
    if (name.starts_with("disk/") || name.starts_with("mapper/") || name.starts_with("md/"))
        return true;
    struct Family {
        std::string_view prefix;
        std::string_view next;  // the letters that its first member starts with
    };
    constexpr std::string_view digits = "0123456789";
    constexpr std::string_view small = "abcdefghijklmnopqrstuvwxyz";
    static constexpr std::array families = {
        Family{"sd", small},    Family{"hd", small},    Family{"vd", small},
        Family{"xvd", small},   Family{"nvme", digits}, Family{"mmcblk", digits},
        Family{"loop", digits}, Family{"dm-", digits},  Family{"md", digits},
    };
    return std::ranges::any_of(families, [&](const Family& family) {
        if (!name.starts_with(family.prefix)) return false;
        const std::string_view rest = name.substr(family.prefix.size());
        return rest.empty() ? !word.known() : family.next.contains(rest.front());
    });
}

bool may_be_device(const Word& word, const Context& context) {
    if (is_block_device(word, context)) return true;
    const Path path = path_of(word, context);
    const std::string place = known_absolute(path, context);
    if (!place.empty()) return place.starts_with("/dev/") && !place.starts_with("/dev/shm/");
    // $disk and /dev/$disk; not "$dir/test.img".
    return word.known_start().starts_with("/dev/") ||
           (path.start == Path::Start::Unknown && path.segments.size() <= 1);
}

bool makes_file_system(std::string_view program) {
    return is_one_of(program,
                     "mkfs mke2fs mkswap mkdosfs mkntfs mkexfatfs mkudffs mkreiserfs newfs") ||
           program.starts_with("mkfs.") || program.starts_with("newfs_");
}

std::optional<std::string> formatted_device(const parse::Command& command, const Context& context) {
    for (const Word& word : read_arguments(arguments_of(command)).operands) {
        if (may_be_device(word, context)) return word.shown();
    }
    return std::nullopt;
}

}  // namespace husk::decide
