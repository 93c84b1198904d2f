// Disks, by the names that they have below /dev.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decide/context.h"
#include "parse/script.h"

namespace husk::decide {

// What is known of the word is enough: /dev/sd$x is a disk whatever $x is.
bool is_block_device(const parse::Word& word, const Context& context);

// It is one, or may turn out to be one: anything below /dev, and what is not known.
bool may_be_device(const parse::Word& word, const Context& context);

// mkfs.ext4 and the like.
bool makes_file_system(std::string_view program);
// The first word that is or may be a device; none when it makes one in a plain file.
std::optional<std::string> formatted_device(const parse::Command& command, const Context& context);

}  // namespace husk::decide
