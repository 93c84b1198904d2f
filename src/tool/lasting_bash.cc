#include "tool/lasting_bash.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>

#include "collect/stream.h"
#include "os/file.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;
using collect::Which;
using std::chrono::milliseconds;

constexpr milliseconds next_try(10);

// What the lasting bash runs. Frames come on standard input, each a number and a text that ends
// with NUL, so nothing in a command can be taken for the end of it. Answers go to what was standard
// error: a stream of its own in the spool, where no output of a command can be taken for one. Both
// descriptors are closed for commands; bash keeps copies that no child inherits. The loop of one
// turn is there for a `break` to leave, and $? is what the last command left, unless `set -e` would
// take that for a failure. What `set -x` has to say of all this goes nowhere.
constexpr const char* driver = R"(# A bash that stays from call to call.
exec 98<&0 99>&2 2>&1 </dev/null
__husk_return() { return "$1"; }
__husk_code=0
while { IFS= builtin read -r -d '' -u 98 __husk_frame && IFS= builtin read -r -d '' -u 98 __husk_text; } 2>/dev/null; do
    if { [[ -n $__husk_text ]]; } 2>/dev/null; then
        {
            __husk_before=
            case $- in *e*) ;; *) __husk_before="__husk_return $__husk_code"$'\n' ;; esac
            case $- in *x*) builtin set +x; __husk_before+=$'set -x\n' ;; esac
        } 2>/dev/null
        for __husk_once in 1; do builtin eval "$__husk_before$__husk_text"; done 98<&- 99>&-
        { __husk_code=$?; } 2>/dev/null
    fi
    { builtin printf '\0%s %d %s\0' "$__husk_frame" "$__husk_code" "${PWD:-$(builtin pwd)}" >&99; } 2>/dev/null
done)";

static_assert(std::string_view(driver).starts_with(lasting_mark));

struct Heard {
    uint64_t frame;
    int code;
    std::string directory;
};

template <class Number>
bool take_number(std::string_view& text, Number& number) {
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong != std::errc() || end == text.data() + text.size() || *end != ' ') return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()) + 1);
    return true;
}

// What bash itself has to say while it starts stands there too, and is no answer.
std::optional<Heard> answer_in(std::string_view text) {
    Heard heard{};
    if (!take_number(text, heard.frame) || !take_number(text, heard.code)) return std::nullopt;
    heard.directory = text;
    return heard;
}

Result<void> wait_a_little(const os::Deadline& give_up) {
    const os::Deadline next = os::Clock::now() + next_try;
    CHECK(os::wait_for({}, give_up && *give_up < *next ? give_up : next));
    return {};
}

bool is_over(const os::Deadline& give_up, const std::stop_token& cancel) {
    return cancel.stop_requested() || (give_up && os::Clock::now() >= *give_up);
}

}  // namespace

Result<LastingBash> LastingBash::of(const run::StateDir& state, const Settings& settings,
                                    const std::string& session, const os::Deadline& give_up,
                                    const std::stop_token& cancel) {
    if (!run::is_session_name(session)) return failure("session", EINVAL, session);
    const fs::path all = state.path() / "lasting";
    CHECK(os::make_directory(all));
    CHECK(os::make_directory(all / session));
    const fs::path dir = all / session;
    os::Fd lock = TRY(os::open(dir / "lock", O_RDWR | O_CREAT, 0600));
    while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) return failure("flock", errno, dir.string());
        if (is_over(give_up, cancel))
            return failure("bash", EBUSY, "another call is still talking to it");
        CHECK(wait_a_little(give_up));
    }
    LastingBash bash(settings, dir, std::move(lock));
    CHECK(bash.load());
    return bash;
}

Result<void> LastingBash::load() {
    const auto text = os::read_file(dir_ / "state");
    if (!text && text.error().code == ENOENT) return {};
    if (!text) return std::unexpected(text.error());
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object()) return failure("bash", EINVAL, (dir_ / "state").string());
    shell_id_ = json.value("shell", "");
    sent_ = json.value("sent", uint64_t{0});
    answered_ = json.value("answered", uint64_t{0});
    heard_ = json.value("heard", uint64_t{0});
    told_ = json.value("told", uint64_t{0});
    // A name of bytes that are no text is kept as numbers.
    std::string directory;
    for (const auto& byte : json.value("directory", nlohmann::json::array()))
        directory += static_cast<char>(byte.get<int>());
    directory_ = directory;
    return {};
}

Result<void> LastingBash::save() const {
    nlohmann::json directory = nlohmann::json::array();
    for (const char byte : directory_.string())
        directory.push_back(static_cast<int>(static_cast<unsigned char>(byte)));
    const nlohmann::json json = {{"shell", shell_id_},    {"sent", sent_},
                                 {"answered", answered_}, {"heard", heard_},
                                 {"told", told_},         {"directory", std::move(directory)}};
    return os::replace_file(dir_ / "state", json.dump(), 0600);
}

Result<KnownShell> LastingBash::shell() const { return open_known(settings_, shell_id_); }

Result<void> LastingBash::tell_up_to(uint64_t offset) {
    told_ = offset;
    return save();
}

