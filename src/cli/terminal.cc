#include "cli/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

#include "base/terminal_text.h"
#include "base/units.h"
#include "cli/setting_option.h"
#include "tool/configuration.h"

namespace husk::cli {
namespace {

template <class T, class Parse>
CLI::Option* add_with_unit(CLI::App& app, const std::string& name, std::optional<T>& value,
                           const std::string& description, Parse parse, const char* expected) {
    return app.add_option_function<std::string>(
        name,
        [&value, name, parse, expected](const std::string& text) {
            value = parse(text);
            if (!value) throw CLI::ValidationError(name, "\"" + text + "\" is not " + expected);
        },
        description);
}

}  // namespace

int fail(const std::string& message) {
    write_out(STDERR_FILENO, "husk: " + text::one_line(message) + "\n");
    return husk_failed;
}

int fail(const Error& error) { return fail(error.text()); }

std::string read_up_to(int fd, size_t most) {
    std::string text;
    char piece[64 * 1024];
    while (text.size() < most) {
        const ssize_t got = ::read(fd, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        text.append(piece, static_cast<size_t>(got));
    }
    return text;
}

bool write_out(int fd, std::string_view text) {
    return ::isatty(fd) == 0 ? write_bytes(fd, text) : write_bytes(fd, text::for_terminal(text));
}

bool write_bytes(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

Wrote write_until(int fd, std::string_view text, const std::function<bool()>& enough) {
    struct stat info{};
    const bool file = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (file) return write_bytes(fd, text) ? Wrote::All : Wrote::NobodyReads;
    // What is ready for writing takes this much without making us wait.
    constexpr size_t at_once = 4096;
    constexpr int look_again_ms = 20;
    while (!text.empty()) {
        if (enough()) return Wrote::Part;
        pollfd wanted{fd, POLLOUT, 0};
        const int ready = ::poll(&wanted, 1, look_again_ms);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        const ssize_t written = ::write(fd, text.data(), std::min(text.size(), at_once));
        if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (written < 0) return Wrote::NobodyReads;
        text.remove_prefix(static_cast<size_t>(written));
    }
    return Wrote::All;
}

void add_raw(CLI::App& app, Escapes& escapes) {
    app.add_flag_callback(
        "--raw", [&escapes] { escapes = Escapes::Raw; },
        "Let all escape sequences of the command reach the terminal");
}

OutputFilter::OutputFilter(int fd, Escapes escapes)
    : filters_(escapes == Escapes::Filtered && ::isatty(fd) != 0) {}

std::string OutputFilter::pass(std::string piece) {
    return filters_ ? filter_.pass(piece) : std::move(piece);
}

std::string OutputFilter::finish() { return filters_ ? filter_.finish() : ""; }

size_t terminal_width() {
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

render::Look::Colours colours_for(int fd) {
    const auto given = [](const char* name) {
        const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
        return std::string_view(value == nullptr ? "" : value);
    };
    const bool wanted = ::isatty(fd) != 0 && given("NO_COLOR").empty() && given("TERM") != "dumb";
    return wanted ? render::Look::Colours::Terminal : render::Look::Colours::None;
}

CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::milliseconds>& value,
                          const std::string& description) {
    return add_with_unit(app, name, value, description, text::parse_duration,
                         "a duration such as 500ms, 30s, 5m or 1h");
}

CLI::Option* add_size(CLI::App& app, const std::string& name, std::optional<uint64_t>& value,
                      const std::string& description) {
    return add_with_unit(app, name, value, description, text::parse_size,
                         "a size such as 30000, 256K or 64M");
}

void add_state(CLI::App& app, Settings& settings) {
    app.add_option_function<std::string>(
        "--state",
        [&settings](const std::string& path) { settings.state = absolute("--state", path); },
        state_description);
    app.parse_complete_callback([&settings] {
        const char* chosen = std::getenv("HUSK_STATE");  // NOLINT(concurrency-mt-unsafe)
        if (!settings.state.empty() || (chosen != nullptr && *chosen != '\0')) return;
        const auto configuration = tool::read_configuration("", {});
        if (!configuration) {
            const Complaint& first = configuration.error().front();
            throw std::runtime_error(to_text(first.where) + ": " + first.message);
        }
        settings.state = tool::state_directory_of(configuration->settings);
    });
}

CLI::Option* add_config(CLI::App& app, std::string& file) {
    return app.add_option(
        "--config", file,
        "The only husk.yaml to go by (default: $HUSK_CONFIG, else the user's and ./husk.yaml)");
}

int exit_status(const Report& report) {
    if (const auto code = exit_code(report.ending)) return *code;
    if (std::holds_alternative<TimedOut>(report.ending)) return timed_out;
    if (std::holds_alternative<LimitExceeded>(report.ending)) return timed_out;
    if (std::holds_alternative<Denied>(report.ending)) return denied;
    if (std::holds_alternative<Running>(report.ending)) return 0;
    return husk_failed;
}

}  // namespace husk::cli
