#include "run/state_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "base/id.h"
#include "os/file.h"
#include "run/removed_numbers.h"

namespace husk::run {
namespace {

constexpr const char* last_removed = "last";

namespace fs = std::filesystem;

constexpr int id_letters = 6;
constexpr const char* what_to_do = "choose another state directory with --state or HUSK_STATE";

// Parents as well; those that are there already are not ours to judge.
Result<void> make_with_parents(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return {};
    if (path.has_parent_path() && path.parent_path() != path)
        CHECK(make_with_parents(path.parent_path()));
    return os::make_directory(path);
}

constexpr int directory = O_RDONLY | O_DIRECTORY;

Result<void> open_parts(const StateDir& state, SessionDir& session) {
    session.path = state.path() / "sessions" / session.id;
    session.dir = TRY(os::open_at(state.sessions(), session.id, directory));
    session.logs = TRY(os::open_at(session.dir, "log", directory));
    session.records = TRY(os::open_at(session.dir, "rec", directory));
    session.lock = TRY(os::open_at(session.dir, "lock", O_RDWR | O_CREAT, 0600));
    session.blank = TRY(os::open_at(state.dir(), "blank", directory));
    return {};
}

// A directory with a name that nobody has had; the parts are there before anybody sees it.
Result<std::unique_ptr<SessionDir>> make_session(const StateDir& state, const std::string& name) {
    for (;;) {
        auto session = std::make_unique<SessionDir>();
        session->id = random_id(id_letters);
        session->name = name;
        if (::mkdirat(state.sessions().get(), session->id.c_str(), 0700) != 0) {
            if (errno == EEXIST) continue;
            return std::unexpected(advise({"mkdirat", errno, ""}, state.path() / "sessions"));
        }
        session->dir = TRY(os::open_at(state.sessions(), session->id, directory));
        CHECK(os::make_directory_at(session->dir, "log"));
        CHECK(os::make_directory_at(session->dir, "rec"));
        CHECK(open_parts(state, *session));
        if (!name.empty()) CHECK(os::write_all(session->lock.get(), name + "\n"));
        return session;
    }
}

// Numbers go on where an earlier nursery of the session stopped.
Result<uint64_t> first_free_number(const SessionDir& session) {
    uint64_t last = 0;
    for (const std::string& name : TRY(os::list(session.records))) {
        uint64_t number = 0;
        std::from_chars(name.data(), name.data() + name.size(), number);
        last = std::max(last, number);
    }
    return std::max(last, highest_removed(session.dir)) + 1;
}

uint64_t number_in(const os::Fd& file) {
    constexpr size_t digits = 20;
    const std::string text = os::read_at(file, 0, digits).value_or("");
    uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

uint64_t highest_removed(const os::Fd& session_dir) {
    const auto file = os::open_at(session_dir, last_removed, O_RDONLY);
    return file ? number_in(*file) : 0;
}

bool note_removed(const os::Fd& session_dir, uint64_t number) {
    const auto file = os::open_at(session_dir, last_removed, O_RDWR | O_CREAT, 0600);
    if (!file || ::flock(file->get(), LOCK_EX) != 0) return false;
    if (number_in(*file) >= number) return true;
    // Over the old digits: a number that grows never has fewer.
    const std::string text = std::to_string(number);
    return ::pwrite(file->get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

Error advise(Error error, const fs::path& path) {
    error.detail = path.string() + "; " + what_to_do;
    return error;
}

Result<StateDir> StateDir::open_for_reading(const fs::path& path) {
    StateDir state;
    state.path_ = path.empty() ? default_state_path() : fs::absolute(path);
    auto dir = os::open(state.path_, directory);
    if (!dir && dir.error().code == ENOENT) return state;
    if (!dir) return std::unexpected(advise(dir.error(), state.path_));
    state.dir_ = std::move(*dir);
    auto sessions = os::open_at(state.dir_, "sessions", directory);
    if (!sessions && sessions.error().code == ENOENT) return state;
    if (!sessions) return std::unexpected(advise(sessions.error(), state.path_ / "sessions"));
    state.sessions_ = std::move(*sessions);
    return state;
}

Result<StateDir> StateDir::open_or_make(const fs::path& path) {
    const fs::path where = path.empty() ? default_state_path() : fs::absolute(path);
    if (auto made = make_with_parents(where); !made)
        return std::unexpected(advise(made.error(), where));
    for (const char* part : {"sessions", "blank"})
        if (auto made = os::make_directory(where / part); !made)
            return std::unexpected(advise(made.error(), where));
    StateDir state = TRY(open_for_reading(where));
    // Locks, mappings and notices are not to be trusted there.
    if (os::is_network_file_system(state.dir_))
        return std::unexpected(advise({"network file system", 0, ""}, where));
    os::spread_directories_in(state.sessions_);
    return state;
}

SessionDir::~SessionDir() {
    for (const BlankFiles& unused : ahead) {
        const std::string number = std::to_string(unused.number);
        ::unlinkat(logs.get(), (number + ".log").c_str(), 0);
        ::unlinkat(records.get(), number.c_str(), 0);
    }
}

bool is_session_name(const std::string& name) {
    const auto allowed = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
    };
    return !name.empty() && name.size() <= 64 && name[0] != '.' &&
           std::ranges::all_of(name, allowed);
}

Result<void> check_session_name(const std::string& name) {
    if (is_session_name(name)) return {};
    return failure("session name", 0,
                   "\"" + name + "\": use up to 64 letters, digits, dots, dashes, underscores");
}

Result<std::unique_ptr<SessionDir>> make_private_session(const StateDir& state) {
    return make_session(state, "");
}

Result<std::unique_ptr<SessionDir>> find_or_make_session(const StateDir& state,
                                                         const std::string& name) {
    CHECK(check_session_name(name));
    if (auto made = os::make_directory_at(state.dir(), "names"); !made)
        return std::unexpected(advise(made.error(), state.path() / "names"));
    const os::Fd names = TRY(os::open_at(state.dir(), "names", directory));
    for (;;) {
        char target[256] = {};
        if (::readlinkat(names.get(), name.c_str(), target, sizeof target - 1) > 0) {
            auto session = std::make_unique<SessionDir>();
            session->id = fs::path(target).filename().string();
            session->name = name;
            if (open_parts(state, *session)) {
                session->next_number = TRY(first_free_number(*session));
                return session;
            }
            ::unlinkat(names.get(), name.c_str(), 0);  // its directory has been cleared away
        } else if (errno != ENOENT) {
            return failure("readlink", errno, (state.path() / "names" / name).string());
        }
        auto session = TRY(make_session(state, name));
        const std::string link = "../sessions/" + session->id;
        if (::symlinkat(link.c_str(), names.get(), name.c_str()) == 0) return session;
        if (errno != EEXIST) return failure("symlinkat", errno, name);
        // Somebody was faster; theirs is the session. Ours goes.
        std::error_code ignored;
        fs::remove_all(session->path, ignored);
    }
}

}  // namespace husk::run
