// Makes sockets of the session's network for whoever serves the ports that the session publishes.
#pragma once

namespace inside_sockets {

class InsideSockets {
public:
    // Takes the socket on which it is asked (inside_socket.h).
    void begin(int socket);
    int asked() const { return socket_; }
    // Called when the socket has something.
    void answer();

private:
    int socket_ = -1;
};

}  // namespace inside_sockets
