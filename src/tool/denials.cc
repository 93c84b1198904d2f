#include "tool/denials.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/terminal_text.h"
#include "base/utf8.h"
#include "confine/opening.h"
#include "confine/seen_file.h"
#include "confine/syscalls.h"
#include "os/file.h"
#include "run/state_dir.h"
#include "tool/revert.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t most_listed = 20;

std::string text_of(const json& line, const char* name) {
    const auto found = line.find(name);
    return found != line.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<uint64_t> number_of(const json& line, const char* name) {
    const auto found = line.find(name);
    if (found == line.end() || !found->is_number_unsigned()) return std::nullopt;
    return found->get<uint64_t>();
}

// The proxy does not know whose connection it was: it is told of to all that ran then.
bool is_of(const json& line, const record::Record& record) {
    const uint64_t at = number_of(line, "ns").value_or(0);
    const bool over = record.state >= record::State::Ended;
    const uint64_t end = over ? std::max(record.ended, record.gone) : UINT64_MAX;
    return at >= record.started && number_of(line, "since").value_or(at) <= end &&
           number_of(line, "keeper").value_or(record.keeper) == record.keeper;
}

// The witness notes once a second that links are made, and not by whom.
bool may_be_of(const json& line, const record::Record& record) {
    constexpr uint64_t second = 1'000'000'000;
    const uint64_t at = number_of(line, "ns").value_or(0);
    const uint64_t end =
        record.state >= record::State::Ended ? std::max(record.ended, record.gone) : UINT64_MAX;
    return at + second >= record.started && at <= end;
}

std::string name_of_call(uint64_t number) {
    const auto name = confine::name_of_refused(static_cast<uint32_t>(number));
    return name.empty() ? "call " + std::to_string(number) : std::string(name);
}

std::string target_of(const json& line) {
    if (const auto call = number_of(line, "call")) {
        const std::string name = name_of_call(*call);
        const uint64_t family = number_of(line, "first").value_or(0);
        return name == "socket" ? "socket of family " + std::to_string(family) : name;
    }
    if (std::string address = text_of(line, "address"); !address.empty()) return address;
    if (std::string setting = text_of(line, "setting"); !setting.empty()) return setting;
    return text_of(line, "path");
}

// Where commands of the call could write, in mode workspace.
std::vector<fs::path> roots_of(const CallNote& note) {
    std::vector<fs::path> roots = {confine::without_links(note.workspace)};
    for (const std::string& root : note.writable) roots.push_back(confine::without_links(root));
    return roots;
}

// Calls that the kernel refuses to an ordinary user.
bool takes_privileges(std::string_view call) {
    constexpr std::string_view calls[] = {"mount",
                                          "umount2",
                                          "pivot_root",
                                          "chroot",
                                          "move_mount",
                                          "fsopen",
                                          "fsmount",
                                          "fspick",
                                          "fsconfig",
                                          "mount_setattr",
                                          "setns",
                                          "sethostname",
                                          "swapon",
                                          "setdomainname",
                                          "swapoff",
                                          "clock_settime",
                                          "settimeofday",
                                          "clock_adjtime",
                                          "adjtimex",
                                          "reboot",
                                          "kexec_load",
                                          "kexec_file_load",
                                          "init_module",
                                          "finit_module",
                                          "delete_module",
                                          "acct",
                                          "quotactl",
                                          "quotactl_fd",
                                          "iopl",
                                          "ioperm",
                                          "open_by_handle_at"};
    return ::geteuid() != 0 && std::ranges::find(calls, call) != std::end(calls);
}

void advise(Denial& denial, const CallNote& note) {
    if (denial.operation == "git config") return;  // a note says why
    if (!denial.allow_with.empty()) return;        // the log says it
    const bool read_only = note.confinement.mode == "read-only";
    const bool is_path = denial.target.starts_with('/');
    const bool is_abstract = denial.target.starts_with('@');
    if (denial.operation == "call" && takes_privileges(denial.target))
        denial.reason = "this user may not do it without walls either";
    else if (denial.operation == "call")
        denial.allow_with = "mode: open";
    else if (denial.operation == "connect" && is_path)
        denial.allow_with = "sockets: [\"" + denial.target + "\"]";
    else if (denial.operation == "connect" && is_abstract)
        denial.reason = "no setting opens abstract sockets outside of the session";
    else if (denial.operation == "connect" || denial.operation == "resolve")
        denial.allow_with =
            (read_only ? "mode: workspace, network: [\"" : "network: [\"") + denial.target + "\"]";
    if (!denial.allow_with.empty() || !denial.reason.empty()) return;
    const confine::Opening opening =
        confine::opening_of({.operation = denial.operation,
                             .path = denial.target,
                             .mode = read_only ? Mode::ReadOnly : Mode::Workspace,
                             .roots = roots_of(note)});
    denial.reason = opening.reason;
    if (opening.needs_workspace_mode) denial.allow_with = "mode: workspace";
    if (opening.root.empty()) return;
    const json root = text::to_utf8(opening.root.string());
    denial.allow_with +=
        (denial.allow_with.empty() ? "write: [" : ", write: [") + root.dump() + "]";
}

Denial denial_of(const json& line) {
    Denial denial;
    denial.operation = text_of(line, "operation");
    denial.target = target_of(line);
    if (const auto pid = number_of(line, "pid")) denial.pid = static_cast<int>(*pid);
    denial.process = text_of(line, "name");
    denial.allow_with = text_of(line, "allow_with");
    return denial;
}

// Whether the first line of this was written long before the call. Counts of denials without a line
// of their own may stand behind younger lines.
bool begins_before(std::string_view log, uint64_t call_started) {
    constexpr uint64_t disorder = 1'000'000'000;
    const json line = json::parse(text::to_utf8(log.substr(0, log.find('\n'))), nullptr, false);
    if (!line.is_object() || line.contains("others")) return false;
    return number_of(line, "ns").value_or(0) + disorder < call_started;
}

// What was written since then, and at most somewhat more: a session that lives for long has a log
// that is not worth reading for each call. Two processes write it, so lines are in order of time
// only nearly.
Result<std::string> end_of_log(const os::Fd& log, uint64_t since) {
    constexpr uint64_t first_look = 4096;
    struct stat status{};
    if (::fstat(log.get(), &status) != 0) return failure("fstat", errno, "");
    const auto size = static_cast<uint64_t>(status.st_size);
    for (uint64_t look = first_look;; look *= 4) {
        const uint64_t from = size > look ? size - look : 0;
        std::string text = TRY(os::read_at(log, from, size - from));
        if (from == 0) return text;
        text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);  // half a line
        if (!text.empty() && begins_before(text, since)) return text;
    }
}

