#include "tool/spilled_output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <tuple>

#include "base/id.h"
#include "base/text.h"
#include "collect/retention.h"
#include "collect/stream.h"
#include "os/file.h"
#include "run/session_table.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

// Lines of a ledger: first whose files these are, then the files.
constexpr std::string_view of_server = "server";
constexpr std::string_view of_session = "session ";
constexpr std::string_view file_line = "file ";
constexpr std::string_view shell_line = "shell ";
constexpr std::string_view name_start = "bash-";
constexpr std::string_view name_end = ".log";
constexpr size_t longest_ledger = size_t{16} << 20;

enum class Missing { IsMade, IsAnError };

// The directory, one part after the other. A command may have put a link on the path, so none is
// followed.
Result<os::Fd> open_directory(const fs::path& path, Missing missing) {
    os::Fd directory = TRY(os::open("/", O_PATH | O_DIRECTORY));
    for (const fs::path& part : path.relative_path()) {
        if (part.empty()) continue;
        if (missing == Missing::IsMade) {
            const Result<void> made = os::make_directory_at(directory, part);
            if (!made) return failure("mkdir", made.error().code, path.string());
        }
        auto next = os::open_at(directory, part, O_PATH | O_DIRECTORY | O_NOFOLLOW);
        if (!next) return failure("open", next.error().code, path.string());
        directory = std::move(*next);
    }
    return directory;
}

// Bytes that were not kept are a hole: an offset in the file is an offset in the output.
Result<void> copy_output(const collect::ShellFiles& shell, const os::Fd& file) {
    constexpr size_t chunk = size_t{1} << 20;
    for (uint64_t at = 0;;) {
        const collect::Piece piece =
            TRY(collect::read_from(shell, collect::Which::Output, at, chunk));
        if (piece.bytes.empty()) return {};
        for (size_t done = 0; done < piece.bytes.size();) {
            const ssize_t wrote =
                ::pwrite(file.get(), piece.bytes.data() + done, piece.bytes.size() - done,
                         static_cast<off_t>(piece.at + done));
            if (wrote < 0 && errno == EINTR) continue;
            if (wrote < 0) return failure("write", errno, "");
            done += static_cast<size_t>(wrote);
        }
        at = piece.end();
    }
}

// Held while a ledger is made or looked for, because an unlocked ledger counts as abandoned.
Result<os::Fd> lock_ledgers(const fs::path& state) {
    const fs::path path = state / "spilled";
    CHECK(os::make_directory(path));
    os::Fd directory = TRY(os::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    if (::flock(directory.get(), LOCK_EX) != 0) return failure("flock", errno, path.string());
    return directory;
}

// Only a file that still has its name is removed: a moved one is the user's.
void remove_file(const fs::path& path) {
    const std::string name = path.filename();
    if (!name.starts_with(name_start) || !name.ends_with(name_end)) return;
    const auto directory = open_directory(path.parent_path(), Missing::IsAnError);
    if (directory) ::unlinkat(directory->get(), name.c_str(), 0);
}

void remove_listed(const fs::path& state_path, std::string_view ledger) {
    const auto state = run::StateDir::open_for_reading(state_path);
    for (const std::string_view line : text::split_lines(ledger)) {
        if (line.starts_with(file_line)) remove_file(line.substr(file_line.size()));
        if (line.starts_with(shell_line) && state)
            std::ignore =
                collect::remove_shell(*state, std::string(line.substr(shell_line.size())));
    }
}

// Whether the server or session that owns the files has ended. The caller has locked the ledger.
bool is_abandoned(std::string_view ledger, const std::vector<run::SessionInfo>& sessions) {
    const std::string_view owner = ledger.substr(0, ledger.find('\n'));
    if (!owner.starts_with(of_session)) return true;
    const std::string_view id = owner.substr(of_session.size());
    return std::ranges::none_of(sessions, [&](const run::SessionInfo& session) {
        return session.id == id && session.nursery != 0;
    });
}

std::string session_of(const std::string& shell_id) {
    return shell_id.substr(0, shell_id.rfind('-'));
}

}  // namespace

