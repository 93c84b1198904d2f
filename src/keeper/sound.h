// Whether a message can be read without leaving it. Nothing here makes a system call, so the fuzzer
// compiles the same text as the keeper program.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "forwarding.h"
#include "walls_wire.h"
#include "wire.h"

namespace husk::wire {

inline bool is_plan(const char* message, uint64_t size) {
    const auto& plan = *reinterpret_cast<const Plan*>(message);
    return size >= sizeof plan && plan.magic == magic && plan.version == version;
}

// How many descriptors come with a plan.
inline unsigned descriptors_of(const Plan& plan) {
    unsigned wanted = plan_descriptors;
    if ((plan.flags & Split) != 0) ++wanted;
    if ((plan.flags & Foreground) != 0) ++wanted;
    for (uint32_t file = 0; file < cgroup_files; ++file) wanted += (plan.cgroup >> file) & 1U;
    return wanted;
}

// The NUL of the text that begins at `at`, or `end` if the text has none.
inline const char* end_of_text(const char* at, const char* end) {
    while (at < end && *at != 0) ++at;
    return at;
}

struct PlanTexts {
    const char* program;
    const char* directory;  // by name, or null
};

// Reads the texts behind a plan. `strings` has room for max_strings + 2 pointers: argc arguments,
// null, envc variables, null. False when the message does not hold all of them.
inline bool read_texts(const char* message, uint64_t size, const char** strings, PlanTexts& texts) {
    const auto& plan = *reinterpret_cast<const Plan*>(message);
    const char* const end = message + size;
    const char* at = message + sizeof plan;
    const auto next = [&]() -> const char* {
        const char* const text = at;
        at = end_of_text(at, end);
        if (at == end) return nullptr;
        ++at;
        return text;
    };
    if (plan.limit_count > max_limits) return false;
    const uint64_t wanted = uint64_t{plan.argc} + plan.envc;
    if (plan.argc == 0 || wanted > max_strings) return false;
    const bool by_name = (plan.flags & DirectoryByName) != 0;
    texts = {next(), nullptr};
    if (texts.program == nullptr) return false;
    if (by_name) texts.directory = next();
    if (by_name && texts.directory == nullptr) return false;
    unsigned slot = 0;
    for (uint64_t i = 0; i < wanted; ++i) {
        if (i == plan.argc) strings[slot++] = nullptr;
        strings[slot] = next();
        if (strings[slot++] == nullptr) return false;
    }
    if (plan.envc == 0) strings[slot++] = nullptr;
    strings[slot] = nullptr;
    return true;
}

// The steps of a sound description of walls.
inline const WallStep& step_of(const char* walls, uint32_t index) {
    return reinterpret_cast<const WallStep*>(walls + sizeof(Walls))[index];
}

// The texts that the nursery itself reads are there; the kernel refuses the lack of others.
inline bool has_texts(const WallStep& step, uint64_t size) {
    constexpr uint64_t instruction = 8;
    constexpr uint64_t most_instructions = 0xffff;
    const uint32_t first = step.texts[0];
    const uint32_t second = step.texts[1];
    switch (step.op) {
        case WallOp::WriteFile:
        case WallOp::MakeLink: return first != no_text && second != no_text;
        case WallOp::MakeDirectory:
        case WallOp::MakeFile:
        case WallOp::MakeWhiteout:
        case WallOp::Protect:
        case WallOp::HoldRoot:
        case WallOp::HoldScratch:
        case WallOp::KeepHome: return first != no_text;
        case WallOp::Forward: return first != no_text && size - first >= sizeof(forwarding::Ways);
        case WallOp::HoldSocket:
            return first != no_text && second != no_text && step.texts[2] != no_text;
        case WallOp::Filter:
            if (first == no_text || step.a > most_instructions) return false;
            if (step.a * instruction > size - first) return false;
            return step.b == 0 || (second != no_text && step.c <= size - second);
        default: return true;
    }
}

// Every text lies in the message and ends there. `size` is at least that of the header.
inline bool is_sound(const char* walls, uint64_t size) {
    const auto& header = *reinterpret_cast<const Walls*>(walls);
    if (header.magic != magic || header.version != version || header.size != size) return false;
    if (sizeof header + uint64_t{header.steps} * sizeof(WallStep) > size) return false;
    for (uint32_t i = 0; i < header.steps; ++i) {
        for (const uint32_t at : step_of(walls, i).texts)
            if (at >= size) return false;
        if (!has_texts(step_of(walls, i), size)) return false;
    }
    return walls[size - 1] == 0;
}

// Every entry of a list of NameOrder lies in the list and ends there.
inline bool are_sound(const char* names, uint64_t size, unsigned roots) {
    uint64_t at = 0;
    while (at + sizeof(NameOrder) <= size) {
        const auto& name = *reinterpret_cast<const NameOrder*>(names + at);
        const uint64_t end = at + name.size;
        if (name.size < sizeof name || name.size % 8 != 0 || end > size) return false;
        if (name.relative < sizeof name || name.relative >= name.size) return false;
        if (name.target >= name.size) return false;
        if (names[end - 1] != 0) return false;
        if (name.root >= roots) return false;
        at = end;
    }
    return at == size;
}

}  // namespace husk::wire
