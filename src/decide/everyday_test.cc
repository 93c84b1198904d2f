// What developers type all day. With every pack switched on, none of it may raise an alarm.
#include <gtest/gtest.h>

#include "decide/check.h"
#include "decide/decide.h"
#include "decide/everyday.h"

namespace husk::decide {
namespace {

TEST(Everyday, IsALongList) { EXPECT_GE(everyday_commands().size(), 500U); }

TEST(Everyday, RaisesNoAlarmWithAllPacksOn) {
    RuleTexts texts;
    for (const Pack* pack : all_packs()) texts.packs[std::string(pack->name)] = true;
    const Compiled compiled = compile(texts);
    ASSERT_TRUE(compiled.usable());
    ASSERT_EQ(compiled.rules.packs.size(), all_packs().size());
    const Context context = {.working_directory = "/home/user/app", .home = "/home/user"};
    for (const std::string& command : everyday_commands()) {
        const parse::Script script = parse::parse(command);
        const Verdict verdict = decide(script, compiled.rules, context);
        EXPECT_TRUE(verdict.understood) << command << "\n" << verdict.reason;
        EXPECT_EQ(verdict.decision, Decision::Allow) << command << "\n"
                                                     << verdict.rule << ": " << verdict.reason;
    }
}

}  // namespace
}  // namespace husk::decide
