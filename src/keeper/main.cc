// The keeper program: static, without libc, allocating nothing. One process of it for each
// session is the nursery; the others are forked from there and keep one command each.
#include "nursery.h"

#if defined(__x86_64__)
asm(".globl _start\n"
    "_start:\n\t"
    "xorl %ebp, %ebp\n\t"
    "andq $-16, %rsp\n\t"
    "call husk_keeper_main\n");
#else
asm(".globl _start\n"
    "_start:\n\t"
    "mov x29, xzr\n\t"
    "mov x30, xzr\n\t"
    "bl husk_keeper_main\n");
#endif

extern "C" [[noreturn]] void husk_keeper_main();

void husk_keeper_main() { nursery::live(); }
