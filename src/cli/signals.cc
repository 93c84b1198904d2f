#include "cli/signals.h"

#include <csignal>
#include <thread>
#include <utility>

namespace husk::cli {

// Its own thread, because a handler may do next to nothing.
std::stop_source cancel_on_signals(std::shared_ptr<std::atomic<int>> received) {
    std::stop_source source;
    sigset_t wanted;
    ::sigemptyset(&wanted);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&wanted, signal);
    ::pthread_sigmask(SIG_BLOCK, &wanted, nullptr);
    std::thread([source, received = std::move(received), wanted]() mutable {
        int signal = 0;
        if (::sigwait(&wanted, &signal) != 0) return;
        received->store(signal);
        source.request_stop();
    }).detach();
    return source;
}

}  // namespace husk::cli
