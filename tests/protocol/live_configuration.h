// A server whose husk.yaml changes while it runs.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "client.h"

namespace husk::test {

namespace fs = std::filesystem;

inline constexpr const char* message = "notifications/message";
inline constexpr const char* no_rm = "permissions: {deny: [\"Bash(rm:*)\"]}\n";
inline constexpr const char* no_touch = "permissions: {deny: [\"Bash(touch:*)\"]}\n";

// A home with a configuration, and a workspace.
class LiveConfiguration : public testing::Test {
protected:
    explicit LiveConfiguration(Who who = Who::Caller) : husk_(who) {
        fs::create_directories(users_.parent_path());
        fs::create_directories(work_);
    }
    std::vector<std::string> in_work(std::vector<std::string> more = {}) const {
        std::vector<std::string> options = {"--cwd", work_.string()};
        options.insert(options.end(), more.begin(), more.end());
        return options;
    }
    // The structured result of a command.
    Json run(Client& client, const std::string& command) {
        client.bash(++calls_, command);
        return client.answer(calls_)["result"]["structuredContent"];
    }
    std::string status(Client& client, const std::string& command) {
        const Json result = run(client, command);
        return result.value("status", result.contains("exit_code") ? "exited" : "");
    }
    // As editors do it.
    static void replace(const fs::path& file, const std::string& text) {
        const fs::path fresh = file.string() + ".new";
        write_text(fresh, text);
        fs::rename(fresh, file);
    }
    // What the audit says about the configuration, oldest first.
    std::vector<Json> audited() const {
        std::vector<Json> all;
        std::istringstream lines(husk_({"log", "--json"}).out);
        for (std::string line; std::getline(lines, line);) {
            Json record = Json::parse(line);
            if (record["action"] == "configure") all.push_back(std::move(record));
        }
        return all;
    }
    std::string errors() const { return read_text(errors_); }

    Husk husk_;
    fs::path users_ = husk_.dir() / "config/husk/husk.yaml";
    fs::path work_ = husk_.dir() / "work";
    fs::path here_ = work_ / "husk.yaml";
    fs::path errors_ = husk_.dir() / "errors";
    int calls_ = 0;
};

}  // namespace husk::test
