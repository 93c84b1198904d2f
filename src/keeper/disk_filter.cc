#include "disk_filter.h"

#include <asm/errno.h>
#include <linux/audit.h>
#include <linux/falloc.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

#include "sys.h"

namespace disk_filter {
namespace {

// Two kinds of programs run on one kernel, each with numbers of its own.
struct Numbers {
    uint32_t architecture;
    uint32_t fallocate;
    uint32_t ioctl;
};
#ifdef __x86_64__
constexpr Numbers native = {AUDIT_ARCH_X86_64, 285, 16};
constexpr Numbers foreign = {AUDIT_ARCH_I386, 324, 54};
#else
constexpr Numbers native = {AUDIT_ARCH_AARCH64, 47, 29};
constexpr Numbers foreign = {AUDIT_ARCH_ARM, 352, 54};
#endif
constexpr uint32_t x32_bit = 0x40000000;
constexpr uint32_t x32_ioctl = 514;
constexpr uint32_t io_uring_setup = 425;

// FS_IOC_RESVSP, FS_IOC_RESVSP64 and FS_IOC_ZERO_RANGE, of 64 and of 32 bits.
constexpr uint32_t reserving[] = {0x40305828, 0x4030582a, 0x40305839,
                                  0x402c5828, 0x402c582a, 0x402c5839};
constexpr uint32_t freeing[] = {FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                FALLOC_FL_COLLAPSE_RANGE};

constexpr unsigned number_at = offsetof(seccomp_data, nr);
constexpr unsigned architecture_at = offsetof(seccomp_data, arch);
constexpr unsigned second_argument_at = offsetof(seccomp_data, args) + sizeof(uint64_t);

// The program is put together forwards: each test leads to an answer right behind it, or on.
struct Program {
    sock_filter lines[64]{};
    unsigned short length = 0;

    constexpr void load(unsigned at) { lines[length++] = {BPF_LD | BPF_W | BPF_ABS, 0, 0, at}; }
    constexpr void answer(uint32_t value) { lines[length++] = {BPF_RET | BPF_K, 0, 0, value}; }
    // The next `count` lines only where the value is this, or only where it is not.
    constexpr void when(uint32_t value, unsigned char count) {
        lines[length++] = {BPF_JMP | BPF_JEQ | BPF_K, 0, count, value};
    }
    constexpr void unless(uint32_t value, unsigned char count) {
        lines[length++] = {BPF_JMP | BPF_JEQ | BPF_K, count, 0, value};
    }

    constexpr void add(const Numbers& numbers) {
        constexpr uint32_t allow = SECCOMP_RET_ALLOW;
        constexpr uint32_t unsupported = SECCOMP_RET_ERRNO | EOPNOTSUPP;
        load(number_at);
        lines[length++] = {BPF_ALU | BPF_AND | BPF_K, 0, 0, ~x32_bit};
        when(io_uring_setup, 1);
        answer(SECCOMP_RET_ERRNO | ENOSYS);
        when(numbers.fallocate, 6);
        load(second_argument_at);
        for (const uint32_t mode : freeing) {
            when(mode, 1);
            answer(allow);
        }
        answer(unsupported);
        unless(numbers.ioctl, 2);
        unless(x32_ioctl, 1);
        answer(allow);
        load(second_argument_at);
        for (const uint32_t request : reserving) {
            when(request, 1);
            answer(unsupported);
        }
        answer(allow);
    }
};

constexpr Program make() {
    Program part;
    part.add(native);
    Program all;
    all.load(architecture_at);
    all.when(native.architecture, static_cast<unsigned char>(part.length));
    all.add(native);
    all.add(foreign);
    return all;
}

constexpr Program program = make();

}  // namespace

long install() {
    const sock_fprog description{program.length, const_cast<sock_filter*>(program.lines)};
    auto* argument = const_cast<sock_fprog*>(&description);
    const long installed = sys::seccomp(SECCOMP_SET_MODE_FILTER, 0, argument);
    if (installed != -EACCES) return installed;
    // A user's program that could become root would not be kept to its limit either.
    sys::prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
    return sys::seccomp(SECCOMP_SET_MODE_FILTER, 0, argument);
}

}  // namespace disk_filter
