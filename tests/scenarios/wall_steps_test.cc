// No wall fails open: whichever step of building them fails, nothing is run and the step is named,
// or the mode can be had without it and the report says what is missing.
#include <gmock/gmock.h>
#include <unistd.h>

#include <set>

#include "confine/walls.h"
#include "walled.h"

namespace husk::test {
namespace {

using confine::Step;
using testing::HasSubstr;

struct Planned {
    const char* name;
    const char* mode;
    std::vector<std::string> options;
    Network network;
};

const Planned plans[] = {
    {"ReadOnly", "read-only", {}, {}},
    {"Workspace", "workspace", {}, {}},
    {"ListedHosts",
     "workspace",
     {"--network", "example.org"},
     {Network::Kind::Hosts, {"example.org"}}},
};

std::ostream& operator<<(std::ostream& out, const Planned& plan) { return out << plan.name; }

class WallSteps : public testing::TestWithParam<std::tuple<Planned, Who>> {
protected:
    const Planned& plan() const { return std::get<Planned>(GetParam()); }

    // What `husk run` asks for in this place.
    confine::Wanted wanted() const {
        const bool root = place.uid() == 0;
        confine::Wanted all;
        all.mode = plan().mode == std::string("read-only") ? Mode::ReadOnly : Mode::Workspace;
        all.network = plan().network;
        all.workspace = place.work();
        all.home = place.home();
        all.state = place.husk().state();
        all.root = root;
        all.machine = confine::Machine::assumed();
        all.machine.user_namespace = !root;
        return confine::resolved(all);
    }

    // One of each kind, whatever path it is about; what is about the session's own paths is left
    // out, because each session has others.
    std::vector<Step> steps() const {
        const auto walls = confine::plan_walls(wanted());
        EXPECT_TRUE(walls) << walls.error().text();
        std::set<std::pair<wire::WallOp, std::string>> seen;
        std::vector<Step> found;
        for (const Step& step : walls ? walls->steps.all() : std::vector<Step>()) {
            const bool lasts = step.name.find(place.husk().state()) == std::string::npos;
            if (lasts && seen.emplace(step.op, step.name.substr(0, step.name.find('/'))).second)
                found.push_back(step);
        }
        return found;
    }

    nlohmann::json report_failing(const Step& step) const {
        std::vector<std::string> options = plan().options;
        options.emplace_back("--json");
        return place.pretending("fail=" + step.name, plan().mode, "echo ran", options).json();
    }

    const Walled place{std::get<Who>(GetParam())};
};

std::string plan_name(const testing::TestParamInfo<std::tuple<Planned, Who>>& test) {
    return std::string(std::get<Planned>(test.param).name) +
           (std::get<Who>(test.param) == Who::Caller ? "" : "AsOrdinaryUser");
}

INSTANTIATE_TEST_SUITE_P(, WallSteps, testing::Combine(testing::ValuesIn(plans), both()),
                         plan_name);

TEST_P(WallSteps, ThatFailAreNamedAndNothingIsRun) {
    const std::vector<Step> all = steps();
    EXPECT_GT(all.size(), 15U);
    for (const Step& step : all) {
        SCOPED_TRACE(step.name);
        const auto report = report_failing(step);
        if (report["status"] == "exited") {
            EXPECT_NE(step.mechanism, "") << report;
            EXPECT_FALSE(report["confinement"]["missing"].empty()) << report;
            continue;
        }
        EXPECT_EQ(report["status"], "not_started") << report;
        EXPECT_EQ(report["output"], "") << report;
        EXPECT_THAT(report["error"].dump() + report["notes"].dump(),
                    HasSubstr("walls: " + step.name));
    }
}

}  // namespace
}  // namespace husk::test