void add_once(std::vector<std::string>& all, std::string one) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
}

// HOME is a copy that goes with the session.
std::string note_of_copies(const std::vector<std::string>& parts) {
    constexpr size_t most = 5;
    std::string names;
    for (size_t i = 0; i < std::min(parts.size(), most); ++i)
        names += (i == 0 ? "" : ", ") + text::one_line(parts[i]);
    if (parts.size() > most) names += " and " + std::to_string(parts.size() - most) + " more";
    return "written in a copy of HOME, which is removed with the session: " + names +
           "; to keep such a directory, give it with `write`, or give tools a `cache`";
}

// What became of a protected name. False if the line is about something else.
bool add_what_the_mason_did(Report& report, const json& line) {
    if (std::string path = text_of(line, "reverted"); !path.empty()) {
        add_once(report.reverted, std::move(path));
        return true;
    }
    if (const std::string path = text_of(line, "restored"); !path.empty()) {
        add_once(report.notes, note_of_made_link(path));
        return true;
    }
    if (const std::string path = text_of(line, "unreverted"); !path.empty()) {
        const int error = static_cast<int>(number_of(line, "error").value_or(0));
        add_once(report.notes,
                 note_of_left_name(path, error, "the session", "from the next call on"));
        return true;
    }
    const std::string path = text_of(line, "insisted");
    if (path.empty()) return false;
    add_once(report.notes, "the session was ended, because something in it made " +
                               text::one_line(path) +
                               ", a protected name, as often as it was taken away");
    return true;
}

// Why the mason did not put new settings of git in place, and what to do; empty if the line is
// about something else.
std::string note_of_git_settings(const json& line) {
    const std::string why = text_of(line, "why");
    if (text_of(line, "operation") != "git config" || why.empty()) return "";
    const std::string file = text::one_line(text_of(line, "path"));
    const std::string setting = "git config " + text::one_line(text_of(line, "setting")) + ": ";
    const std::string outside = "; a person can run this command outside of the session";
    if (why == "program")
        return setting + "this setting can run programs, or Husk does not know it" + outside;
    if (why == "address")
        return setting + "only an address over https, http, ssh or git and a path are allowed" +
               outside;
    if (why == "update")
        return setting + "only checkout, rebase, merge and none run no program" + outside;
    if (why == "removed")
        return setting + "the command removed or moved this setting, which can run programs" +
               outside;
    if (why == "absent")
        return file + " does not exist, and a session cannot make it: run `touch " + file +
               "` outside of the session, then run this command again";
    if (why == "kind")
        return file + " or its .lock is no regular file with one name, so git cannot write it" +
               outside;
    return file + " was not written: Husk does not understand the new settings" + outside;
}

bool is_below(const fs::path& path, const fs::path& root) {
    return std::ranges::mismatch(root, path).in1 == root.end();
}

// The part of a path that is in a directory of git, and the checkout that this directory is in.
struct InGit {
    fs::path checkout;
    fs::path part;  // "hooks/pre-commit"
};

