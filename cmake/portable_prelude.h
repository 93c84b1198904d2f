// Comes before every portable source. The C library and the standard library include headers of
// Linux themselves; they do it here, and never again in the same source. From then on such a header
// is refused, so it can only have been asked for by a source of ours (cmake/Portable.cmake).
#pragma once

#define HUSK_C_LIBRARY_INCLUDES

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/param.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <memory>

#undef HUSK_C_LIBRARY_INCLUDES
