#include "decide/this_machine.h"

#include <gtest/gtest.h>

namespace husk::decide {
namespace {

TEST(ThisMachine, IsLocalhostAndTheAddressesOfTheLoopback) {
    for (const char* url : {"localhost",
                            "LOCALHOST",
                            "http://LOCALHOST/",
                            "http://localhost:80/x",
                            "localhost.",
                            "http://user:word@localhost:80",
                            "http://app.localhost/",
                            "127.0.0.1",
                            "127.1",
                            "http://127.1/",
                            "127.0.1",
                            "127.255.0.3:80",
                            "0x7f000001",
                            "0x7F.1",
                            "017700000001",
                            "2130706433",
                            "0.0.0.0",
                            "0",
                            "[::1]",
                            "http://[::1]:80/",
                            "::1",
                            "http://[::ffff:127.0.0.1]/",
                            "http://[::FFFF:7f00:1]:80/",
                            "http://[0:0:0:0:0:0:0:1]/",
                            "http://[0:0::0:1]/",
                            "http://[0000:0000::0001]/",
                            "http://[0:0:0:0:0:ffff:127.0.0.1]/",
                            "[::1%lo]:80",
                            "0:0:0:0:0:0:0:1",
                            "http://localhost?x=@evil.example",
                            "http://localhost#@evil.example",
                            "localhost/http://evil.example",
                            "HTTP://127.0.0.1"})
        EXPECT_TRUE(is_this_machine(url)) << url;
}

TEST(ThisMachine, IsNoNameThatOnlyLooksLikeIt) {
    for (const char* url : {"",
                            "evil.example",
                            "127.0.0.1.evil.example",
                            "http://127.0.0.1.nip.io/",
                            "127.0.evil.example",
                            "localhost.evil.example",
                            "http://localhost@evil.example/",
                            "http://evil.example?@localhost",
                            "http://evil.example#@localhost",
                            "http://evil.example/@localhost",
                            "http://evil.example/://localhost",
                            "evil.example/x://localhost",
                            "http://localhost\\@evil.example",
                            "http://evil.example\\@localhost",
                            "128.0.0.1",
                            "127.0.0.256",
                            "127.0.0.0.1",
                            "127.",
                            "127.0.0.1x",
                            "0x",
                            "4294967296",
                            "[::2]",
                            "[::1].evil.example",
                            "[::1",
                            "[]",
                            "[::]:80",
                            "[::ffff:0.0.0.0]",
                            "[:]",
                            "[:::1]",
                            "[::1::]",
                            "[1::1]",
                            "[::1:1]",
                            "[::1:]",
                            "[::00001]",
                            "[::-1]",
                            "[::0x1]",
                            "[::1 ]",
                            "[0:0:0:0:0:0:1]",
                            "[0:0:0:0:0:0:0:0:1]",
                            "[0:0:0:0:0:0:0::0:1]",
                            "[::ffff:128.0.0.1]",
                            "[::ffff:127.1]",
                            "[::fffe:127.0.0.1]",
                            "[::127.0.0.1]",
                            "[127.0.0.1::1]",
                            "[::127.0.0.1:1]",
                            "[fe80::1]",
                            "[2001:db8::1]",
                            "[::1%lo",
                            "notlocalhost",
                            "http://{localhost,evil.example}/",
                            "http://",
                            "http:///evil.example"})
        EXPECT_FALSE(is_this_machine(url)) << url;
}

TEST(ThisMachine, NeedsAHostThatIsKnown) {
    const auto is_here = [](const char* script) {
        return is_this_machine(parse::parse(script).commands.at(0).words.at(1));
    };
    for (const char* script : {"curl http://localhost/$x", "curl http://localhost:$port/",
                               "curl \"http://127.0.0.1?q=$(id)\"", "curl http://[::1]:80/"})
        EXPECT_TRUE(is_here(script)) << script;
    for (const char* script : {"curl http://localhost$x/", "curl http://127.0.0.$x",
                               "curl \"$x\"localhost", "curl http://$x@localhost"})
        EXPECT_FALSE(is_here(script)) << script;
}

}  // namespace
}  // namespace husk::decide
