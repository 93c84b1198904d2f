#include "place/carrier.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <tuple>

#include "base/id.h"
#include "base/utf8.h"
#include "os/events.h"
#include "os/file.h"
#include "place/engine.h"
#include "place/http_text.h"
#include "place/streams.h"
#include "place/warden_wire.h"

namespace husk::place {
namespace {

constexpr int cannot_carry = 125;

// Whatever somebody may ask a command with. What cannot be caught ends this process, and that ends
// the command.
constexpr std::array passed_on = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

std::string frame(char kind, std::string_view content) {
    std::string text(1, kind);
    for (size_t i = 0; i < 4; ++i)
        text += static_cast<char>(static_cast<unsigned char>(content.size() >> (8 * i)));
    return text.append(content);
}

os::Fd hear_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : passed_on) ::sigaddset(&set, signal);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    return os::Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

Result<std::string> make_exec(const Engine& engine, const Errand& errand) {
    Json words = {warden::path, "run", errand.directory};
    for (const std::string& word : errand.command) words.push_back(word);
    // What is no UTF-8 is no JSON, and a command is never changed on its way.
    for (const auto* texts : {&errand.command, &errand.env})
        if (!std::ranges::all_of(*texts, [](const auto& text) { return text::is_utf8(text); }))
            return failure("container", EILSEQ, "commands and variables must be UTF-8 there");
    const Json body = {{"AttachStdin", true}, {"AttachStdout", true}, {"AttachStderr", true},
                       {"Tty", false},        {"Env", errand.env},    {"Cmd", words},
                       {"WorkingDir", "/"}};
    const auto made =
        TRY(engine.ask("POST", "/containers/" + escaped(errand.container.id) + "/exec", body));
    if (!made.is_good())
        return failure("container engine", 0, "cannot run a command: " + made.message());
    return text_in(made.body, "Id");
}

// The connection to the warden, until nothing of the command is left.
class Carrier {
public:
    Carrier(Engine engine, std::string exec, Engine::Line line, os::Fd signals, int told)
        : engine_(std::move(engine)),
          exec_(std::move(exec)),
          line_(std::move(line)),
          signals_(std::move(signals)),
          told_(told),
          secret_(random_id(static_cast<int>(warden::secret_size))),
          streams_{Sieve(secret_), Sieve(secret_)},
          to_send_(secret_) {}

    void carry() {
        bool open = take(line_.received);
        while (open) open = wait_once();
        for (size_t i = 0; i < streams_.size(); ++i) say(i, streams_[i].rest());
        if (!has_told_) tell(code_at_end());
    }

private:
    // False when the connection is over.
    bool wait_once() {
        const bool reads_input = !input_ended_ && to_send_.empty();
        std::array<pollfd, 3> fds = {
            {{line_.socket.get(), static_cast<short>(POLLIN | (to_send_.empty() ? 0 : POLLOUT)), 0},
             {signals_.get(), POLLIN, 0},
             {reads_input ? STDIN_FILENO : -1, POLLIN, 0}}};
        if (!os::wait_for(fds, std::nullopt)) return false;
        if (fds[1].revents != 0) pass_signals();
        if (fds[2].revents != 0) pass_input();
        if (!to_send_.empty()) send_some();
        return (fds[0].revents & ~POLLOUT) == 0 || receive();
    }

    void pass_signals() {
        signalfd_siginfo one{};
        while (::read(signals_.get(), &one, sizeof one) == sizeof one)
            to_send_ +=
                frame(warden::frame_signal, std::string(1, static_cast<char>(one.ssi_signo)));
    }

