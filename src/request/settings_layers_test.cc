#include "request/settings_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "request/network_hosts.h"
#include "request/settings_file.h"
#include "request/settings_list.h"

using namespace std::literals;
using testing::ElementsAre;
using testing::HasSubstr;

namespace husk::config {
namespace {

Settings settings_of(std::string_view text, const std::string& file) {
    auto settings = read_settings(text, file);
    if (settings) return *std::move(settings);
    ADD_FAILURE() << text << ": " << settings.error()[0].message;
    return {};
}

// All that is not built in, as "key=value".
std::vector<std::string> said(const Settings& settings) {
    std::vector<std::string> all;
    for (const Line& line : lines_of(settings))
        if (line.origin.kind != Origin::Kind::BuiltIn) all.push_back(line.key + "=" + line.value);
    return all;
}

TEST(Layers, WhatComesLaterCountsAndListsGrow) {
    const Settings users = settings_of(
        "mode: read-only\nlimits: {cpu: 1s}\nwrite: [a]\nenvironment: {set: {A: 1, B: 1}}\n"
        "permissions: {mode: strict, allow: [Bash(a)]}\npacks: {git: off}\n",
        "u");
    const Settings over = settings_of(
        "mode: open\nlimits: {memory: 1G}\nwrite: [b]\nenvironment: {set: {A: 2}, unset: [B]}\n"
        "permissions: {mode: bypassPermissions, allow: [Bash(b)]}\npacks: {git: on}\n",
        "o");
    const Settings both = layered(users, over);
    EXPECT_THAT(said(both), testing::UnorderedElementsAre(
                                "mode=open", "network=open",  // which comes with the mode
                                "limits.cpu=1s", "limits.memory=1G", "write=a", "write=b",
                                "environment.set.A=2", "environment.unset=B",
                                "permissions.mode=bypassPermissions", "permissions.allow=Bash(a)",
                                "permissions.allow=Bash(b)", "packs.git=on"));
    EXPECT_EQ(to_text(both.mode.origin), "o:1");
    EXPECT_EQ(to_text(both.cpu.origin), "u:2");
    EXPECT_EQ(said(layered(users, {})), said(users));
}

struct Case {
    const char* users;
    const char* here;
    std::vector<std::string> in_force;  // that is not built in
    std::vector<std::string> ignored;
};

TEST(Layers, TheFileOfAWorkspaceMayOnlyNarrow) {
    const Case cases[] = {
        // mode
        {"", "mode: read-only", {"mode=read-only"}, {}},
        {"", "mode: workspace", {"mode=workspace"}, {}},
        {"", "mode: open", {}, {"mode: open"}},
        {"mode: read-only", "mode: workspace", {"mode=read-only"}, {"mode: workspace"}},
        {"mode: open", "mode: workspace", {"mode=workspace"}, {}},
        // network
        {"", "network: none", {"network=none"}, {}},
        {"", "network: open", {}, {"network: open"}},
        {"", "network: [a.org]", {}, {"network: a.org"}},
        {"network: open", "network: [a.org]", {"network=a.org"}, {}},
        {"network: [a.org, b.org]", "network: [b.org]", {"network=b.org"}, {}},
        {"network: [a.org]", "network: [a.org, c.org]", {"network=a.org"}, {"network: c.org"}},
        {"network: ['*.a.org']", "network: [x.a.org]", {"network=x.a.org"}, {}},
        {"network: [a.org]", "network: ['*.a.org']", {"network=none"}, {"network: *.a.org"}},
        {"network: [a.org]", "network: open", {"network=a.org"}, {"network: open"}},
        {"mode: open",
         "mode: workspace\nnetwork: [a.org]",
         {"mode=workspace", "network=a.org"},
         {}},
        {"mode: open\nnetwork: none",
         "mode: workspace\nnetwork: open",
         {"mode=workspace", "network=none"},
         {"network: open"}},
        // limits and timeouts
        {"", "limits: {cpu: 1s, memory: 1M}", {"limits.cpu=1s", "limits.memory=1M"}, {}},
        {"", "limits: {cpu: 9999h}", {}, {"limits.cpu: 9999h"}},
        {"", "limits: {cpu: none}", {}, {"limits.cpu: none"}},
        {"limits: {cpu: none}", "limits: {cpu: 20h}", {"limits.cpu=20h"}, {}},
        {"limits: {disk: 1G}", "limits: {disk: 2G}", {"limits.disk=1G"}, {"limits.disk: 2G"}},
        {"", "timeouts: {default: 5s}", {"timeouts.default=5s"}, {}},
        {"timeouts: {maximum: 5s}",
         "timeouts: {maximum: 6s}",
         {"timeouts.maximum=5s"},
         {"timeouts.maximum: 6s"}},
        // files
        {"protect: [a]", "protect: [b]", {"protect=a", "protect=b"}, {}},
        {"", "protect: [/etc]", {}, {"protect: /etc"}},
        {"", "protect: [~/x]", {}, {"protect: ~/x"}},
        {"", "protect: [a/../../x]", {}, {"protect: a/../../x"}},
        {"write: [/a, /b]", "write: [/b]", {"write=/b"}, {}},
        {"write: [/a]", "write: [/a/b]", {}, {"write: /a/b"}},
        {"", "write: [/etc]", {}, {"write: /etc"}},
        {"read: [/a]", "read: [/a]", {"read=/a"}, {"read: /a"}},
        // what only the user decides
        {"", "accept: [signals]", {}, {"accept: signals"}},
        {"", "state: /x", {}, {"state: /x"}},
        {"", "contract: yoi", {}, {"contract: yoi"}},
        {"", "tools: full", {}, {"tools: full"}},
        {"", "working_directory: /", {}, {"working_directory: /"}},
        {"", "output: {shown: 1}", {}, {"output.shown: 1"}},
        {"", "retention: {quota: 1}", {}, {"retention.quota: 1"}},
        {"", "session: {linger: 1s}", {}, {"session.linger: 1s"}},
        {"", "environment: {pass: [A]}", {}, {"environment.pass: A"}},
        {"", "environment: {set: {LD_PRELOAD: x}}", {}, {"environment: LD_PRELOAD"}},
        {"", "environment: {unset: [PAGER]}", {}, {"environment: PAGER"}},
        // rules, as before
        {"",
         "permissions: {allow: [Bash(a)], deny: [Bash(b)]}",
         {"permissions.deny=Bash(b)"},
         {"permissions.allow: Bash(a)"}},
        {"permissions: {mode: strict}",
         "permissions: {mode: dontAsk}",
         {"permissions.mode=strict"},
         {}},
    };
    for (const auto& [users, here, in_force, ignored] : cases) {
        const Narrowed narrow = narrowed_by(settings_of(users, "u"), settings_of(here, "h"));
        std::vector<std::string> messages;
        for (const Complaint& one : narrow.ignored) {
            messages.push_back(one.message);
            EXPECT_EQ(one.where.file, "h");
            EXPECT_GT(one.where.line, 0U);
        }
        EXPECT_EQ(said(narrow.settings), in_force) << users << " / " << here;
        EXPECT_EQ(messages, ignored) << users << " / " << here;
    }
}

TEST(Layers, NoHostIsCoveredThatWasNotListed) {
    struct Pair {
        const char* wide;
        const char* narrow;
        bool covered;
    };
    const Pair pairs[] = {
        {"a.org", "a.org", true},
        {"a.org", "b.org", false},
        {"*.a.org", "x.a.org", true},
        {"*.a.org", "y.x.a.org", true},
        {"*.a.org", "*.x.a.org", true},
        {"*.a.org", "a.org", false},
        {"a.org", "*.a.org", false},
        {"*.a.org", "xa.org", false},
        {"a.org:*", "a.org:8443", true},
        {"a.org:*", "a.org", true},
        {"a.org", "a.org:443", true},
        {"a.org", "a.org:8443", false},
        {"a.org:443", "a.org", false},
        {"a.org", "a.org:*", false},
        {"*.0.1", "10.0.0.1", false},
        {"10.0.0.1", "10.0.0.1", true},
        {"*.org", "[::1].org", false},
        {"*.a.org", "x..a.org", false},
        {"*.a.org", "X.a.org", false},
        {"*.a.org", "b.org/.a.org", false},
        {"*.a.org", "b.org:1:.a.org", false},
    };
    for (const auto& [wide, narrow, covered] : pairs)
        EXPECT_EQ(covers(wide, narrow), covered) << wide << " " << narrow;
}

TEST(Call, MayAskForLess) {
    const Settings settings = settings_of("network: [a.org, b.org]\ntimeouts: {maximum: 10m}", "u");
    const auto call = narrowed(settings, {.mode = Mode::ReadOnly,
                                          .network = Network{Network::Kind::Hosts, {"a.org"}},
                                          .limits = {.cpu = 1s, .memory = 5},
                                          .idle = 3s,
                                          .output = 100,
                                          .timeout = 10min});
    ASSERT_TRUE(call) << call.error();
    EXPECT_EQ(call->mode.value, Mode::ReadOnly);
    EXPECT_THAT(call->network.value.hosts, ElementsAre("a.org"));
    EXPECT_EQ(call->cpu.value, 1s);
    EXPECT_EQ(call->memory.value, 5U);
    EXPECT_EQ(call->idle.value, 3s);
    EXPECT_EQ(call->output.value, 100U);
    EXPECT_EQ(call->timeout.value, 10min);
    EXPECT_EQ(to_text(call->mode.origin), "the call");
    EXPECT_EQ(said(*narrowed(settings, {})), said(settings));
    // Where everything is open, every network is less.
    EXPECT_TRUE(narrowed(settings_of("mode: open", "u"),
                         {.mode = Mode::Workspace, .network = Network{Network::Kind::Open, {}}}));
}

std::string refusal(const char* settings, const Asked& asked) {
    const auto call = narrowed(settings_of(settings, "u"), asked);
    if (call) return "(none)";
    EXPECT_THAT(call.error(), HasSubstr("only the user can change that"));
    return call.error();
}

TEST(Call, MayNotAskForMore) {
    const Network open{Network::Kind::Open, {}};
    const Network other{Network::Kind::Hosts, {"c.org"}};
    EXPECT_THAT(refusal("mode: read-only", {.mode = Mode::Open}),
                HasSubstr("the mode \"open\" is wider than \"read-only\", which is set by u:1"));
    EXPECT_THAT(refusal("", {.mode = Mode::Open}),
                HasSubstr("wider than \"workspace\", which is built in"));
    EXPECT_THAT(refusal("", {.network = open}), HasSubstr("the network \"open\" is wider"));
    EXPECT_THAT(refusal("network: [a.org]", {.network = other}),
                HasSubstr("the host \"c.org\" is not among those that may be reached (a.org)"));
    EXPECT_THAT(refusal("", {.limits = {.cpu = 24h * 999}}), HasSubstr("limits.cpu: "));
    EXPECT_THAT(refusal("", {.limits = {.processes = 0}}), HasSubstr("limits.processes: 512"));
    EXPECT_THAT(refusal("limits: {disk: 1G}", {.limits = {.disk = 0}}),
                HasSubstr("limits.disk: 1G, which is set by u:1"));
    EXPECT_THAT(refusal("limits: {idle: 1s}", {.idle = 2s}), HasSubstr("limits.idle: 1s"));
    EXPECT_THAT(refusal("limits: {output: 1K}", {.output = 2000}), HasSubstr("limits.output: 1K"));
    const char* ten = "timeouts: {maximum: 10m}";
    EXPECT_THAT(refusal(ten, {.timeout = 11min}), HasSubstr("timeouts.maximum: 10m"));
    EXPECT_THAT(refusal(ten, {.timeout = 0s}), HasSubstr("timeouts.maximum: 10m"));
}

TEST(Layers, KeepTheNetworkThatIsAskedForOrSayWhyNot) {
    const std::vector<std::pair<const char*, bool>> cases = {
        {"mode: open", true},
        {"mode: open\nnetwork: open", true},
        {"mode: open\nnetwork: none", false},
        {"mode: open\nnetwork: [a.org]", false},
        {"mode: open\nnetwork: none\nplace: container", true},
        {"mode: workspace\nnetwork: [a.org]", true},
        {"mode: workspace\nnetwork: open", true},
        {"mode: read-only", true},
        {"mode: read-only\nnetwork: none", true},
        {"mode: read-only\nnetwork: [a.org]", false},
        {"mode: read-only\nnetwork: open", false},
        {"mode: read-only\nnetwork: open\nplace: container", false},
    };
    for (const auto& [text, kept] : cases)
        EXPECT_EQ(network_refusal(settings_of(text, "u")).empty(), kept) << text;
    EXPECT_EQ(network_refusal(settings_of("network: none\nmode: open", "u")),
              "none is asked for (u:1) and the mode is open (u:2): the mode open has no walls to "
              "keep that; take the mode workspace, or the network open");
}

}  // namespace
}  // namespace husk::config
