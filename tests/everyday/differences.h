// The differences that remain, as differences.txt lists them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "case.h"

namespace husk::everyday {

struct Difference {
    std::string name;  // of the case
    bool for_root = true;
    bool for_user = true;
    std::string cause;
    std::string report;                 // a denial or a note has to contain this
    std::vector<std::string> settings;  // with these words for `husk run` there is no difference
    std::string no_setting;             // why there are none

    bool is_for(User user) const { return user == User::Root ? for_root : for_user; }
};

std::vector<Difference> read_differences(const std::filesystem::path& file);
std::optional<Difference> listed(const std::vector<Difference>& all, const Case& one, User user);

}  // namespace husk::everyday
