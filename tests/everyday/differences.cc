#include "differences.h"

#include <algorithm>

namespace husk::everyday {

std::vector<Difference> read_differences(const std::filesystem::path& file) {
    std::vector<Difference> all;
    for (const Block& block : read_blocks(file, "difference")) {
        block.allow_only({"as", "cause", "report", "settings", "no setting"});
        const std::string as = block.text("as");
        Difference one{.name = block.name,
                       .for_root = as != "user",
                       .for_user = as != "root",
                       .cause = block.text("cause"),
                       .report = block.text("report"),
                       .settings = block.words("settings"),
                       .no_setting = block.text("no setting")};
        if (one.cause.empty() || one.report.empty())
            block.give_up("a difference has a cause, and a report that names it");
        if (one.settings.empty() == one.no_setting.empty())
            block.give_up("say which settings work, or why none does (no setting:)");
        all.push_back(one);
    }
    return all;
}

std::optional<Difference> listed(const std::vector<Difference>& all, const Case& one, User user) {
    const auto found = std::ranges::find_if(all, [&](const Difference& difference) {
        return difference.name == one.name && difference.is_for(user);
    });
    return found == all.end() ? std::nullopt : std::optional(*found);
}

}  // namespace husk::everyday
