#include "serve/spool_watch.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "os/file.h"

namespace husk::serve {

SpoolWatch::SpoolWatch(const run::StateDir& state, Heard heard)
    : state_(state), heard_(std::move(heard)), inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    blind_ = !inotify_ || !watch(What::Sessions, "");
    scan();
}

bool SpoolWatch::watch(What what, const std::string& session) {
    std::filesystem::path path = state_.path() / "sessions" / session;
    uint32_t mask = IN_CREATE | IN_ONLYDIR;
    if (what == What::Records) {
        path /= "rec";
        mask |= IN_MOVED_TO | IN_MODIFY | IN_DELETE | IN_MOVED_FROM;
    }
    if (what == What::Logs) {
        path /= "log";
        mask = IN_MODIFY | IN_ONLYDIR;
    }
    const int descriptor = ::inotify_add_watch(inotify_.get(), path.c_str(), mask);
    if (descriptor < 0) {
        if (errno == ENOSPC || errno == ENOMEM) blind_ = true;
        return false;
    }
    return places_.insert_or_assign(descriptor, Place{what, session}).second;
}

// The parts of a session that is just being made may come a little later.
void SpoolWatch::enter(const std::string& session) {
    watch(What::Session, session);
    watch(What::Logs, session);
    watch(What::Records, session);
    const auto records = os::open_at(state_.sessions(), session + "/rec", O_RDONLY | O_DIRECTORY);
    if (!records) return;
    for (const std::string& number : os::list(*records).value_or(std::vector<std::string>()))
        heard_.record_made(session + "-" + number);
}

void SpoolWatch::scan() {
    for (const std::string& session :
         os::list(state_.sessions()).value_or(std::vector<std::string>()))
        enter(session);
}

void SpoolWatch::read() {
    alignas(inotify_event) char buffer[64 * 1024];
    for (;;) {
        const ssize_t got = ::read(inotify_.get(), buffer, sizeof buffer);
        if (got <= 0) return;
        for (ssize_t at = 0; at < got;) {
            const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
            at += static_cast<ssize_t>(sizeof *event) + event->len;
            if ((event->mask & IN_Q_OVERFLOW) != 0) {
                scan();
                continue;
            }
            take(event->wd, event->mask, event->len > 0 ? event->name : "");
        }
    }
}

void SpoolWatch::take(int descriptor, uint32_t mask, std::string_view name) {
    if ((mask & IN_IGNORED) != 0) {
        places_.erase(descriptor);
        return;
    }
    const auto found = places_.find(descriptor);
    if (found == places_.end()) return;
    const Place place = found->second;
    switch (place.what) {
        case What::Sessions: return enter(std::string(name));
        case What::Session:
            if (name == "rec" || name == "log") enter(place.session);
            return;
        case What::Records: return take_record(mask, place.session + "-" + std::string(name));
        case What::Logs:
            return heard_.log_grew(place.session + "-" +
                                   std::string(name.substr(0, name.rfind('.'))));
    }
}

void SpoolWatch::take_record(uint32_t mask, const std::string& id) const {
    if ((mask & (IN_CREATE | IN_MOVED_TO)) != 0) heard_.record_made(id);
    if ((mask & IN_MODIFY) != 0) heard_.record_changed(id);
    if ((mask & (IN_DELETE | IN_MOVED_FROM)) != 0) heard_.record_removed(id);
}

}  // namespace husk::serve
