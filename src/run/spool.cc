#include "run/spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>

#include "os/file.h"
#include "os/procfs.h"
#include "run/blank_pool.h"
#include "run/removed_numbers.h"

namespace husk::run {
namespace {

constexpr size_t most_ahead = 8;

void copy_text(char* to, size_t room, const std::string& text) {
    std::memcpy(to, text.data(), std::min(text.size(), room - 1));
}

// A new file, or an old one that was emptied. It is not emptied again here: ext4 writes a file
// that was just truncated to the disk when it is closed, and the call would wait for that.
Result<os::Fd> make_file(const SessionDir& session, const os::Fd& dir, const std::string& name,
                         int flags) {
    if (take_blank(session.blank, dir, name)) return os::open_at(dir, name, flags);
    if (errno == EEXIST) return failure("rename", EEXIST, name);
    return os::open_at(dir, name, flags | O_CREAT | O_EXCL, 0600);
}

// In use: not to be emptied under whoever has it. False when somebody who makes room was faster,
// and the file has become somebody else's.
bool hold(const SessionDir& session, const os::Fd& record, const std::string& name) {
    struct stat held{};
    struct stat named{};
    return ::flock(record.get(), LOCK_SH) == 0 && ::fstat(record.get(), &held) == 0 &&
           ::fstatat(session.records.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

// The first number whose record nobody has made.
Result<BlankFiles> make_blank_files(SessionDir& session) {
    for (;;) {
        BlankFiles blank;
        blank.number = session.next_number.fetch_add(1);
        const std::string name = std::to_string(blank.number);
        auto record = make_file(session, session.records, name, O_RDWR);
        if (!record && record.error().code == EEXIST) continue;
        blank.record = TRY(std::move(record));
        if (!hold(session, blank.record, name)) continue;
        // Another caller has used it, and removed what came to nothing.
        if (blank.number <= highest_removed(session.dir)) {
            ::unlinkat(session.records.get(), name.c_str(), 0);
            continue;
        }
        auto log = make_file(session, session.logs, name + ".log", O_RDWR | O_APPEND);
        if (!log) {
            remove_call_files(session, blank.number);
            return std::unexpected(log.error());
        }
        blank.log = std::move(*log);
        return blank;
    }
}

Result<BlankFiles> take_blank_files(SessionDir& session) {
    {
        const std::lock_guard lock(session.ahead_guard);
        if (!session.ahead.empty()) {
            BlankFiles blank = std::move(session.ahead.back());
            session.ahead.pop_back();
            return blank;
        }
    }
    return make_blank_files(session);
}

Result<void> fill(SessionDir& session, CallFiles& files, record::Record& page,
                  const std::string& call, bool split) {
    page.magic = record::magic;
    page.version = record::version;
    page.header_size = sizeof page;
    page.state = record::State::Prepared;
    page.uid = ::geteuid();
    page.creator = static_cast<uint32_t>(::getpid());
    page.number = files.number;
    page.call_bytes = call.size();
    copy_text(page.boot_id, sizeof page.boot_id, os::boot_id());
    copy_text(page.shell_id, sizeof page.shell_id, files.shell_id);

    // All of it is written now, so that the ending finds its place on a disk that is full.
    std::string content(reinterpret_cast<const char*>(&page), sizeof page);
    content += call;
    CHECK(os::write_all(files.record.get(), content));

    if (!split) return {};
    const std::string name = std::to_string(files.number) + ".err";
    files.error_log = TRY(make_file(session, session.logs, name, O_RDWR | O_APPEND));
    files.error_log_path = session.path / "log" / name;
    return {};
}

Error advise(Error error, const SessionDir& session) {
    error.detail = session.path.string() +
                   "; make room, or choose another state directory with --state or HUSK_STATE";
    return error;
}

}  // namespace

void remove_call_files(const SessionDir& session, uint64_t number) {
    const std::string name = std::to_string(number);
    ::unlinkat(session.logs.get(), (name + ".log").c_str(), 0);
    ::unlinkat(session.logs.get(), (name + ".err").c_str(), 0);
    // The audit may know the number: another call must not get it. An empty record keeps it too.
    if (note_removed(session.dir, number)) {
        ::unlinkat(session.records.get(), name.c_str(), 0);
    } else {
        std::ignore = os::open_at(session.records, name, O_WRONLY | O_TRUNC);
    }
}

Result<CallFiles> make_call_files(SessionDir& session, record::Record page, const std::string& call,
                                  bool split) {
    auto blank = take_blank_files(session);
    if (!blank) return std::unexpected(advise(blank.error(), session));
    CallFiles files;
    files.number = blank->number;
    files.record = std::move(blank->record);
    files.log = std::move(blank->log);
    const std::string number = std::to_string(files.number);
    files.shell_id = session.id + "-" + number;
    files.log_path = session.path / "log" / (number + ".log");
    if (auto filled = fill(session, files, page, call, split); !filled) {
        remove_call_files(session, files.number);
        return std::unexpected(advise(filled.error(), session));
    }
    return files;
}

void make_files_ahead(SessionDir& session) {
    size_t wanted = 0;
    {
        const std::lock_guard lock(session.ahead_guard);
        if (!session.ahead.empty() || session.making_ahead) return;
        session.making_ahead = true;
        wanted = session.next_ahead;
        session.next_ahead = std::min(wanted + 1, most_ahead);
    }
    std::vector<BlankFiles> made;
    while (made.size() < wanted) {
        auto blank = make_blank_files(session);
        if (!blank) break;  // the next call will say why
        made.push_back(std::move(*blank));
    }
    std::ranges::reverse(made);  // they are taken from the back: the lowest number first
    const std::lock_guard lock(session.ahead_guard);
    std::ranges::move(made, std::back_inserter(session.ahead));
    session.making_ahead = false;
}

}  // namespace husk::run
