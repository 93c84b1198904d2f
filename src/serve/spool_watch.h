// Tells of every change in the spool of a state directory, whoever makes it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"
#include "run/state_dir.h"

namespace husk::serve {

class SpoolWatch {
public:
    struct Heard {
        std::function<void(const std::string& id)> record_made;  // perhaps still empty
        std::function<void(const std::string& id)> record_changed;
        std::function<void(const std::string& id)> record_removed;
        std::function<void(const std::string& id)> log_grew;
    };
    // Also tells of the records that are there already, as made. A directory that the kernel has no
    // watch left for is looked at every now and then instead.
    SpoolWatch(const run::StateDir& state, Heard heard);
    SpoolWatch(const SpoolWatch&) = delete;
    SpoolWatch& operator=(const SpoolWatch&) = delete;

    // Has something to read when something has changed; -1: nothing ever tells.
    int fd() const { return inotify_.get(); }
    // Tells what that is.
    void read();
    // Looks at everything again.
    void scan();
    // Some directory has no watch: whoever needs to know has to look by himself.
    bool is_blind() const { return blind_; }

private:
    enum class What { Sessions, Session, Records, Logs };
    struct Place {
        What what;
        std::string session;
    };
    bool watch(What what, const std::string& session);
    void enter(const std::string& session);
    void take(int descriptor, uint32_t mask, std::string_view name);
    void take_record(uint32_t mask, const std::string& id) const;

    const run::StateDir& state_;
    Heard heard_;
    os::Fd inotify_;
    bool blind_ = false;
    std::map<int, Place> places_;  // by watch
};

}  // namespace husk::serve