SpilledOutput::SpilledOutput(fs::path state, fs::path directory, Until until)
    : state_(std::move(state)), directory_(std::move(directory)), until_(until) {
    if (const auto opened = run::StateDir::open_for_reading(state_))
        std::ignore = remove_abandoned_output(*opened);
}

SpilledOutput::~SpilledOutput() {
    if (!ledger_) return;
    const auto ledger = os::read_at(ledger_, 0, longest_ledger);
    if (ledger) remove_listed(state_, *ledger);
    ::unlink((state_ / "spilled" / ledger_name_).c_str());
}

Result<fs::path> SpilledOutput::keep(const collect::ShellFiles& shell) {
    auto file = has_directory() ? copy_to_directory(shell) : shell.log_path;
    if (file && has_directory()) return file;
    // Without a server, the log goes with its session anyway.
    if (until_ == Until::ServerEnds) CHECK(note(std::string(shell_line) + shell.id, shell.id));
    return file;
}

Result<fs::path> SpilledOutput::copy_to_directory(const collect::ShellFiles& shell) {
    const fs::path path =
        directory_ / (std::string(name_start) + random_id(10) + std::string(name_end));
    const os::Fd directory = TRY(open_directory(directory_, Missing::IsMade));
    // Noted before the file exists, so that it is found even if this server is killed now.
    CHECK(note(std::string(file_line) + path.string(), shell.id));
    const os::Fd file = TRY(
        os::open_at(directory, path.filename(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
    if (const Result<void> copied = copy_output(shell, file); !copied) {
        ::unlinkat(directory.get(), path.filename().c_str(), 0);
        return failure(copied.error().step, copied.error().code, path.string());
    }
    return path;
}

bool SpilledOutput::has_files() const {
    const std::lock_guard lock(guard_);
    return static_cast<bool>(ledger_);
}

Result<void> SpilledOutput::note(const std::string& line, const std::string& shell_id) {
    if (line.contains('\n'))
        return failure("spill", EINVAL, "the path of the directory has a newline in it");
    const std::lock_guard lock(guard_);
    if (!ledger_) {
        const os::Fd all = TRY(lock_ledgers(state_));
        ledger_name_ = random_id(10);
        os::Fd made = TRY(os::open_at(all, ledger_name_, O_RDWR | O_CREAT | O_EXCL, 0600));
        if (::flock(made.get(), LOCK_EX) != 0) return failure("flock", errno, ledger_name_);
        const std::string owner = until_ == Until::ServerEnds
                                      ? std::string(of_server)
                                      : std::string(of_session) + session_of(shell_id);
        CHECK(os::write_all(made.get(), owner + "\n"));
        ledger_ = std::move(made);
    }
    CHECK(os::write_all(ledger_.get(), line + "\n"));
    if (until_ == Until::SessionEnds) ledger_.reset();
    return {};
}

Result<void> remove_abandoned_output(const run::StateDir& state) {
    std::error_code failed;
    if (!fs::exists(state.path() / "spilled", failed)) return {};
    const os::Fd all = TRY(lock_ledgers(state.path()));
    const std::vector<run::SessionInfo> sessions = TRY(run::list_sessions(state));
    for (const std::string& name : TRY(os::list(all))) {
        const auto ledger = os::open_at(all, name, O_RDONLY | O_NOFOLLOW);
        if (!ledger || ::flock(ledger->get(), LOCK_EX | LOCK_NB) != 0) continue;
        const std::string text = TRY(os::read_at(*ledger, 0, longest_ledger));
        if (!is_abandoned(text, sessions)) continue;
        remove_listed(state.path(), text);
        ::unlinkat(all.get(), name.c_str(), 0);
    }
    return {};
}

}  // namespace husk::tool
