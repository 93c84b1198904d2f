// A state directory for tests of the audit.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "record/entry.h"
#include "record/journal.h"
#include "temp_dir.h"

namespace husk::audit {

class Place {
public:
    std::filesystem::path state() const { return dir_.path() / "state"; }
    std::filesystem::path file(uint64_t number) const {
        return state() / folder / file_name(number);
    }
    std::string text(uint64_t number) const {
        std::ostringstream text;
        text << std::ifstream(file(number)).rdbuf();
        return text.str();
    }
    void write(uint64_t number, const std::string& text) const {
        std::ofstream(file(number)) << text;
    }

    // A call of `command` that has ended with that code.
    void record(const std::string& id, const std::string& command, int code = 0,
                Asked asked = {.via = "run", .action = "run"}) const {
        Journal journal(state());
        asked.command = command;
        for (const std::string& line : {begin_record(id, asked), ended(id, code)})
            if (!journal.append(line)) throw std::runtime_error("nothing was recorded");
    }
    static std::string ended(const std::string& id, int code) {
        Report report;
        report.ending = Exited{code};
        report.pid = 7;
        report.duration_ms = 10.0 * (code + 1);
        report.usage.user_ms = 1;
        report.usage.system_ms = 2;
        report.excerpt.total_bytes = 100;
        return end_record(id, {.report = report, .when = now_ms()});
    }

private:
    test::TempDir dir_;
};

}  // namespace husk::audit
