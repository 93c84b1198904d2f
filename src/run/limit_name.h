// The names of limits, as reports and settings have them.
#pragma once

#include "keeper/record.h"

namespace husk::run {

constexpr const char* name_of(record::Resource resource) {
    switch (resource) {
        case record::Resource::Output: return "output";
        case record::Resource::Cpu: return "cpu";
        case record::Resource::Memory: return "memory";
        case record::Resource::Processes: return "processes";
        case record::Resource::Disk: return "disk";
        case record::Resource::FileSize: return "file_size";
        case record::Resource::Lifetime: return "lifetime";
    }
    return "unknown";
}

}  // namespace husk::run
