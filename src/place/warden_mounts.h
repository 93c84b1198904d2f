// What an engine has mounted, looked at from inside before a command may see it.
#pragma once

namespace husk::place::warden {

// Whether each mount that the container's first process was told of is there, of the file that it
// was planned for, and as read-only as that. Else a line on standard error says which is not.
// Where this is another kernel than that of whoever planned, nothing can be compared: true.
bool all_is_mounted_as_planned();

}  // namespace husk::place::warden
