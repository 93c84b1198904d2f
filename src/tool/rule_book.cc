#include "tool/rule_book.h"

#include "tool/configuration_edit.h"

namespace husk::tool {

std::shared_ptr<const decide::Rules> RuleBook::rules() const {
    const std::lock_guard lock(guard_);
    return rules_;
}

void RuleBook::use(decide::Rules rules) {
    auto fresh = std::make_shared<const decide::Rules>(std::move(rules));
    const std::lock_guard lock(guard_);
    rules_ = std::move(fresh);
}

std::string RuleBook::remember(const std::string& directory, const std::string& command) {
    const std::string file = memory_.file.string();
    if (const auto written = approve_always(memory_.file, directory, command); !written)
        return "it is allowed once; " + file + " was not changed: " + written.error();
    if (memory_.rules_again) {
        auto fresh = memory_.rules_again();
        if (!fresh) return "written to " + file + ", which does not count yet: " + fresh.error();
        use(*std::move(fresh));
    }
    return "written to " + file;
}

}  // namespace husk::tool
