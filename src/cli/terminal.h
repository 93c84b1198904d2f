// What all subcommands share: exit codes, options that take units, and how errors are told.
#pragma once

#include <husk/husk.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/terminal_filter.h"
#include "render/verdict_text.h"

namespace husk::cli {

// Husk's own exit codes; all others are the command's.
inline constexpr int timed_out = 124;
inline constexpr int husk_failed = 125;
inline constexpr int denied = 126;
// Those of `husk hook`, which are not Husk's to choose.
inline constexpr int hook_is_misplaced = 1;
inline constexpr int hook_blocks = 2;

// One line on standard error, "husk: ...". Returns husk_failed.
int fail(const std::string& message);
int fail(const Error& error);

// What stands on a descriptor, or as much of it; a failure is taken for its end.
std::string read_up_to(int fd, size_t most);
// Far more than any JSON has that is taken; the reading of it says how much that is.
inline constexpr size_t most_json = size_t{16} << 20;

// Writes everything; false when nobody reads any more. A terminal gets nothing that could make it
// do more than show text: whatever a command has put into a name or a message is harmless there.
bool write_out(int fd, std::string_view text);
// The same byte for byte, whatever is on the other side.
bool write_bytes(int fd, std::string_view bytes);

// As write_bytes, to a reader that may be slow, or asleep: it is given up when `enough` says so.
enum class Wrote { All, Part, NobodyReads };
Wrote write_until(int fd, std::string_view text, const std::function<bool()>& enough);

// What the user asked for: escape sequences of commands reach a terminal as they are, or filtered
// (base/terminal_filter.h). What is redirected is never changed.
enum class Escapes { Filtered, Raw };
void add_raw(CLI::App& app, Escapes& escapes);

// The output of a command on its way to a descriptor, piece by piece.
class OutputFilter {
public:
    OutputFilter(int fd, Escapes escapes);
    std::string pass(std::string piece);
    std::string finish();

private:
    bool filters_;
    text::TerminalFilter filter_;
};

// The width of the terminal on standard output, or 0 when it is none.
size_t terminal_width();

// Only for terminals, and only where the user has not switched them off (NO_COLOR).
render::Look::Colours colours_for(int fd);

// Adds options whose values carry a unit: "30s", "500ms"; "64M".
CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::milliseconds>& value,
                          const std::string& description);
CLI::Option* add_size(CLI::App& app, const std::string& name, std::optional<uint64_t>& value,
                      const std::string& description);

// --state DIR; where it is not given, what the variables and husk.yaml say.
void add_state(CLI::App& app, Settings& settings);
inline constexpr const char* state_description =
    "State directory (default: $HUSK_STATE, else `state` of husk.yaml, else $XDG_STATE_HOME/husk)";

// --config FILE
CLI::Option* add_config(CLI::App& app, std::string& file);

// What `husk run` and `husk wait` exit with for an ending.
int exit_status(const Report& report);

}  // namespace husk::cli
