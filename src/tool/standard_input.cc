#include "tool/standard_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "confine/located.h"
#include "confine/names.h"
#include "confine/reading.h"
#include "confine/view.h"
#include "os/file.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

// Commands of this session, and of others in the same workspace, make links in these directories.
Result<void> check_place(const fs::path& path, const os::Fd& opened,
                         const confine::Wanted& wanted) {
    std::vector<fs::path> roots = confine::writable_roots(wanted);
    roots.push_back(wanted.workspace);
    const auto is_in_root = [&](const fs::path& one) {
        return confine::root_above(one, roots) != nullptr;
    };
    const std::string target = confine::name_of(opened);
    confine::NameWalk walk(roots);
    const fs::path real = walk.add_links(path);
    const bool passes_link = std::ranges::any_of(std::move(walk).take(), [](const auto& entry) {
        return entry.second.state == confine::State::Link;
    });
    const bool leads_through_root =
        is_in_root(path.lexically_normal()) || is_in_root(real) || passes_link;
    if (!leads_through_root || is_in_root(target)) return {};
    return failure(
        "standard input", 0,
        path.string() + " leads through a link to " + target + "; give that path if it is meant");
}

// Opening a FIFO waits for a writer, unless it is opened like this.
Result<os::Fd> open_file(const fs::path& path, const run::Session& session) {
    std::error_code failed;
    const fs::path whole = fs::absolute(path, failed);
    os::Fd file = TRY(os::open(whole, O_RDONLY | O_NONBLOCK | O_NOCTTY));
    if (session.closed()) CHECK(check_place(whole, file, session.wanted()));
    return file;
}

Result<os::Fd> open_any(const Input& input, const run::Session& session) {
    if (const auto* text = std::get_if<InputText>(&input)) {
        os::Fd file = TRY(os::text_file(text->text));
        os::seal(file);  // a command could make it larger than its limits allow
        return file;
    }
    if (const auto* file = std::get_if<InputFile>(&input)) return open_file(file->path, session);
    if (const auto* given = std::get_if<InputDescriptor>(&input)) {
        os::Fd copy(::fcntl(given->fd, F_DUPFD_CLOEXEC, 3));
        if (!copy) return failure("standard input", errno, std::to_string(given->fd));
        return copy;
    }
    return os::open("/dev/null", O_RDONLY);
}

// A command that holds a descriptor can change the mode, the times and the attributes of the file,
// past all walls. So behind walls it gets only a pipe, or a text that was made for it.
Result<run::InputWay> way_of(const Input& input, const os::Fd& opened,
                             const run::Session& session) {
    if (std::holds_alternative<InputText>(input)) return run::InputWay::Given;
    if (std::holds_alternative<NoInput>(input))
        return session.has_own_view() ? run::InputWay::Null : run::InputWay::Given;
    struct stat info{};
    if (::fstat(opened.get(), &info) != 0) return failure("standard input", errno, "");
    if (S_ISDIR(info.st_mode)) return failure("standard input", EISDIR, "it has to be a file");
    // What the command leaves behind could go on reading, and change the settings of the terminal.
    if (::isatty(opened.get()) != 0)
        return failure("standard input", 0, "a command is never given a terminal; give it a pipe");
    const bool is_file = std::holds_alternative<InputFile>(input);
    if (is_file && S_ISFIFO(info.st_mode) && !os::is_pipe(opened))
        return failure("standard input", 0, "it is a FIFO, and may have no writer; use --stdin -");
    if (session.closed() && !os::is_pipe(opened)) return run::InputWay::Fed;
    // A command does not expect that a read does not wait. A keeper never waits for a disk.
    if (is_file) ::fcntl(opened.get(), F_SETFL, 0);
    return run::InputWay::Given;
}

}  // namespace

Result<OpenedInput> open_input(const Input& input, const run::Session& session) {
    os::Fd file = TRY(open_any(input, session));
    const run::InputWay way = TRY(way_of(input, file, session));
    return OpenedInput{std::move(file), way};
}

}  // namespace husk::tool
