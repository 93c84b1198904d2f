// Reports to clients and people about a changed configuration, obeyed or refused.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "record/configuration_entry.h"
#include "serve/json_rpc.h"
#include "serve/logging.h"
#include "tool/toolbox.h"

namespace husk::serve {

// {"outcome", "files": [{"path", "sha256"}], "changed", "after_restart", "warnings", "why"}
Json configuration_json(const audit::ConfigurationChange& change);

// For MCP's logging.
LogEntry entry_about(const audit::ConfigurationChange& change);

// For a person at the terminal of the server.
std::vector<std::string> lines_about(const audit::ConfigurationChange& change);

// Looks at the configuration once a second, so that a change is told also while nobody calls.
class ConfigurationWatch {
public:
    explicit ConfigurationWatch(tool::Toolbox& toolbox);
    ~ConfigurationWatch();
    ConfigurationWatch(const ConfigurationWatch&) = delete;
    ConfigurationWatch& operator=(const ConfigurationWatch&) = delete;

private:
    void loop();

    tool::Toolbox& toolbox_;
    std::mutex guard_;
    std::condition_variable changed_;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace husk::serve
