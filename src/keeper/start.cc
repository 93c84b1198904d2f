#include "start.h"

#include <asm/errno.h>
#include <linux/close_range.h>
#include <linux/signal.h>

#include "disk_filter.h"
#include "sound.h"
#include "sys.h"

namespace {

using husk::record::Step;

struct Launch {
    const husk::wire::Plan* plan;
    start::Descriptors descriptors;
    ceilings::Files ceilings;
    const char* program;
    const char* directory;  // by name, or null
    // The child's word; the memory is shared until it executes.
    volatile Step step;
    volatile long error;
    volatile bool below_ceilings;
};

const char* strings[husk::wire::max_strings + 2];
alignas(16) char child_stack[16 * 1024];

int fail(Launch& launch, Step step, long error) {
    launch.step = step;
    launch.error = error;
    return 127;
}

int child(void* argument) {
    auto& launch = *static_cast<Launch*>(argument);
    const auto& plan = *launch.plan;
    const auto& fds = launch.descriptors;
    launch.below_ceilings = plan.cgroup != 0 && ceilings::enter(launch.ceilings);
    long result = sys::setsid();
    if (result < 0) return fail(launch, Step::NewSession, result);
    const int wiring[] = {fds.input, fds.output, fds.errors};
    for (int as = 0; as < 3; ++as) {
        result = sys::dup3(wiring[as], as, 0);
        if (result < 0) return fail(launch, Step::WireDescriptors, result);
    }
    sys::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    // A descriptor from outside would lead to mounts that the session does not have.
    result =
        launch.directory != nullptr ? sys::chdir(launch.directory) : sys::fchdir(fds.directory);
    if (result < 0) return fail(launch, Step::EnterDirectory, result);
    sys::umask(plan.umask);
    for (uint32_t i = 0; i < plan.limit_count; ++i) {
        const auto& limit = plan.limits[i];
        // The session may have been made by a caller with less; more than that cannot be had.
        sys::ResourceLimit most{limit.soft, limit.hard};
        sys::prlimit64(0, limit.resource, nullptr, &most);
        const uint64_t hard = limit.hard < most.hard ? limit.hard : most.hard;
        const sys::ResourceLimit value{limit.soft < hard ? limit.soft : hard, hard};
        result = sys::prlimit64(0, limit.resource, &value, nullptr);
        if (result < 0) return fail(launch, Step::SetLimits, result);
    }
    result = plan.tree.disk != 0 ? disk_filter::install() : 0;
    if (result < 0) return fail(launch, Step::SetLimits, result);
    const uint64_t nothing = 0;
    sys::rt_sigprocmask(SIG_SETMASK, &nothing);
    result = sys::execve(launch.program, strings, strings + plan.argc + 1);
    return fail(launch, Step::Execute, result);
}

}  // namespace

namespace start {

Started command(const char* message, long size, const Descriptors& descriptors,
                const ceilings::Files& ceilings) {
    const auto& plan = *reinterpret_cast<const husk::wire::Plan*>(message);
    husk::wire::PlanTexts texts{};
    if (!husk::wire::read_texts(message, static_cast<uint64_t>(size), strings, texts))
        return {0, Step::ReadPlan, EBADMSG, false};

    Launch launch{&plan,           descriptors, ceilings, texts.program,
                  texts.directory, Step::None,  0,        false};
    const sys::Stack stack{child_stack, sizeof child_stack};
    const long pid = sys::vfork_call(stack, child, &launch);
    if (pid < 0) return {0, Step::Fork, static_cast<uint32_t>(-pid), false};
    if (launch.step == Step::None)
        return {static_cast<int>(pid), Step::None, 0, launch.below_ceilings};
    int status = 0;
    sys::wait4(static_cast<int>(pid), &status, 0, nullptr);
    return {0, launch.step, static_cast<uint32_t>(-launch.error), false};
}

}  // namespace start
