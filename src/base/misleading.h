// Characters that show a reader something else than what is there.
#pragma once

namespace husk::text {

// Controls, which a terminal acts on, marks that turn the direction of what follows or begin a line
// that is none, and what has no width. Newlines and tabs are controls too.
bool is_misleading(char32_t code);

}  // namespace husk::text
