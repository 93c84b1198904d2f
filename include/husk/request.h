// What goes in: one call, and everything about the conversation it belongs to.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "approval.h"

namespace husk {

// What the command may touch.
enum class Mode { ReadOnly, Workspace, Open };

// What of the network a closed mode leaves.
struct Network {
    enum class Kind {
        None,   // a loopback of the session's own
        Hosts,  // that, and a proxy to these hosts
        Open,   // as the user
    };
    Kind kind = Kind::None;
    std::vector<std::string> hosts = {};  // "example.org", "*.example.org", "example.org:8443"
};

// Whether a closed mode has places that may be written and go away with the session: /tmp, HOME.
enum class Scratch { Private, None };

// What becomes of processes that outlive the command's main process.
enum class Leftovers {
    Adopt,  // they stay, as a shell with an id
    Kill,   // they go with it
    Wait,   // the command ends when they do
};

// One pipe in the true order, or stdout and stderr apart.
enum class Streams { Merged, Split };

// When the time is over: the whole tree dies, or the command goes on as a shell.
enum class OnTimeout { Kill, Background };

// Standard input is at its end, or a text, or a file, or a descriptor of the caller's.
struct NoInput {};
struct InputText {
    std::string text;
};
struct InputFile {
    std::filesystem::path path;
};
struct InputDescriptor {
    int fd;
};
using Input = std::variant<NoInput, InputText, InputFile, InputDescriptor>;

// A line that ends the log when nothing of the command lives any more, for whoever reads the file
// alone. It is not output: reports do not count it. {code} and {how} are filled in. {how} is
// " by signal 9 (SIGKILL)", or, of a command that Husk ended at a limit, ": more output than the
// limit of 1000".
struct LastLine {
    std::string exited;
    std::string killed;
};

// How a tree is stopped: asked with a signal, and killed when patience is over.
struct StopLadder {
    int signal = 15;
    std::chrono::milliseconds patience{2000};
};

// What the command and all that it starts may use. Absent: as docs/limits.md says; 0: as much
// as it likes.
struct Limits {
    std::optional<std::chrono::milliseconds> cpu = {};  // of all processes together
    std::optional<uint64_t> memory = {};                // bytes, likewise
    std::optional<uint64_t> processes = {};             // at a time
    std::optional<uint64_t> open_files = {};            // of each process
    std::optional<uint64_t> file_size = {};             // bytes of one file
    std::optional<uint64_t> disk = {};                  // bytes written to storage
    // Percent of all processors. It slows down and ends nothing; only where the kernel can do
    // that: docs/limits.md.
    std::optional<uint64_t> cpu_percent = {};

    bool operator==(const Limits&) const = default;
};

struct Request {
    std::string command = {};  // for bash -c
    // Not empty: this program with these arguments is run, and no shell. `command` is then only
    // what people and rules see of it.
    std::vector<std::string> argv = {};
    std::string description = {};            // recorded, not interpreted
    std::filesystem::path working_dir = {};  // empty: the context's
    std::optional<std::chrono::milliseconds> timeout = {};
    OnTimeout on_timeout = OnTimeout::Kill;
    std::optional<std::chrono::milliseconds> idle_timeout = {};
    bool background = false;  // return as soon as it runs
    Leftovers leftovers = Leftovers::Adopt;
    Streams streams = Streams::Merged;
    Input input = NoInput{};
    std::map<std::string, std::optional<std::string>> env = {};  // no value: unset
    StopLadder stop = {};
    uint64_t max_output_bytes = 30'000;         // shown in the report
    uint64_t keep_output_bytes = 64ULL << 20;   // kept in the spool, for each stream
    std::optional<uint64_t> output_limit = {};  // more than this ends the command
    Limits limits = {};
    std::optional<LastLine> last_line = {};
    bool log_goes_with_session = false;  // removed when the session has ended
};

// A piece of output as it came, byte for byte.
struct OutputPiece {
    bool errors = false;  // of stderr, when the streams are apart
    uint64_t offset = 0;  // in its stream
    std::string bytes;
    uint64_t dropped_before = 0;  // came faster than it was read, and is gone
};

// Everything about the conversation that a call belongs to. The tool keeps none of it.
struct ToolContext {
    std::filesystem::path working_dir = {};  // empty: the process's own
    std::stop_token cancel = {};             // when stopped, the command's tree is killed
    std::string session = {};                // empty: one of this tool's own
    Mode mode = Mode::Open;
    // Of the closed modes. A session has what its first call asked for.
    Network network = {};
    std::filesystem::path workspace = {};  // empty: the working directory
    bool same_workspace = false;           // a session that was made with another one is not joined
    std::vector<std::filesystem::path> writable = {};  // more roots like the workspace
    // Of `workspace`: for caches that sessions share; made if missing. None: they go with the
    // session.
    std::filesystem::path cache = {};
    std::vector<std::filesystem::path> readable = {};  // secrets that are given on purpose
    std::vector<std::filesystem::path> protect = {};   // read-only even inside these roots
    std::vector<std::filesystem::path> sockets = {};   // outside sockets that may be connected to
    std::vector<std::filesystem::path> devices = {};   // that may be opened, such as /dev/kvm
    std::vector<uint16_t> publish = {};   // the session's ports that the host's loopback shows
    uint64_t scratch_bytes = 1ULL << 30;  // of HOME, /tmp and /dev/shm together
    // If given, commands can open only files in these directories, in the system directories (/usr,
    // /etc and the like, to read) and in their private /tmp. They can write only where these
    // directories and the writable roots overlap. Mode open ignores the list.
    std::optional<std::vector<std::filesystem::path>> allowed_paths = {};
    bool watch_denials = true;  // note what the walls stop; costs microseconds for each write
    Scratch scratch = Scratch::Private;
    std::string caller = {};               // whose shells these are; recorded, not interpreted
    bool wide_workspace = false;           // "/" or a home as a root that may be written is meant
    std::vector<std::string> accept = {};  // holes that may stay open: docs/walls.md has the words
    // While a call is under way: the shell's id, then pieces of output. All that is kept has been
    // given when the report comes. Bash calls them on the thread that waits for the call; Tools
    // calls them on any thread, also on that of the caller. These functions, and those below, must
    // not block and must not throw.
    std::function<void(const std::string& shell_id)> on_start = {};
    std::function<void(const OutputPiece&)> on_output = {};
    // Asked where a rule of the tool's checks says so. None: what would be asked about is refused.
    Approver approver = {};
    // Only for Tools: gets the records of the contract's own stream, as JSON, if a call asks for
    // them.
    std::function<void(const std::string& record)> on_record = {};
};

}  // namespace husk
