// How tests allow for sanitizers and slow machines. Every deadline in a test is written for an
// optimised program on a machine that is not too busy, and passes through `patient`, which makes it
// longer where programs are slower.
#pragma once

#include <chrono>
#include <cstdlib>

namespace husk::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
inline constexpr int usual_slowness = sanitized ? 4 : 1;

// Why a test does not compare the memory of a sanitized program.
inline constexpr const char* memory_tells_nothing =
    "passed up to its last check: a sanitized program keeps the memory that it frees, so that its "
    "size says nothing";

// How many times slower programs are here: HUSK_TEST_SLOWNESS from the environment, for machines
// that are slow or busy, or what is usual for this build.
inline int slowness() {
    static const int factor = [] {
        const char* said = std::getenv("HUSK_TEST_SLOWNESS");
        const int number = said == nullptr ? 0 : std::atoi(said);
        return number > 0 ? number : usual_slowness;
    }();
    return factor;
}

template <class Rep, class Period>
std::chrono::duration<Rep, Period> patient(std::chrono::duration<Rep, Period> deadline) {
    return deadline * slowness();
}

}  // namespace husk::test
