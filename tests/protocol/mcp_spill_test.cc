// Output of the contract `yoi` that is too long for an answer, and how long its file lives.
#include <gmock/gmock.h>

#include <csignal>

#include "client.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Yoi : public testing::Test {
protected:
    std::vector<std::string> options(bool with_directory) const {
        std::vector<std::string> all = {"--contract", "yoi"};
        if (with_directory) all.insert(all.end(), {"--output-dir", spill_.string()});
        return all;
    }
    // The file that the answer to a long output points to.
    static fs::path long_output(Client& client) {
        const Json result = client.ask(1, "tools/call",
                                       {{"name", "Bash"}, {"arguments", {{"command", "seq 200"}}}});
        const std::string text = result["result"]["content"][0]["text"];
        const size_t from = text.find(" at ") + 4;
        return text.substr(from, text.find("]\n") - from);
    }

    Husk husk_;
    fs::path spill_ = husk_.dir() / "spill";
};

// spilled_files_are_cleaned_up_on_drop: the tool is dropped when its server ends.
TEST_F(Yoi, SpilledFilesAreCleanedUpOnDrop) {
    for (const bool with_directory : {true, false}) {
        SCOPED_TRACE(with_directory);
        fs::path path;
        {
            Client client(husk_, options(with_directory));
            client.initialize();
            path = long_output(client);
            EXPECT_TRUE(fs::exists(path)) << path;
            EXPECT_EQ(path.parent_path() == spill_, with_directory);
            const fs::path second = long_output(client);
            EXPECT_NE(path, second);
            client.close_input();
            EXPECT_EQ(client.exit_code(), 0);
            EXPECT_FALSE(fs::exists(second)) << second;
        }
        EXPECT_FALSE(fs::exists(path)) << path;
        EXPECT_TRUE(!fs::exists(spill_) || fs::is_empty(spill_));
    }
}

// Then the answer names the log, which goes like the file.
TEST_F(Yoi, LogsInPlaceOfSpilledFilesAreCleanedUpOnDrop) {
    write_text(spill_, "");
    Client client(husk_, options(true));
    client.initialize();
    const fs::path first = long_output(client);
    const fs::path second = long_output(client);
    for (const fs::path& path : {first, second}) {
        EXPECT_TRUE(fs::exists(path)) << path;
        EXPECT_EQ(path.extension(), ".log");
    }
    client.close_input();
    EXPECT_EQ(client.exit_code(), 0);
    for (const fs::path& path : {first, second}) EXPECT_FALSE(fs::exists(path)) << path;
}

TEST_F(Yoi, SpilledFilesAreCleanedUpWhenTheServerIsTerminated) {
    Client client(husk_, options(true));
    client.initialize();
    const fs::path path = long_output(client);
    EXPECT_TRUE(fs::exists(path)) << path;
    client.kill(SIGTERM);
    EXPECT_TRUE(client.exit_code());
    EXPECT_FALSE(fs::exists(path)) << path;
}

TEST_F(Yoi, SpilledFilesOfAKilledServerGoWithTheNextOne) {
    for (const bool with_directory : {true, false}) {
        SCOPED_TRACE(with_directory);
        Client other(husk_, options(with_directory));
        other.initialize();
        const fs::path kept = long_output(other);
        fs::path path;
        {
            Client client(husk_, options(with_directory));
            client.initialize();
            path = long_output(client);
            client.kill(SIGKILL);
            EXPECT_TRUE(client.exit_code());
        }
        EXPECT_TRUE(fs::exists(path)) << path;
        Client next(husk_, options(with_directory));
        next.initialize();
        EXPECT_FALSE(fs::exists(path)) << path;
        // Nobody takes away what belongs to a server that lives.
        EXPECT_TRUE(fs::exists(kept)) << kept;
    }
}

}  // namespace
}  // namespace husk::test
