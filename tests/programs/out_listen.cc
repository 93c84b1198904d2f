// out_listen FILE: takes a free port and prints its number; listens on it once FILE exists.
// Lives for a minute at most.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    ::alarm(60);
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) != 0) return 1;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 1;
    std::printf("%d\n", ntohs(address.sin_port));
    std::fflush(stdout);
    while (::access(argv[1], F_OK) != 0) ::usleep(5000);
    if (::listen(socket, 1) != 0) return 1;
    for (;;) ::pause();
}
