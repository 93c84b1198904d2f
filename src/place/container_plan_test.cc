#include "place/container_plan.h"

#include <gtest/gtest.h>

namespace husk::place {
namespace {

Plan plan() {
    Plan plan;
    plan.image = "debian:12";
    plan.warden = "/state/warden";
    plan.boot_id = "boot";
    plan.mounts = {{"/home/u/app", "/workspace", false, 8, 1, 100},
                   {"/home/u/app/memo", "/workspace/memo", true, 8, 1, 200}};
    plan.limits.memory = 1 << 30;
    plan.limits.processes = 100;
    plan.limits.open_files = 0;
    plan.limits.file_size = 4096;
    plan.limits.cpu = std::chrono::milliseconds(1500);
    plan.user = plan.group = 1000;
    plan.linger_seconds = 60;
    plan.session = "s";
    plan.seccomp = "/state/place/seccomp";
    return plan;
}

TEST(ContainerPlan, GivesAwayNothingThatNobodyAskedFor) {
    const Json body = create_body(plan());
    const Json& host = body["HostConfig"];
    EXPECT_EQ(host["NetworkMode"], "none");
    EXPECT_EQ(host["CapDrop"], Json::array({"ALL"}));
    EXPECT_FALSE(host.contains("CapAdd"));
    EXPECT_EQ(host["Privileged"], false);
    EXPECT_EQ(host["SecurityOpt"],
              (Json{"no-new-privileges", "label=disable", "seccomp=/state/place/seccomp"}));
    EXPECT_EQ(host["Memory"], 1 << 30);
    EXPECT_EQ(host["MemorySwap"], 1 << 30);
    EXPECT_EQ(host["PidsLimit"], 100);
    for (const auto& [at, read_only] : {std::pair(0U, true), {1U, false}, {2U, true}})
        EXPECT_EQ(host["Mounts"][at]["ReadOnly"], read_only) << at;
    EXPECT_EQ(body["User"], "1000:1000");
    EXPECT_EQ(body["Cmd"], (Json{"init", "60", "0", "4096", "2", "boot", "8:1:100:w:/workspace",
                                 "8:1:200:r:/workspace/memo"}));
}

TEST(ContainerPlan, IsOfTheCallerWhateverTheEngineIs) {
    struct Case {
        Kind engine;
        uint32_t user;
        const char* inside;
        bool may_own;
    };
    const Case cases[] = {
        {Kind::Rootful, 1000, "1000:1000", false},
        {Kind::Rootful, 0, "0:0", true},
        {Kind::Rootless, 1000, "0:0", true},
    };
    for (const Case& one : cases) {
        Plan wanted = plan();
        wanted.engine = one.engine;
        wanted.user = wanted.group = one.user;
        const Json body = create_body(wanted);
        EXPECT_EQ(body["User"], one.inside);
        EXPECT_EQ(body["HostConfig"].contains("CapAdd"), one.may_own);
    }
}

TEST(ContainerPlan, IsAnotherWhenWhatCommandsFindIsAnother) {
    const std::string same = plan().fingerprint();
    EXPECT_EQ(plan().fingerprint(), same);
    Plan other = plan();
    other.session = "t";
    EXPECT_EQ(other.fingerprint(), same);
    other.image = "debian:11";
    EXPECT_NE(other.fingerprint(), same);
    other = plan();
    other.network.kind = Network::Kind::Open;
    EXPECT_NE(other.fingerprint(), same);
    other = plan();
    other.mounts.pop_back();
    EXPECT_NE(other.fingerprint(), same);
    other = plan();
    other.mounts.back().inode = 201;  // a file that was replaced
    EXPECT_NE(other.fingerprint(), same);
}

TEST(DirectoryInside, IsInTheWorkspace) {
    EXPECT_EQ(directory_inside(""), "/workspace");
    EXPECT_EQ(directory_inside("."), "/workspace");
    EXPECT_EQ(directory_inside("a/b/"), "/workspace/a/b");
    EXPECT_EQ(directory_inside("/workspace"), "/workspace");
    EXPECT_EQ(directory_inside("/workspace/a/../b"), "/workspace/b");
    for (const char* outside : {"/", "/etc", "..", "/workspace/..", "/workspacex", "a/../../b"})
        EXPECT_FALSE(directory_inside(outside)) << outside;
}

TEST(Moved, ValuesOfVariablesAreNotArguments) {
    Request request;
    request.command = "echo $A";
    request.env = {{"A", "secret"}, {"B", std::nullopt}};
    const Request here = moved(request, {"/s.sock", "c"}, "/workspace", "/bin/husk");
    EXPECT_EQ(here.argv,
              (std::vector<std::string>{"/bin/husk", "place", "--socket", "/s.sock", "--container",
                                        "c", "--directory", "/workspace", "--env", "A", "--",
                                        "bash", "--norc", "-c", "--", "echo $A"}));
    EXPECT_EQ(here.command, "echo $A");
    EXPECT_EQ(here.env, request.env);
}

}  // namespace
}  // namespace husk::place
