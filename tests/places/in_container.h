// Calls in containers of the tests' own engine.
#pragma once

#include "engine.h"
#include "scenarios/contract_calls.h"

namespace husk::test {

class InContainer : public testing::Test {
protected:
    InContainer() { configure(""); }
    ~InContainer() override {
        const Json listed = talk_.husk()({"session", "list", "--json"}).json();
        for (const Json& session : listed["sessions"])
            talk_.husk()({"session", "end", session["id"]});
    }

    void configure(const std::string& more) const {
        talk_.configure("place: container\ncontainer: {socket: " + test_engine().socket() +
                        ", image: " + image_name + "}\n" + more);
    }
    Json call(const std::string& command, Json more = Json::object()) const {
        more["command"] = command;
        return talk_.call("Bash", more);
    }
    // The structured result of a command that succeeds as a call.
    Json ran(const std::string& command, Json more = Json::object()) const {
        const Json result = call(command, std::move(more));
        EXPECT_FALSE(is_error(result)) << result;
        return result.value("structuredContent", Json::object());
    }
    std::string work(const std::string& name) const { return talk_.work() + "/" + name; }
    Ran husk(std::vector<std::string> args) const { return talk_.husk()(std::move(args)); }
    Json shells() const { return husk({"shells", "--json"}).json()["shells"]; }
    // Which of these succeed, in one call: each costs a fifth of a second.
    std::string those_that_work(const std::vector<std::string>& attempts) const {
        std::string script;
        for (const std::string& attempt : attempts)
            script += "if { " + attempt + "; } 2>/dev/null; then echo '" + attempt + "'; fi\n";
        return ran(script)["stdout"];
    }
    // Looked at from inside.
    bool something_sleeps() const {
        return ran("for p in /proc/[0-9]*; do IFS= read -r -d '' word < $p/cmdline && echo $word; "
                   "done")["stdout"]
            .get<std::string>()
            .contains("sleep");
    }
    std::string session() const {
        return husk({"session", "list", "--json"}).json()["sessions"][0]["name"];
    }

    Conversation talk_{"agentrail"};
};

}  // namespace husk::test
