// What becomes of the caller's shells, whoever has started them: told as it happens, though not
// more often than ten times a second. Costs nothing while nobody wants to know.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "os/events.h"
#include "run/state_dir.h"
#include "serve/spool_watch.h"
#include "tool/toolbox.h"

namespace husk::serve {

class ShellWatch {
    struct Ear;

public:
    explicit ShellWatch(const tool::Toolbox& toolbox) : toolbox_(toolbox) {}
    ~ShellWatch();
    ShellWatch(const ShellWatch&) = delete;
    ShellWatch& operator=(const ShellWatch&) = delete;

    // Something is told as long as this is kept, and nothing when it is gone. Whoever is told may
    // let go of it there and then.
    class Listening {
    public:
        Listening() = default;
        explicit Listening(std::shared_ptr<Ear> ear) : ear_(std::move(ear)) {}
        Listening(Listening&&) = default;
        Listening& operator=(Listening&& other) noexcept;
        ~Listening() { stop(); }

    private:
        void stop();
        std::shared_ptr<Ear> ear_;
    };

    // One shell as others see it.
    struct Seen {
        bool there = false;
        bool ended = false;
        uint64_t bytes = 0;  // that it has written
        bool operator==(const Seen&) const = default;
    };
    // A shell that has come to stay for more than a moment, or is over.
    struct Passed {
        std::string id;
        bool lives;
    };

    // Both are called on the thread of the watch, which must not be kept.
    Listening shell(const std::string& id, std::function<void(const Seen&)> changed);
    Listening list(std::function<void(const std::vector<Passed>&)> changed);

private:
    using Clock = os::Clock;

    Listening add(std::shared_ptr<Ear> ear);
    void loop();
    bool take_ears();
    void begin();
    bool open_spool();
    void learn_list();
    void tell_shells(bool all);
    void tell_list(bool all);
    os::Deadline next_look() const;
    bool lives(const std::string& id) const;

    const tool::Toolbox& toolbox_;
    std::mutex guard_;
    std::optional<os::Bell> bell_;
    std::vector<std::shared_ptr<Ear>> fresh_ears_;
    bool closing_ = false;
    std::thread thread_;

    // Of the thread alone:
    std::vector<std::shared_ptr<Ear>> ears_;
    std::optional<run::StateDir> state_;
    std::unique_ptr<SpoolWatch> spool_;
    std::set<std::string> touched_;   // since it was last looked
    std::set<std::string> recorded_;  // of these, the ones whose record has changed
    std::map<std::string, Clock::time_point> settling_;  // whether they are to stay is seen then
    std::set<std::string> living_;
    bool knows_list_ = false;
    Clock::time_point looked_ = {};  // at all of them
};

}  // namespace husk::serve
