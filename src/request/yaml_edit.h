// Changes in the text of a YAML file that leave everything else in it as it is: comments, order,
// empty lines. The result is read again: what would not mean exactly what was wanted is refused.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace husk::yaml {

// Keys from the top of the file: {"limits", "memory"}.
using Path = std::vector<std::string>;
using Value = std::variant<std::string, std::vector<std::string>>;

// The new text, or why it cannot be made, for whoever wanted it.
using Edited = std::expected<std::string, std::string>;

// The value of a key, in the place of what is there, or behind it where there is none.
Edited with_value(std::string_view text, const Path& path, const Value& value);

// One more entry at the end of a list, which is made if there is none. An entry that is there
// already stays alone.
Edited with_item(std::string_view text, const Path& path, const std::string& item);

// Without that key, and without the sections that would be empty then. A comment on its own line
// stays; one behind the key goes with it. A key that is not there is an error.
Edited without(std::string_view text, const Path& path);

}  // namespace husk::yaml
