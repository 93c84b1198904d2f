// How much of the disk spools may take.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "os/fd.h"
#include "run/state_dir.h"

namespace husk::collect {

// Bytes that a call may take, and after how many sweeps they were granted.
struct Grant {
    uint64_t bytes = 0;
    uint64_t sweeps = 0;
};

// The state directory's account, shared by every Husk that uses it. A call reserves what its
// output may take; a finished one counts with what it took. What a killed caller never gave
// back is found by the next sweep.
class Ledger {
public:
    static Result<Ledger> open(const run::StateDir& state, uint64_t quota);

    // Grants what is wanted, or what is left, but never less than least_grant().
    Grant reserve(uint64_t wanted);
    // A call of which nothing lives any more took this much of what it was granted.
    void settle(const Grant& grant, uint64_t taken);
    // The next call sweeps: something came into the state directory that nobody has reserved.
    void sweep_soon();

private:
    struct Account;
    struct Unmap {
        void operator()(Account* account) const;
    };

    void sweep(uint64_t wanted, bool due);
    void correct(uint64_t before, uint64_t taken);

    const run::StateDir* state_ = nullptr;
    uint64_t quota_ = 0;
    os::Fd file_;
    std::unique_ptr<Account, Unmap> account_;
};

}  // namespace husk::collect
