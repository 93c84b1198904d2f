#include <sys/file.h>
#include <sys/socket.h>

#include <array>

#include "keeper/inside_socket.h"
#include "os/process.h"
#include "os/socket.h"
#include "proxy/proxy.h"
#include "run/call.h"
#include "run/published.h"
#include "run/session.h"

namespace husk::run {

// It lives as long as the nursery, whose number the lock on the session tells. A proxy that lives
// holds the lock of its log, which it was given together with the log.
Result<void> Session::restore_proxy(std::vector<os::Fd> published) const {
    if (ways_out_.empty() && !publishes(exact_)) return {};
    const os::Fd log = TRY(open_denials());
    if (::flock(log.get(), LOCK_EX | LOCK_NB) != 0) return {};
    if (published.empty() && publishes(exact_)) published = TRY(listen_for(exact_));
    const os::Fd nursery = TRY(os::open_process(keeper_of(dir_->lock)));
    proxy::Errand errand{.ports = exact_.publish, .published = published};
    os::Fd asking;
    if (publishes(exact_)) {
        auto [ours, theirs] = TRY(os::socket_pair(SOCK_SEQPACKET));
        CHECK(os::send_message(mason_, std::string_view(&wire::inside_order, 1),
                               std::array{theirs.get()}));
        asking = std::move(ours);
        errand.mason = &asking;
    }
    if (!ways_out_.empty()) {
        errand.allow = wanted_.network.hosts;
        errand.requests = ways_out_.data();
    }
    if (ways_out_.size() > 2) {
        errand.names = &ways_out_[1];
        errand.preambles = &ways_out_[2];
    }
    return proxy::start_proxy(errand, log, nursery);
}

}  // namespace husk::run
