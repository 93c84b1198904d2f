// A container engine that speaks Docker's API on a local socket: Docker, or Podman.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

namespace husk::place {

using Json = nlohmann::json;

// A part of what an engine has said; null where there is no such thing.
const Json& part(const Json& object, const char* name);
std::string text_in(const Json& object, const char* name);

class Engine {
public:
    explicit Engine(std::filesystem::path socket) : socket_(std::move(socket)) {}

    struct Reply {
        int status = 0;
        Json body = {};

        bool is_good() const { return status >= 200 && status < 300; }
        // What the engine says about its refusal.
        std::string message() const;
    };
    // One request, on a connection of its own. An error is that nobody answers.
    Result<Reply> ask(std::string_view method, const std::string& path,
                      const Json& body = nullptr) const;

    // A connection that is no longer HTTP when the request has been accepted.
    struct Line {
        os::Fd socket;
        std::string received;  // already
    };
    Result<Line> connect_to(const std::string& path, const Json& body) const;

    const std::filesystem::path& socket() const { return socket_; }

private:
    Result<os::Fd> connect() const;

    std::filesystem::path socket_;
};

// Where an engine usually listens: the first of $DOCKER_HOST and the sockets of Podman and Docker
// that is there; that of Docker when none is.
std::filesystem::path usual_socket();

}  // namespace husk::place
