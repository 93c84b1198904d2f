// swap A B: exchanges two names all the time, as fast as it can. Ends by itself after two minutes.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

int main(int count, char** words) {
    constexpr time_t longest = 120;
    if (count != 3) return 2;
    for (const time_t end = ::time(nullptr) + longest; ::time(nullptr) < end;)
        for (int i = 0; i < 1000; ++i)
            ::syscall(SYS_renameat2, AT_FDCWD, words[1], AT_FDCWD, words[2], RENAME_EXCHANGE);
}