// Takes in the answers that have come since.
Result<void> LastingBash::hear(const collect::ShellFiles& files) {
    constexpr size_t most = 64 * 1024;
    for (;;) {
        const collect::Piece piece = TRY(collect::read_from(files, Which::Errors, heard_, most));
        const size_t whole = piece.bytes.rfind('\0');
        if (whole == std::string::npos) return {};
        std::string_view text = std::string_view(piece.bytes).substr(0, whole + 1);
        heard_ = piece.at + text.size();
        while (!text.empty()) {
            const std::string_view one = text.substr(0, text.find('\0'));
            text.remove_prefix(one.size() + 1);
            const auto heard = answer_in(one);
            if (!heard || heard->frame > sent_) continue;
            answered_ = heard->frame;
            code_ = heard->code;
            directory_ = heard->directory;
        }
    }
}

// Gives new output to the listener.
Result<void> LastingBash::pass_on(const collect::ShellFiles& files) {
    constexpr size_t most = 64 * 1024;
    while (on_output_) {
        collect::Piece piece = TRY(collect::read_from(files, Which::Output, passed_on_, most));
        if (piece.bytes.empty()) return {};
        const uint64_t end = piece.end();
        on_output_({.offset = piece.at,
                    .bytes = std::move(piece.bytes),
                    .dropped_before = piece.at - passed_on_});
        passed_on_ = end;
    }
    return {};
}

Result<LastingBash::State> LastingBash::state() {
    if (shell_id_.empty()) return State::None;
    const auto known = shell();
    // Its log was cleared away, so it ended long ago.
    if (!known) return State::Ended;
    CHECK(hear(known->files));
    if (!std::holds_alternative<Running>(known->now.ending)) return State::Ended;
    return answered_ == sent_ ? State::Ready : State::Busy;
}

Result<Request> LastingBash::to_start() {
    const fs::path feed = dir_ / "feed";
    if (::unlink(feed.c_str()) != 0 && errno != ENOENT)
        return failure("unlink", errno, feed.string());
    if (::mkfifo(feed.c_str(), 0600) != 0) return failure("mkfifo", errno, feed.string());
    // For both, so that it is never at its end.
    first_feed_ = TRY(os::open(feed, O_RDWR));
    Request request;
    request.command = driver;
    request.description = "the bash of this session";
    request.background = true;
    request.streams = Streams::Split;
    request.leftovers = Leftovers::Kill;
    request.input = InputDescriptor{first_feed_.get()};
    return request;
}

Result<void> LastingBash::started(const std::string& shell_id) {
    first_feed_.reset();
    shell_id_ = shell_id;
    sent_ = answered_ = heard_ = told_ = 0;
    directory_.clear();
    return save();
}

// True when all of it was taken.
Result<bool> LastingBash::send(const std::string& text, const os::Deadline& give_up,
                               const std::stop_token& cancel) {
    auto feed = os::open(dir_ / "feed", O_WRONLY | O_NONBLOCK);
    if (!feed && feed.error().code == ENXIO) return false;  // nobody reads any more
    if (!feed) return std::unexpected(feed.error());
    ++sent_;
    // Before it is sent: whoever comes after a crash must not take this bash for an idle one.
    CHECK(save());
    const std::string frame =
        std::to_string(sent_) + std::string(1, '\0') + text + std::string(1, '\0');
    std::string_view left = frame;
    while (!left.empty()) {
        const ssize_t written = ::write(feed->get(), left.data(), left.size());
        if (written > 0) left.remove_prefix(static_cast<size_t>(written));
        if (written >= 0 || errno == EINTR) continue;
        if (errno == EPIPE) return false;
        if (errno != EAGAIN) return failure("write", errno, (dir_ / "feed").string());
        if (is_over(give_up, cancel)) return false;
        CHECK(wait_a_little(give_up));
    }
    return true;
}

Result<bool> LastingBash::wait_for_answer(const os::Deadline& give_up,
                                          const std::stop_token& cancel) {
    const KnownShell known = TRY(shell());
    const collect::ShellFiles& files = known.files;
    std::vector<int> watched = {files.record.get(), files.error_log.get()};
    if (on_output_) watched.push_back(files.log.get());
    const os::FileWatch watch(watched);
    const os::Bell bell = TRY(os::Bell::make());
    const std::stop_callback ring(cancel, [&bell] { bell.ring(); });
    for (;;) {
        const collect::Snapshot now = TRY(collect::look(files));
        CHECK(hear(files));
        CHECK(pass_on(files));
        if (answered_ == sent_) return true;
        if (!std::holds_alternative<Running>(now.ending) || is_over(give_up, cancel)) return false;
        os::Deadline next = give_up;
        if (const auto interval = watch.interval()) {
            const auto look = os::Clock::now() + *interval;
            if (!next || look < *next) next = look;
        }
        pollfd fds[] = {{watch.fd(), POLLIN, 0}, {bell.fd(), POLLIN, 0}};
        CHECK(os::wait_for(fds, next));
        watch.clear();
    }
}

Result<std::optional<LastingBash::Returned>> LastingBash::run(const std::string& command,
                                                              const os::Deadline& give_up,
                                                              const std::stop_token& cancel) {
    passed_on_ = told_;
    if (!TRY(send(command, give_up, cancel))) return std::nullopt;
    if (!TRY(wait_for_answer(give_up, cancel))) return std::nullopt;
    const Returned returned{code_};
    // Output and answers come by different pipes. The keeper empties that of the output first in
    // each of its rounds; so once a second answer has come, all that was written before the first
    // is in the log.
    constexpr std::chrono::seconds enough(10);
    const os::Deadline soon = os::Clock::now() + enough;
    if (!TRY(send("", soon, {}))) return returned;
    CHECK(wait_for_answer(soon, {}));
    return returned;
}

}  // namespace husk::tool
