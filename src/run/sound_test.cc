#include "keeper/sound.h"

#include <gtest/gtest.h>

#include <string>

#include "confine/steps.h"
#include "run/plan.h"

namespace husk::wire {
namespace {

std::string walls_with(confine::Step step) {
    confine::Steps steps;
    steps.add(std::move(step));
    return steps.encode();
}

bool is_sound(const std::string& walls) { return wire::is_sound(walls.data(), walls.size()); }

TEST(Sound, WallsAsTheyAreWrittenAreSound) {
    EXPECT_TRUE(is_sound(walls_with({WallOp::MakeDirectory, "make /x", 0755, 0, 0, {"/x"}})));
    EXPECT_TRUE(is_sound(walls_with({WallOp::Filter, "filter", 2, 0, 0, {std::string(16, '\1')}})));
}

TEST(Sound, AFilterThatReachesBeyondTheMessageIsNotSound) {
    const std::string program(16, '\1');
    EXPECT_FALSE(is_sound(walls_with({WallOp::Filter, "filter", 4, 0, 0, {program}})));
    EXPECT_FALSE(is_sound(walls_with({WallOp::Filter, "filter", 65536 + 1, 0, 0, {program}})));
    EXPECT_FALSE(is_sound(walls_with({WallOp::Filter, "filter", 2, 1, 64, {program, "rows"}})));
    EXPECT_FALSE(
        is_sound(walls_with({WallOp::Filter, "filter", 2, 1, ~uint64_t{0}, {program, "rows"}})));
}

TEST(Sound, AStepThatLacksATextIsNotSound) {
    EXPECT_FALSE(is_sound(walls_with({WallOp::WriteFile, "write", 0, 0, 0, {"/proc/self/x"}})));
    EXPECT_FALSE(is_sound(walls_with({WallOp::Protect, "protect", 0, 0, 0, {}})));
    EXPECT_FALSE(is_sound(walls_with({WallOp::Filter, "filter", 1, 0, 0, {}})));
}

TEST(Sound, APlanHoldsTheTextsThatItCounts) {
    run::LaunchPlan plan;
    plan.program = "/bin/bash";
    plan.argv = {"bash", "-c", "true"};
    plan.env = {"A=1"};
    std::string message = run::encode(plan).value();
    const char* strings[max_strings + 2];
    PlanTexts texts{};
    ASSERT_TRUE(is_plan(message.data(), message.size()));
    ASSERT_TRUE(read_texts(message.data(), message.size(), strings, texts));
    EXPECT_STREQ(texts.program, "/bin/bash");
    EXPECT_STREQ(strings[2], "true");
    EXPECT_EQ(strings[3], nullptr);
    EXPECT_STREQ(strings[4], "A=1");
    EXPECT_EQ(strings[5], nullptr);
    message.pop_back();  // the last NUL
    EXPECT_FALSE(read_texts(message.data(), message.size(), strings, texts));
}

}  // namespace
}  // namespace husk::wire
