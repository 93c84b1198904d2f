// A contract is the face that a model sees: the names of tools, what they take, the texts of
// results and errors. Each is a file of this folder, and pure: arguments become an action, and what
// came of the action becomes an answer. tool/ does what lies between.
#pragma once

#include <husk/report.h>
#include <husk/request.h>
#include <husk/shells.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "contract/docware_settings.h"
#include "decide/context.h"
#include "request/schema.h"

namespace husk::contract {

using schema::Json;
using std::chrono::milliseconds;

// What descriptions tell of, and what a call may not exceed.
struct Situation {
    // In a container the workspace is /workspace, and everything else is the image's.
    enum class Place { Host, Container } place = Place::Host;
    std::filesystem::path working_dir = {};
    Mode mode = Mode::Open;
    Network network = {};
    std::vector<std::filesystem::path> writable = {};  // besides the working directory
    // What the contract keeps read-only (Defaults::read_only), and whether this machine can do so.
    enum class ReadOnly { Held, CannotBeHeld, SwitchedOff } read_only = ReadOnly::Held;
    // Of the mode, on this machine: whether processes outside can get signals of commands.
    enum class Signals { KeptIn, ReachOutside } signals = Signals::KeptIn;
    std::string closed_modes_missing = {};  // why they cannot be had here; empty: they can
    // Of a contract that leaves them open; absent: its own.
    std::optional<milliseconds> default_timeout = {};
    std::optional<milliseconds> longest_timeout = {};
    // Clients give up; a call that takes longer is answered while it runs.
    std::optional<milliseconds> answer_within = {};
    enum class Arguments { Usual, All } arguments = Arguments::Usual;  // that a schema shows
    DocwareSettings docware = {};                                      // of that contract alone
};

// ---- what a contract has unless the configuration says otherwise

enum class Unparsable {
    Refused,     // a script that bash would not parse is an error
    BashSaysIt,  // it is run, and bash complains
};

enum class Environment {
    Inherited,    // the caller's
    Scrubbed,     // without secrets, and with no pagers, prompts and colours
    FromNothing,  // PATH, and what the call gives
};

// Where the machine cannot build the walls of the mode.
enum class WithoutWalls {
    NothingStarts,      // the server says so, and ends
    EachCallIsRefused,  // the server starts, because the contract has an error for this case
};

// How long its calls wait for a command.
struct Timeouts {
    std::optional<milliseconds> usual = {};
    std::optional<milliseconds> longest = {};  // that a call can ask for
    // Whether timeouts of the configuration come before them.
    enum class Whose { Configurations, Contracts } whose = Whose::Configurations;
};

struct Defaults {
    std::span<const std::string_view> packs;  // of checks
    Unparsable unparsable;
    bool refuses_what_it_does_not_understand;  // else only checks and rules refuse
    decide::Denylist denylist = decide::Denylist::Harmful;
    Leftovers leftovers;
    Environment environment;
    Mode mode;
    bool absolute_path = false;  // PATH has no relative entries, also in the mode open
    // Packs that the contract's own checks use, whether or not a file switches them on.
    std::span<const std::string_view> own_packs = {};
    WithoutWalls without_walls = WithoutWalls::NothingStarts;
    Scratch scratch = Scratch::Private;  // of its closed modes
    milliseconds early_end{0};           // how long a background call waits for one
    bool logs_end_with_session = false;
    bool in_container = false;  // it means the same when commands run in one
    std::span<const std::string_view> packs_in_container = {};  // there, other checks than `packs`
    // Names at the top of the workspace that commands cannot write, whatever the mode.
    std::span<const std::string_view> read_only = {};
    // A file beside the work that is the agent's own, of which `permissions` counts.
    std::string_view agents_file = {};
    Timeouts timeouts = {};
    bool has_ask_for = false;  // calls may ask the user for more than the walls allow
};

// ---- tools

struct Tool {
    std::string name;
    std::string title;
    std::string description;
    std::vector<schema::Field> takes;
    schema::Manner manner;
    std::optional<Json> gives = {};  // outputSchema
    bool only_reads = false;         // nothing that a command does is changed
    bool may_go_on = false;          // what it runs can become a shell that nobody waits for
};

// An entry of MCP's tools/list.
Json tool_json(const Tool& tool);

// ---- what is to be done

// Bytes of each stream as they came: all of it up to `whole`, else its beginning and its end.
// With nothing in it the report has the output, made readable.
struct Portion {
    uint64_t whole = 0;
    uint64_t head = 0;
    uint64_t tail = 0;
    bool wanted() const { return whole + head + tail > 0; }
};

// A command that is looked at each second while it runs.
struct Watch {
    // Of all processors. Whatever uses more for ten seconds on end is stopped.
    std::optional<uint64_t> most_cpu_percent = {};
    bool output = false;  // its pieces are events too
};

// A file that a command names, by its absolute path.
struct NamedFile {
    std::string path;
    std::string operation;  // that the command names it for: read write append delete
};

// What happened to a named file while the command ran.
struct FileState {
    NamedFile file;
    // created changed removed unchanged missing; unknown if Husk cannot look at the file, or if the
    // command may see another file by that name than this host
    std::string state;
};

// More than the walls of the conversation allow, for one call, if a person agrees.
struct AskFor {
    std::optional<Mode> mode = {};
    std::optional<Network> network = {};
    std::vector<std::string> write = {};    // directories
    std::vector<std::string> sockets = {};  // unix sockets outside of the session
    std::string reason = {};                // the words of the model
};

struct Run {
    Request request;
    Portion portion = {};
    std::optional<Mode> mode = {};                // narrower than the situation's
    std::optional<Network> network = {};          // likewise
    std::string session = {};                     // empty: the conversation's
    std::vector<std::string> notes = {};          // about what was asked
    std::optional<Verdict> verdict = {};          // of checks of the contract's own: deny, or ask
    std::vector<std::string> threats = {};        // rules of its own that found one, for the audit
    std::optional<Environment> environment = {};  // other than the contract's usual one
    // Variables that the contract gives to the command. Those of `request.env` are the caller's,
    // and count more.
    std::map<std::string, std::optional<std::string>> variables = {};
    // The walls show no files but those of these directories and of the system's own. Absent: what
    // the mode shows. With the list of the configuration, only those in both.
    std::optional<std::vector<std::string>> allowed_paths = {};
    std::optional<std::vector<std::string>> configured_paths = {};
    // A limit of the contract's that `request.timeout` stands for: whatever takes longer has
    // exceeded it. Empty: that is a timeout.
    std::string time_limit = {};
    bool private_tmp = false;  // TMPDIR is a directory for this call alone
    std::optional<Watch> watch = {};
    std::vector<NamedFile> files = {};  // to be looked at before and after
    Json kept = nullptr;                // what the contract itself needs for its answer
    std::optional<AskFor> ask_for = {};
};
struct Read {
    std::string shell_id;
    Range range = SinceLast{};
    uint64_t max_bytes = 0;
    Portion portion = {};
    std::string filter = {};                                // of the contract's own, for render
    enum class Rest { ByTool, InLog } rest = Rest::ByTool;  // where an excerpt points to
};
struct Wait {
    std::string shell_id;
    Until until = {};
    milliseconds timeout{0};
    uint64_t max_bytes = 0;
};
struct Kill {
    std::string shell_id;
    StopLadder ladder = {};
    uint64_t max_bytes = 0;
    enum class Then { Keep, Forget } then = Then::Keep;
};
struct List {
    size_t most = 20;
};
// With the one bash of the session that stays from call to call.
struct Talk {
    std::string command;
    bool restart = false;  // instead: a new one
    milliseconds timeout{0};
    Portion portion = {};
};
using Action = std::variant<Run, Read, Wait, Kill, List, Talk>;

// ---- what came of it

struct Bytes {
    uint64_t total = 0;
    std::string head = {};  // everything, when it is no more than was wanted whole
    std::string tail = {};
    bool whole() const { return head.size() == total; }
};

// What the tree of a command uses at one moment; measured, or absent.
struct Sample {
    std::optional<double> cpu_percent = {};  // of all processors, since the sample before
    std::optional<uint64_t> memory_bytes = {};
    std::vector<int> pids = {};          // as the command sees them
    Usage so_far = {};                   // since the command began
    std::optional<double> wall_ms = {};  // likewise
};
struct Began {
    std::string shell_id;
};
struct Over {
    Ending ending;
};
struct Event {
    std::chrono::system_clock::time_point when;
    std::variant<Began, OutputPiece, Sample, Over> what;
};

struct Told {
    Report report;
    Bytes out = {};
    Bytes err = {};
    std::chrono::system_clock::time_point created = {};
    std::string met = {};  // of a Wait
    std::string line = {};
    std::optional<int> parent_pid = {};  // of the main process
    // Exited or Signaled: how the main process ended when Husk stopped the command.
    std::optional<Ending> main_process = {};
    std::vector<Event> events = {};     // of a Run that is watched
    std::vector<FileState> files = {};  // of a Run that names some
    bool had_ended = false;             // before a Kill
    // Of a Talk. Unless the command has returned, the report is about the bash itself.
    enum class Came { Returned, TimedOut, StillBusy, BashEnded, BashHadEnded, Restarted };
    Came came = Came::Returned;
};
struct Listed {
    std::vector<Report> shells;
    size_t total = 0;
};
struct NoSuchShell {
    std::string id;
};
// What was asked of a shell, or of all, could not be done.
struct Failed {
    Error cause;
};
using Outcome = std::variant<Told, Listed, NoSuchShell, Failed>;

// ---- what is said about it

struct Answer {
    std::string text = {};
    std::optional<Json> structured = {};
    bool is_error = false;
    Json meta = Json::object();
};

// MCP's CallToolResult. Every string is valid UTF-8, whatever the answer holds.
Json result_json(const Answer& answer);

// ---- the contract

// Events in their order become records for whoever wants to know while a command runs. Has a
// memory: one for each call.
using Stream = std::function<std::vector<Json>(const Event& event)>;

struct Contract {
    std::string_view name;
    Defaults defaults;
    // In a stable order.
    std::vector<Tool> (*tools)(const Situation& situation);
    // `tool` is the name of one of them; `arguments` is JSON as it came.
    std::expected<Action, Answer> (*decode)(std::string_view tool, std::string_view arguments,
                                            const Situation& situation);
    Answer (*render)(const Action& action, const Outcome& outcome);
    // None: this contract tells nothing before the end.
    Stream (*stream)() = nullptr;
    // Whether the answer about an ended command names a file with the whole output. If it does not,
    // the output is removed with the answer. Null: the output stays in the shell's log.
    bool (*points_to_file)(const Told& told) = nullptr;
};

// Each in the file of its name.
extern const Contract phoenix_contract;
extern const Contract codegen_contract;
extern const Contract docware_contract;
extern const Contract agentrail_contract;
extern const Contract yoi_contract;
extern const Contract claude_code_contract;
extern const Contract anthropic_contract;
extern const Contract husk_contract;

std::span<const Contract* const> all_contracts();

// By name; null when there is none.
const Contract* find_contract(std::string_view name);

}  // namespace husk::contract