    void pass_input() {
        std::string text(warden::largest_frame, '\0');
        const ssize_t got = ::read(STDIN_FILENO, text.data(), text.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
        input_ended_ = got <= 0;
        text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
        to_send_ += input_ended_ ? frame(warden::frame_end, "") : frame(warden::frame_input, text);
    }

    void send_some() {
        const ssize_t sent = ::send(line_.socket.get(), to_send_.data(), to_send_.size(),
                                    MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) to_send_.erase(0, static_cast<size_t>(sent));
        if (sent < 0 && errno != EAGAIN && errno != EINTR) to_send_.clear();
    }

    bool receive() {
        char buffer[64 * 1024];
        const ssize_t got = ::recv(line_.socket.get(), buffer, sizeof buffer, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
        return got > 0 && take({buffer, static_cast<size_t>(got)});
    }

    bool take(std::string_view bytes) {
        const bool understood = apart_.take(bytes, [&](int stream, std::string_view piece) {
            const size_t which = stream == 2 ? 1 : 0;
            say(which, streams_[which].take(piece));
        });
        // Both have brought the note: nothing of before the end is still under way.
        if (!has_told_ && streams_[0].code() && streams_[1].code()) tell(*streams_[0].code());
        return understood;
    }

    static void say(size_t which, const std::string& text) {
        std::ignore = os::write_all(which == 0 ? STDOUT_FILENO : STDERR_FILENO, text);
    }

    void tell(int code) {
        std::ignore = ::write(told_, &code, sizeof code);
        has_told_ = true;
    }

    // The engine knows it a moment after the connection has ended.
    int code_at_end() const {
        const auto give_up = os::Clock::now() + std::chrono::seconds(5);
        std::string why = "the engine has hung up";
        while (os::Clock::now() < give_up) {
            const auto found = engine_.ask("GET", "/exec/" + escaped(exec_) + "/json");
            if (found && part(found->body, "Running") == false &&
                part(found->body, "ExitCode").is_number_integer())
                return part(found->body, "ExitCode").get<int>();
            if (found && !found->is_good()) why = "the container has ended: " + found->message();
            std::ignore = os::wait_for({}, os::Clock::now() + std::chrono::milliseconds(20));
        }
        std::fprintf(stderr, "husk: %s\n", why.c_str());
        return cannot_carry;
    }

    Engine engine_;
    std::string exec_;
    Engine::Line line_;
    os::Fd signals_;
    int told_;
    std::string secret_;
    Apart apart_;
    std::array<Sieve, 2> streams_;
    std::string to_send_;
    bool input_ended_ = false;
    bool has_told_ = false;
};

Result<void> run_errand(const Errand& errand, int told) {
    os::Fd signals = hear_signals();
    const Engine engine(errand.container.socket);
    const std::string exec = TRY(make_exec(engine, errand));
    Engine::Line line = TRY(engine.connect_to("/exec/" + escaped(exec) + "/start",
                                              {{"Detach", false}, {"Tty", false}}));
    Carrier(engine, exec, std::move(line), std::move(signals), told).carry();
    return {};
}

}  // namespace

int carry(const Errand& errand) {
    int told[2];
    if (::pipe2(told, O_CLOEXEC) != 0) return cannot_carry;
    const pid_t child = ::fork();
    if (child < 0) return cannot_carry;
    if (child == 0) {
        ::close(told[0]);
        const auto done = run_errand(errand, told[1]);
        if (!done) std::fprintf(stderr, "husk: %s\n", done.error().text().c_str());
        std::fflush(nullptr);
        ::_exit(cannot_carry);
    }
    ::close(told[1]);
    // They are for the child, which is of the same tree and has them passed on.
    for (const int signal : passed_on) std::signal(signal, SIG_IGN);
    int code = cannot_carry;
    while (::read(told[0], &code, sizeof code) < 0 && errno == EINTR) {
    }
    // It ends at once when nothing is left inside; what is not gone by then lives on.
    constexpr auto moment = std::chrono::milliseconds(20);
    const auto give_up = os::Clock::now() + moment;
    while (::waitpid(child, nullptr, WNOHANG) == 0 && os::Clock::now() < give_up)
        std::ignore = os::wait_for({}, os::Clock::now() + std::chrono::milliseconds(1));
    return code;
}

}  // namespace husk::place
