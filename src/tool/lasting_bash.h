// One bash that outlives calls: where it is and what its variables hold is still so in the next.
// Any process finds it again by the name of its session. docs/contracts/anthropic.md.
#pragma once

#include <husk/husk.h>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/result.h"
#include "os/events.h"
#include "os/fd.h"
#include "run/state_dir.h"
#include "tool/read_shell.h"

namespace husk::tool {

// What its script begins with, and what people are shown instead of it.
inline constexpr const char* lasting_mark = "# A bash that stays from call to call.\n";
inline constexpr const char* lasting_display = "bash that stays from call to call";

class LastingBash {
public:
    // That of a session. As long as this object lives nobody else talks to it; who does is waited
    // for until `give_up`.
    static Result<LastingBash> of(const run::StateDir& state, const Settings& settings,
                                  const std::string& session, const os::Deadline& give_up,
                                  const std::stop_token& cancel);

    enum class State {
        None,   // there never was one
        Ready,  // for a command
        Busy,   // with one
        Ended,
    };
    Result<State> state();

    // As far as it was heard of; empty: where it was started.
    const std::filesystem::path& directory() const { return directory_; }
    // To read its output by. There is one unless the state is None.
    Result<KnownShell> shell() const;
    // Up to where the output of earlier calls goes.
    uint64_t told() const { return told_; }
    Result<void> tell_up_to(uint64_t offset);

    // What to start in the background to have one. Then `started` with the shell that came of it.
    Result<Request> to_start();
    Result<void> started(const std::string& shell_id);

    // From now on `on_output` gets the output of commands as it comes, and all of it before `run`
    // returns. An empty function ends that.
    using OnOutput = std::function<void(const OutputPiece& piece)>;
    void listen(OnOutput on_output) { on_output_ = std::move(on_output); }

    struct Returned {
        int code = 0;
    };
    // Has a bash that is ready run a command. When it returns, all that the command has written is
    // in the log. None: it is still at it when the time is over, or it is not there any more.
    Result<std::optional<Returned>> run(const std::string& command, const os::Deadline& give_up,
                                        const std::stop_token& cancel);

private:
    LastingBash(Settings settings, std::filesystem::path dir, os::Fd lock)
        : settings_(std::move(settings)), dir_(std::move(dir)), lock_(std::move(lock)) {}

    Result<void> load();
    Result<void> save() const;
    Result<void> hear(const collect::ShellFiles& files);
    Result<void> pass_on(const collect::ShellFiles& files);
    Result<bool> send(const std::string& text, const os::Deadline& give_up,
                      const std::stop_token& cancel);
    Result<bool> wait_for_answer(const os::Deadline& give_up, const std::stop_token& cancel);

    Settings settings_;
    std::filesystem::path dir_;
    os::Fd lock_;
    os::Fd first_feed_;  // of a bash that is about to be started
    OnOutput on_output_;
    uint64_t passed_on_ = 0;  // of the output, in bytes
    // What is kept from one process to the next:
    std::string shell_id_;
    uint64_t sent_ = 0;      // the number of the last frame
    uint64_t answered_ = 0;  // of the last that was answered
    int code_ = 0;           // in that answer
    uint64_t heard_ = 0;     // of the stream of answers, in bytes
    uint64_t told_ = 0;
    std::filesystem::path directory_;
};

}  // namespace husk::tool
