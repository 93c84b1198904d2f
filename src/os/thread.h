// Starting a thread on a machine that may have no room for one more.
#pragma once

#include <system_error>
#include <thread>
#include <utility>

#include "base/result.h"

namespace husk::os {

// A std::thread or std::jthread that does `work`.
template <class Thread, class Work>
Result<Thread> start_thread(Work&& work) {
    try {
        return Thread(std::forward<Work>(work));
    } catch (const std::system_error& refused) {
        return failure("thread", refused.code().value(), "no thread could be started");
    }
}

}  // namespace husk::os
