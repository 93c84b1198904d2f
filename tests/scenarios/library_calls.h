// Calls of the tools of the library.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <variant>

#include "contract_calls.h"

namespace husk::test {

using Text = std::variant<std::string, Error>;

inline Json json_of(const Text& result) {
    if (const auto* error = std::get_if<Error>(&result)) {
        ADD_FAILURE() << error->text();
        return nullptr;
    }
    return Json::parse(std::get<std::string>(result), nullptr, false);
}

inline std::string error_of(const Text& result) {
    const auto* error = std::get_if<Error>(&result);
    return error == nullptr ? "no error: " + std::get<std::string>(result) : error->text();
}

inline std::string command(const std::string& text, Json more = Json::object()) {
    more["command"] = text;
    return more.dump();
}

class LibraryTools : public testing::Test {
protected:
    LibraryTools() {
        std::filesystem::create_directory(work_);
        configure("mode: open\n");
    }

    void configure(const std::string& yaml) const { write_text(config(), yaml); }
    std::filesystem::path config() const { return husk_.dir() / "husk.yaml"; }
    ToolSettings settings(const std::string& contract = "phoenix") const {
        return {.contract = contract, .config = config(), .state = husk_.state()};
    }
    ToolSettings asking(const std::string& contract = "phoenix") const {
        ToolSettings all = settings(contract);
        all.overrides = "permissions: {ask: [\"Bash(touch:*)\"]}\n";
        return all;
    }
    ToolContext here() const { return {.working_dir = work_}; }
    std::filesystem::path made() const { return work_ / "made"; }

    Husk husk_;
    std::filesystem::path work_ = husk_.dir() / "work";
};

}  // namespace husk::test
