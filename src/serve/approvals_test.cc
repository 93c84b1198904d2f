#include "serve/approvals.h"

#include <gtest/gtest.h>

namespace husk::serve {
namespace {

using std::chrono::minutes;

TEST(Tickets, HoldForOneCallOnceAndNotForEver) {
    Tickets tickets;
    const auto now = Tickets::Clock::now();
    const std::string ticket = tickets.issue("bash", "{}", now);
    EXPECT_FALSE(tickets.redeem(ticket, "bash", "{ }", now));
    EXPECT_FALSE(tickets.redeem(ticket, "bas", "h{}", now));
    EXPECT_TRUE(tickets.redeem(ticket, "bash", "{}", now + minutes(9)));
    EXPECT_FALSE(tickets.redeem(ticket, "bash", "{}", now + minutes(9)));
    const std::string old = tickets.issue("bash", "{}", now);
    EXPECT_FALSE(tickets.redeem(old, "bash", "{}", now + minutes(10)));
}

TEST(Tickets, CannotBeMadeUp) {
    Tickets tickets;
    Tickets others;
    const std::string ticket = tickets.issue("bash", "{}");
    EXPECT_FALSE(tickets.redeem(others.issue("bash", "{}"), "bash", "{}"));
    for (const std::string& text : {std::string(), std::string("."), ticket.substr(0, 20),
                                    ticket + "0", ticket.substr(0, 17) + std::string(64, '0')})
        EXPECT_FALSE(tickets.redeem(text, "bash", "{}")) << text;
    EXPECT_TRUE(tickets.redeem(ticket, "bash", "{}"));
}

TEST(CanAsk, IsAMatterOfForms) {
    const std::pair<const char*, bool> cases[] = {
        {R"({})", false},
        {R"(null)", false},
        {R"({"elicitation": {}})", true},
        {R"({"elicitation": {"form": {}}})", true},
        {R"({"elicitation": {"form": {}, "url": {}}})", true},
        {R"({"elicitation": {"url": {}}})", false},
        {R"({"elicitation": true})", false},
    };
    for (const auto& [declared, can] : cases)
        EXPECT_EQ(can_ask(Json::parse(declared)), can) << declared;
}

}  // namespace
}  // namespace husk::serve