std::optional<InGit> in_git(const fs::path& path) {
    InGit found;
    for (auto at = path.begin(); at != path.end(); ++at) {
        if (*at != ".git") {
            found.checkout /= *at;
            continue;
        }
        while (++at != path.end()) found.part /= *at;
        return found;
    }
    return std::nullopt;
}

// No setting opens these in a repository that is written.
bool is_obeyed_by_git(const fs::path& part) {
    constexpr std::string_view names[] = {"hooks",           "config",   "config.worktree",
                                          "info/attributes", "branches", "remotes",
                                          "commondir"};
    return std::ranges::any_of(names, [&](std::string_view name) { return is_below(part, name); });
}

// Why git cannot write in the directory of a repository.
std::string note_of_git_files(const Denial& denial, const std::string& mode,
                              const fs::path& workspace) {
    const auto git = in_git(denial.target);
    if (!git || mode != "workspace" || denial.operation == "git config") return "";
    const std::string path = text::one_line(denial.target);
    if (is_obeyed_by_git(git->part))
        return path +
               " is read-only: hooks and settings of git can run programs; a person can change "
               "them outside of the session";
    if (git->part.empty() || is_below(git->checkout, workspace) ||
        !is_below(workspace, git->checkout))
        return "";
    return path +
           " is read-only: the checkout around the workspace is a home or belongs to somebody "
           "else; a person can run this command outside of the session";
}

// What a line of the log says was stopped, `count` times.
void add_denial(Report& report, const json& line, uint64_t count, const CallNote& note) {
    if (std::string why = note_of_git_settings(line); !why.empty())
        add_once(report.notes, std::move(why));
    Denial denial = denial_of(line);
    denial.count = count;
    if (std::string why = note_of_git_files(denial, report.confinement.mode,
                                            confine::without_links(note.workspace));
        !why.empty())
        add_once(report.notes, std::move(why));
    const auto same = std::ranges::find_if(report.denials, [&](const Denial& known) {
        return known.operation == denial.operation && known.target == denial.target;
    });
    if (same != report.denials.end()) {
        same->count += count;
    } else if (report.denials.size() < most_listed) {
        advise(denial, note);
        report.denials.push_back(std::move(denial));
    }
}

// For a command that failed: it may be the walls.
std::string why_nothing_is_watched(const Report& report) {
    const Confinement& walls = report.confinement;
    const bool is_blind = std::ranges::find(walls.unwatched, "everything") != walls.unwatched.end();
    if (!is_blind || exit_code(report.ending).value_or(0) == 0) return "";
    std::string missing;
    for (const std::string& one : walls.missing) missing += (missing.empty() ? "" : ", ") + one;
    return "what the walls stop is not reported here, and unix sockets other than pairs fail with "
           "EPERM: " +
           (missing.empty() ? "`denials` is off" : "this machine has no " + missing);
}

}  // namespace

void add_denials(Report& report, std::string_view log, const record::Record& record,
                 const CallNote& note) {
    std::vector<std::string> copied;
    for (size_t at = 0; at < log.size();) {
        const size_t end = std::min(log.find('\n', at), log.size());
        const json line = json::parse(text::to_utf8(log.substr(at, end - at)), nullptr, false);
        at = end + 1;
        if (!line.is_object()) continue;
        const bool dropped = line.contains("dropped");
        if (dropped && number_of(line, "ns").value_or(UINT64_MAX) >= record.started) {
            report.denials_complete = false;
            add_once(report.notes,
                     "so much was stopped that older lines of the session's log were removed: more "
                     "protected names may have been taken away than `reverted` lists");
        }
        if (line.contains("symlink")) {
            if (may_be_of(line, record)) add_once(report.notes, std::string(links_note));
            continue;
        }
        if (dropped || !is_of(line, record)) continue;
        if (std::string part = text_of(line, "copied"); !part.empty()) {
            add_once(copied, std::move(part));
            continue;
        }
        if (add_what_the_mason_did(report, line)) continue;
        const uint64_t count = number_of(line, "count").value_or(1);
        report.denials_total += count;
        if (line.contains("others")) {
            report.denials_complete = false;
            continue;
        }
        add_denial(report, line, count, note);
    }
    if (!copied.empty()) report.notes.push_back(note_of_copies(copied));
}

void add_denials(Report& report, const collect::ShellFiles& files, const record::Record& record,
                 const CallNote& note) {
    report.denials_complete = report.confinement.unwatched.empty();
    if (std::string why = why_nothing_is_watched(report); !why.empty())
        report.notes.push_back(std::move(why));
    const fs::path session = files.log_path.parent_path().parent_path();
    const auto log = os::open(session / run::denials_file, O_RDONLY);
    if (!log) return;
    const auto text = end_of_log(*log, record.started);
    if (text && !text->empty()) add_denials(report, *text, record, note);
}

}  // namespace husk::tool
