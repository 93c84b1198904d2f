// Where a session has no PID namespace, the process that its nursery was made by stays outside of
// the walls: no command can signal it, and when the nursery is gone it ends all that is left.
#pragma once

namespace guard {

// Until that child is dead, and then until nothing of the session lives.
// `serve` takes what comes in on the socket; false: nobody will ask any more.
[[noreturn]] void watch(int nursery, int socket, bool (*serve)(int socket));

}  // namespace guard
