#include "serve/http_auth.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

namespace husk::serve::http {
namespace {

using namespace std::chrono_literals;

struct NameCase {
    const char* host;
    const char* local;
    bool allowed;
};

TEST(Names, AreTheAddressLoopbackOrGiven) {
    const Names names{.port = 4875, .more = {"husk.example"}};
    const NameCase cases[] = {
        {"127.0.0.1:4875", "127.0.0.1", true},
        {"localhost:4875", "127.0.0.1", true},
        {"LocalHost:4875", "127.0.0.1", true},
        {"[::1]:4875", "::1", true},
        {"localhost:4875", "::1", true},
        {"10.0.0.7:4875", "10.0.0.7", true},
        {"husk.example", "10.0.0.7", true},
        {"husk.example:443", "127.0.0.1", true},
        // A name that an attacker lets point to us.
        {"evil.example:4875", "127.0.0.1", false},
        {"127.0.0.1.evil.example:4875", "127.0.0.1", false},
        {"localhost.evil.example:4875", "127.0.0.1", false},
        {"localhost:4876", "127.0.0.1", false},
        {"localhost", "127.0.0.1", false},
        {"", "127.0.0.1", false},
        {"localhost:4875", "10.0.0.7", false},
        {"10.0.0.8:4875", "10.0.0.7", false},
    };
    for (const NameCase& one : cases)
        EXPECT_EQ(names.allow_host(one.host, one.local), one.allowed) << one.host;
}

TEST(Names, OfAnOriginHaveAScheme) {
    const Names names{.port = 4875};
    EXPECT_TRUE(names.allow_origin("http://localhost:4875", "127.0.0.1"));
    EXPECT_TRUE(names.allow_origin("https://127.0.0.1:4875", "127.0.0.1"));
    for (const char* origin : {"null", "", "localhost:4875", "http://evil.example",
                               "http://localhost:4876", "file://localhost:4875"})
        EXPECT_FALSE(names.allow_origin(origin, "127.0.0.1")) << origin;
}

Request request_with(std::vector<std::pair<std::string, std::string>> headers,
                     std::string method = "GET") {
    headers.emplace_back("host", "127.0.0.1:1");
    return {.method = std::move(method),
            .path = "/v1",
            .headers = std::move(headers),
            .local_address = "127.0.0.1"};
}

class GateTest : public testing::Test {
protected:
    Gate gate{{.auth = Auth::Token, .token = "0123456789abcdef0123456789abcdef"}, {.port = 1}};
    Gate::Clock::time_point now = Gate::Clock::now();

    int status(const Request& request) const {
        const auto refused = gate.check_client(request, now);
        return refused ? refused->response.status : 200;
    }
    std::string cookie() {
        const Response response = gate.follow_link(gate.make_link(now).path.substr(6), now);
        for (const auto& [name, value] : response.headers)
            if (name == "Set-Cookie") return value.substr(0, value.find(';'));
        return "";
    }
};

TEST_F(GateTest, WantsTheToken) {
    const std::string token = "0123456789abcdef0123456789abcdef";
    EXPECT_EQ(status(request_with({{"authorization", "Bearer " + token}})), 200);
    EXPECT_EQ(status(request_with({{"authorization", "bearer " + token}})), 200);
    const std::string wrong_ones[] = {
        "", token, "Bearer", "Bearer ", "Bearer " + token + "x", "Basic " + token};
    for (const std::string& wrong : wrong_ones)
        EXPECT_EQ(status(request_with({{"authorization", wrong}})), 401) << wrong;
    EXPECT_EQ(status(request_with({})), 401);
}

TEST_F(GateTest, ALinkIsGoodOnceAndForTenMinutes) {
    const Gate::Link link = gate.make_link(now);
    const std::string code = link.path.substr(6);
    EXPECT_EQ(gate.follow_link("x", now).status, 403);
    EXPECT_EQ(gate.follow_link(code, now).status, 303);
    EXPECT_EQ(gate.follow_link(code, now).status, 403);
    EXPECT_EQ(gate.follow_link(gate.make_link(now).path.substr(6), now + 11min).status, 403);
}

TEST_F(GateTest, ACookieReadsAndChangesOnlyFromTheConsole) {
    const std::string given = cookie();
    ASSERT_FALSE(given.empty());
    EXPECT_EQ(status(request_with({{"cookie", given}})), 200);
    EXPECT_EQ(status(request_with({{"cookie", given}}, "POST")), 403);
    EXPECT_EQ(status(request_with({{"cookie", given}, {"origin", "http://127.0.0.1:1"}}, "POST")),
              200);
    std::string forged = given;
    forged[5] = forged[5] == '9' ? '8' : '9';
    EXPECT_EQ(status(request_with({{"cookie", forged}})), 401);
    now += 13h;
    EXPECT_EQ(status(request_with({{"cookie", given}})), 401);
}

TEST_F(GateTest, ChecksNamesOnTcpAlone) {
    const auto refused = [&](const Request& request) {
        return gate.check_names(request).has_value();
    };
    EXPECT_FALSE(refused(request_with({})));
    EXPECT_FALSE(refused(request_with({{"origin", "http://localhost:1"}})));
    EXPECT_TRUE(refused(request_with({{"origin", "http://evil.example"}})));
    EXPECT_TRUE(refused(request_with({{"host", "127.0.0.1:1"}})));  // twice
    Request local{.method = "GET", .path = "/", .is_local = true};
    EXPECT_FALSE(refused(local));
    EXPECT_FALSE(gate.check_client(local, now));
}

TEST(Token, IsMadeOnceAndRefusedWhereOthersCanReadIt) {
    char dir[] = "/tmp/husk-token-XXXXXX";
    ASSERT_NE(::mkdtemp(dir), nullptr);
    const std::filesystem::path file = std::filesystem::path(dir) / "http-token";
    const auto token = token_in(file);
    ASSERT_TRUE(token);
    EXPECT_GE(token->size(), 40U);
    EXPECT_EQ(token_in(file).value_or(""), *token);
    struct stat info{};
    ::stat(file.c_str(), &info);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    ::chmod(file.c_str(), 0644);
    EXPECT_FALSE(token_in(file));
    std::filesystem::remove_all(dir);
}

TEST(Bucket, FillsAgain) {
    Bucket bucket(10, 2);
    const auto now = Bucket::Clock::now() + 1s;
    EXPECT_TRUE(bucket.take(now));
    EXPECT_TRUE(bucket.take(now));
    EXPECT_FALSE(bucket.take(now));
    EXPECT_TRUE(bucket.take(now + 150ms));
    EXPECT_FALSE(bucket.take(now + 150ms));
}

}  // namespace
}  // namespace husk::serve::http
