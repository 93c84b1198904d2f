#include "serve/stdio.h"

#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "os/events.h"
#include "render/report_json.h"
#include "serve/outbox.h"

namespace husk::serve {
namespace {

constexpr size_t longest_line = size_t{16} << 20;
constexpr std::chrono::seconds patience(2);

// Lines out of pieces. One that is too long is told as such, once, and left out.
class Lines {
public:
    template <class OnLine, class OnTooLong>
    void add(std::string_view piece, const OnLine& on_line, const OnTooLong& on_too_long) {
        while (!piece.empty()) {
            const size_t newline = piece.find('\n');
            const std::string_view part = piece.substr(0, newline);
            if (!too_long_ && begun_.size() + part.size() > longest_line) {
                too_long_ = true;
                begun_ = {};
                on_too_long();
            }
            if (!too_long_) begun_ += part;
            if (newline == std::string_view::npos) return;
            piece.remove_prefix(newline + 1);
            const bool whole = !std::exchange(too_long_, false);
            const std::string line = std::exchange(begun_, {});
            if (whole && line.find_first_not_of(" \t\r") != std::string::npos) on_line(line);
        }
    }

private:
    std::string begun_;
    bool too_long_ = false;
};

Outbox::Kind kind_of(const Json& message) {
    return may_be_dropped(message) ? Outbox::Kind::MayBeDropped : Outbox::Kind::Needed;
}

}  // namespace

Result<void> serve_stdio(Server& server, int in, int out, const std::stop_token& stop) {
    server.reads_alone = true;
    const os::Bell bell = TRY(os::Bell::make());
    const auto outbox = TRY(Outbox::make(out, [&bell] { bell.ring(); }));
    Connection connection(server, [&outbox](const Json& message) {
        outbox->put(render::dump(message) + "\n", kind_of(message));
    });
    const std::stop_callback ring(stop, [&bell] { bell.ring(); });
    Lines lines;
    char piece[64 * 1024];
    for (;;) {
        pollfd fds[] = {{in, POLLIN, 0}, {bell.fd(), POLLIN, 0}};
        if (!os::wait_for(fds, std::nullopt) || fds[1].revents != 0) break;
        const ssize_t got = ::read(in, piece, sizeof piece);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) break;
        lines.add(
            std::string_view(piece, static_cast<size_t>(got)),
            [&](const std::string& line) {
                outbox->wait_for_room(stop);
                connection.receive(line);
            },
            [&] {
                connection.refuse(
                    {Code::NotARequest,
                     "a message is at most " + std::to_string(longest_line) + " bytes long"});
            });
    }
    connection.close();
    outbox->drain(patience);
    return {};
}

}  // namespace husk::serve
