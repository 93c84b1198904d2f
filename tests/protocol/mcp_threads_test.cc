// A server on a machine that gives it no more threads.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "client.h"

namespace husk::test {
namespace {

// The stack of a thread has no room any more; calls go on in the threads that there are.
void take_room_for_threads(pid_t pid) {
    uint64_t pages = 0;
    std::ifstream("/proc/" + std::to_string(pid) + "/statm") >> pages;
    constexpr uint64_t for_calls = 4 << 20;
    const uint64_t most = pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) + for_calls;
    const rlimit limit{most, most};
    ASSERT_EQ(::prlimit(pid, RLIMIT_AS, &limit, nullptr), 0);
}

class WithoutThreads : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(, WithoutThreads, testing::Values("docware", "husk", "yoi"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(WithoutThreads, EachCallIsAnsweredAndTheServerEnds) {
    const Husk husk;
    Client client(husk, {"--contract", GetParam()});
    client.initialize();
    const std::string tool = std::string(GetParam()) == "husk" ? "bash" : "Bash";
    Json arguments = {{"command", "sleep 0.5"}};
    if (std::string(GetParam()) == "docware") arguments["enable_shell_features"] = true;
    const auto ask = [&](int id) {
        client.request(
            id, "tools/call",
            {{"name", tool}, {"arguments", arguments}, {"_meta", {{"progressToken", id}}}});
    };
    ask(1);
    ASSERT_TRUE(client.answer(1).contains("result"));
    take_room_for_threads(client.pid());
    constexpr int last = 20;
    for (int id = 2; id <= last; ++id) ask(id);
    std::set<int> answered;
    while (answered.size() < last - 1) {
        const Json message = client.next();
        ASSERT_FALSE(message.is_null()) << answered.size() << " are answered";
        if (message.contains("id")) answered.insert(message["id"].get<int>());
    }
    client.close_input();
    EXPECT_EQ(client.exit_code(), 0);
}

}  // namespace
}  // namespace husk::test
