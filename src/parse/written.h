// What a command writes to its standard output, where its words say so.
#pragma once

#include "parse/script.h"

namespace husk::parse {

// echo x, printf x, cat <<E: what they write can be seen.
bool writes_known_text(const Command& command);

// As far as it is text: what % and backslashes make of it is not worked out.
Word text_written_by(const Command& command);

}  // namespace husk::parse
