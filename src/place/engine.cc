#include "place/engine.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "base/terminal_text.h"
#include "os/events.h"
#include "os/file.h"
#include "os/socket.h"
#include "place/http_text.h"

namespace husk::place {
namespace {

namespace fs = std::filesystem;

// An engine under load takes seconds to make a container.
constexpr auto patience = std::chrono::seconds(60);
constexpr size_t largest_answer = 16 << 20;

Error explain(int code, const fs::path& socket) {
    const std::string where = socket.string();
    if (code == ENOENT || code == ECONNREFUSED || code == ENOTDIR)
        return {"container engine", code,
                "nobody listens at " + where +
                    "; start Docker or Podman (systemctl start docker, or podman system service), "
                    "or set container.socket in husk.yaml"};
    if (code == EACCES || code == EPERM)
        return {"container engine", code,
                "this user may not use " + where +
                    "; join its group, or set container.socket in husk.yaml to the socket of a "
                    "Podman of your own (systemctl --user start podman.socket)"};
    return {"container engine", code, where};
}

// What has come so far, and whether more will.
Result<bool> read_more(const os::Fd& socket, std::string& text, const fs::path& where) {
    pollfd readable{socket.get(), POLLIN, 0};
    if (TRY(os::wait_for(std::span(&readable, 1), os::Clock::now() + patience)) == 0)
        return std::unexpected(explain(ETIMEDOUT, where));
    char buffer[16 * 1024];
    const ssize_t got = ::recv(socket.get(), buffer, sizeof buffer, 0);
    if (got < 0) return std::unexpected(explain(errno, where));
    text.append(buffer, static_cast<size_t>(got));
    if (text.size() > largest_answer) return std::unexpected(explain(EMSGSIZE, where));
    return got > 0;
}

Error not_http(const fs::path& where) {
    return {"container engine", 0,
            where.string() +
                " does not answer as an engine; container.socket in husk.yaml must "
                "be the API socket of Docker or Podman"};
}

Result<Head> hear_head(const os::Fd& socket, std::string& text, const fs::path& where) {
    for (;;) {
        if (const auto head = read_head(text)) {
            if (head->status == 0) return std::unexpected(not_http(where));
            return *head;
        }
        if (!TRY(read_more(socket, text, where))) return std::unexpected(not_http(where));
    }
}

Result<Engine::Reply> hear(const os::Fd& socket, const fs::path& where) {
    std::string text;
    const Head head = TRY(hear_head(socket, text, where));
    bool closed = false;
    for (;;) {
        if (const auto body = read_body(head, text, closed))
            return Engine::Reply{head.status, Json::parse(*body, nullptr, false)};
        if (closed) return std::unexpected(not_http(where));
        closed = !TRY(read_more(socket, text, where));
    }
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
}

}  // namespace

const Json& part(const Json& object, const char* name) {
    static const Json none;
    if (!object.is_object()) return none;
    const auto found = object.find(name);
    return found == object.end() ? none : *found;
}

std::string text_in(const Json& object, const char* name) {
    const Json& text = part(object, name);
    return text.is_string() ? text.get<std::string>() : "";
}

std::string Engine::Reply::message() const {
    for (const char* name : {"message", "cause"})
        if (const std::string said = text_in(body, name); !said.empty())
            return text::one_line(said);
    return "status " + std::to_string(status);
}

Result<os::Fd> Engine::connect() const {
    const auto dir = os::open(socket_.parent_path(), O_PATH | O_DIRECTORY);
    if (!dir) return std::unexpected(explain(dir.error().code, socket_));
    auto socket = os::connect_at(*dir, socket_.filename().string(), SOCK_STREAM);
    if (!socket) return std::unexpected(explain(socket.error().code, socket_));
    return socket;
}

Result<Engine::Reply> Engine::ask(std::string_view method, const std::string& path,
                                  const Json& body) const {
    const os::Fd socket = TRY(connect());
    const std::string text = body.is_null() ? "" : body.dump();
    CHECK(os::write_all(socket.get(), request_text(method, path, text, "Connection: close\r\n")));
    return hear(socket, socket_);
}

Result<Engine::Line> Engine::connect_to(const std::string& path, const Json& body) const {
    Line line{.socket = TRY(connect()), .received = {}};
    CHECK(os::write_all(
        line.socket.get(),
        request_text("POST", path, body.dump(), "Connection: Upgrade\r\nUpgrade: tcp\r\n")));
    const Head head = TRY(hear_head(line.socket, line.received, socket_));
    constexpr int switched = 101;
    constexpr int good = 200;
    if (head.status != switched && head.status != good)
        return failure("container engine", 0,
                       path + " was answered with status " + std::to_string(head.status));
    line.received.erase(0, head.size);
    return line;
}

fs::path usual_socket() {
    constexpr std::string_view local = "unix://";
    if (const std::string host = variable("DOCKER_HOST"); host.starts_with(local))
        return host.substr(local.size());
    std::vector<fs::path> places;
    if (const fs::path own = variable("XDG_RUNTIME_DIR"); own.is_absolute()) {
        places.push_back(own / "podman" / "podman.sock");
        places.push_back(own / "docker.sock");
    }
    places.emplace_back("/run/docker.sock");
    places.emplace_back("/run/podman/podman.sock");
    for (const fs::path& place : places)
        if (::access(place.c_str(), W_OK) == 0) return place;
    return "/run/docker.sock";
}

}  // namespace husk::place
