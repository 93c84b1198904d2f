// The rules that are in force, and how a person's "always" becomes one of them.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "decide/rules.h"

namespace husk::tool {

class RuleBook {
public:
    // Where "always" is kept, and how all rules are read again.
    struct Memory {
        std::filesystem::path file = {};
        std::function<std::expected<decide::Rules, std::string>()> rules_again = {};
    };
    RuleBook(decide::Rules rules, Memory memory)
        : memory_(std::move(memory)),
          rules_(std::make_shared<const decide::Rules>(std::move(rules))) {}

    std::shared_ptr<const decide::Rules> rules() const;
    // For all that is judged from now on.
    void use(decide::Rules rules);
    // The user's own file, where a person's "always" goes.
    const std::filesystem::path& file() const { return memory_.file; }
    // Writes it there, and goes by it from now on. What it did, in words. May wait for the disk.
    std::string remember(const std::string& directory, const std::string& command);

private:
    Memory memory_;
    mutable std::mutex guard_;
    std::shared_ptr<const decide::Rules> rules_;
};

}  // namespace husk::tool
