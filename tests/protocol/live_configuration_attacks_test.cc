// A changed husk.yaml that nobody should obey: made by a command, half written, or no file at all.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "live_configuration.h"

namespace husk::test {
namespace {

using testing::HasSubstr;

// ---- trust: a running server grants nothing that a start would not

TEST_F(LiveConfiguration, OfAWorkspaceOnlyNarrows) {
    write_text(users_, std::string(no_rm) + "limits: {open_files: 77}\n");
    Client client(husk_, in_work());
    client.initialize();
    write_text(here_,
               "permissions: {allow: [\"Bash(rm:*)\"], deny: [\"Bash(touch:*)\"]}\n"
               "limits: {open_files: 99}\n");
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    EXPECT_EQ(status(client, "touch x"), "denied");
    EXPECT_EQ(run(client, "ulimit -n")["output"], "77\n");
    write_text(here_, "limits: {open_files: 66}\n");
    EXPECT_EQ(run(client, "ulimit -n")["output"], "66\n");
}

TEST_F(LiveConfiguration, OfAWorkspaceIsTrustedAndNoLongerTrustedAtOnce) {
    write_text(users_, "limits: {open_files: 77}\n");
    write_text(here_, "limits: {open_files: 99}\n");
    Client client(husk_, in_work());
    client.initialize();
    EXPECT_EQ(run(client, "ulimit -n")["output"], "77\n");
    EXPECT_EQ(husk_({"trust", here_.string()}).code, 0);
    EXPECT_EQ(run(client, "ulimit -n")["output"], "99\n");
    write_text(here_, "limits: {open_files: 98}\n");  // another content is not trusted
    EXPECT_EQ(run(client, "ulimit -n")["output"], "77\n");
    write_text(here_, "limits: {open_files: 99}\n");
    EXPECT_EQ(run(client, "ulimit -n")["output"], "99\n");
    EXPECT_EQ(husk_({"trust", "--revoke", here_.string()}).code, 0);
    EXPECT_EQ(run(client, "ulimit -n")["output"], "77\n");
}

class LiveConfigurationBehindWalls : public LiveConfiguration,
                                     public testing::WithParamInterface<Who> {
protected:
    LiveConfigurationBehindWalls() : LiveConfiguration(GetParam()) {}
    void give_away() const {
        if (GetParam() != Who::OrdinaryUser || ::geteuid() != 0) return;
        for (const auto& entry : fs::recursive_directory_iterator(husk_.dir()))
            ::lchown(entry.path().c_str(), ordinary_uid, ordinary_uid);
    }
};

INSTANTIATE_TEST_SUITE_P(, LiveConfigurationBehindWalls, both(), who_name);

// A command tries what it can to be allowed more.
TEST_P(LiveConfigurationBehindWalls, CannotBeChangedByCommands) {
    const fs::path named = work_ / "conf/rules.yaml";
    fs::create_directories(named.parent_path());
    write_text(named, no_rm);
    give_away();
    Client client(husk_, in_work({"--mode", "workspace", "--config", named.string(), "--force"}));
    client.initialize();
    for (const char* attempt :
         {"echo > conf/rules.yaml", "truncate -s 0 conf/rules.yaml", "mv conf/rules.yaml conf/x",
          "unlink conf/rules.yaml", "mv conf away && mkdir conf && echo '{}' > conf/rules.yaml",
          "echo '{}' > new && mv -f new conf/rules.yaml", "ln -sf /dev/null conf/rules.yaml"}) {
        EXPECT_TRUE(run(client, attempt).contains("exit_code")) << attempt;
        EXPECT_EQ(status(client, "rm -f x"), "denied") << attempt;
        EXPECT_EQ(read_text(named), no_rm) << attempt;
    }
}

TEST_P(LiveConfigurationBehindWalls, DoesNotCountIfALinkToItCouldHaveBeenReplaced) {
    const fs::path elsewhere = husk_.dir() / "elsewhere.yaml";
    write_text(elsewhere, no_rm);
    fs::create_symlink(elsewhere, work_ / "link.yaml");
    give_away();
    Client client(husk_, in_work({"--mode", "workspace", "--config", (work_ / "link.yaml").string(),
                                  "--force"}));
    client.initialize();
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    run(client, "echo '{}' > mine && ln -sf mine link.yaml");
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    EXPECT_EQ(fs::read_symlink(work_ / "link.yaml"), elsewhere);
    write_text(elsewhere, "{}\n");
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    const Json told = client.notification(message);
    EXPECT_THAT(told["data"]["why"].get<std::string>(), HasSubstr("symbolic link"));
}

// The link in the workspace is the second one on the way. The server looks while the command runs.
TEST_P(LiveConfigurationBehindWalls, DoesNotCountIfALinkBehindALinkCouldHaveBeenReplaced) {
    fs::create_directories(work_ / "dot");
    write_text(work_ / "dot/real.yaml", no_rm);
    fs::create_symlink("real.yaml", work_ / "dot/husk.yaml");
    fs::create_symlink(work_ / "dot/husk.yaml", users_);
    give_away();
    Client client(husk_, in_work({"--mode", "workspace", "--force"}));
    client.initialize();
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    run(client, "unlink dot/husk.yaml; echo '{}' > dot/husk.yaml; sleep 2");
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    EXPECT_EQ(fs::read_symlink(work_ / "dot/husk.yaml"), "real.yaml");
    EXPECT_EQ(read_text(work_ / "dot/real.yaml"), no_rm);
}

// The walls hold the file that was there. One that an editor puts in its place is not held.
TEST_P(LiveConfigurationBehindWalls, DoesNotCountIfItWasReplacedWhereCommandsWrite) {
    const fs::path named = work_ / "conf/rules.yaml";
    fs::create_directories(named.parent_path());
    write_text(named, no_rm);
    give_away();
    Client client(husk_, in_work({"--mode", "workspace", "--config", named.string(), "--force"}));
    client.initialize();
    client.bash(
        "writer",
        "touch begun; for i in $(seq 100); do echo 'mode: open' > conf/rules.yaml; sleep .1; "
        "done");
    ASSERT_TRUE(eventually([&] { return fs::exists(work_ / "begun"); }));
    replace(named, std::string(no_rm) + "limits: {open_files: 77}\n");
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    const Json told = client.notification(message);
    EXPECT_THAT(told["data"]["why"].get<std::string>(), HasSubstr("commands may write"));
    run(client, "echo > ../outside");
    EXPECT_FALSE(fs::exists(husk_.dir() / "outside"));
}

// The link leads into the workspace, to a file that is not there yet.
TEST_P(LiveConfigurationBehindWalls, CannotBeMadeByCommandsBehindALink) {
    fs::create_directories(work_ / "conf");
    fs::create_symlink(work_ / "conf/rules.yaml", users_);
    give_away();
    Client client(husk_, in_work({"--mode", "workspace", "--force"}));
    client.initialize();
    run(client, "echo 'mode: open' > conf/rules.yaml");
    EXPECT_FALSE(fs::exists(work_ / "conf/rules.yaml"));
    write_text(work_ / "conf/rules.yaml", "mode: open\n");
    run(client, "echo > ../outside");
    EXPECT_FALSE(fs::exists(husk_.dir() / "outside"));
}

// The workspace's own file is a protected name, whether it is there or not.
TEST_P(LiveConfigurationBehindWalls, OfTheWorkspaceCannotBeTakenAwayByCommands) {
    write_text(here_, no_rm);
    give_away();
    Client client(husk_, in_work({"--mode", "workspace"}));
    client.initialize();
    for (const char* attempt : {"echo > husk.yaml", "unlink husk.yaml", "mv husk.yaml x",
                                "chmod 000 . ; chmod 755 .", "chmod 000 husk.yaml"}) {
        run(client, attempt);
        EXPECT_EQ(status(client, "rm -f x"), "denied") << attempt;
    }
}

// ---- files that are being written, and what is no file

// The walls hold the file that a link leads to, and not the link.
TEST_P(LiveConfigurationBehindWalls, OfTheWorkspaceCountsOnIfACommandRemovesALinkToIt) {
    write_text(work_ / "rules.yaml", no_rm);
    fs::create_symlink("rules.yaml", here_);
    give_away();
    Client client(husk_, in_work({"--mode", "workspace"}));
    client.initialize();
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    run(client, "unlink husk.yaml");
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    run(client, "echo '{}' > other.yaml; ln -sf other.yaml husk.yaml");
    EXPECT_EQ(status(client, "rm -f x"), "denied");
}

TEST_P(LiveConfigurationBehindWalls, OfTheUserCannotBeMadeByCommands) {
    give_away();
    Client client(husk_,
                  in_work({"--mode", "workspace", "--write", users_.parent_path().string()}));
    client.initialize();
    run(client, "echo 'mode: open' > " + users_.string());
    EXPECT_FALSE(fs::exists(users_));
}

TEST_F(LiveConfiguration, ThatIsHalfWrittenLoosensNothing) {
    write_text(users_, std::string(no_rm) + "limits: {open_files: 77}\n");
    Client client(husk_, in_work());
    client.initialize();
    {
        std::ofstream writer(users_);  // and the file is empty
        EXPECT_EQ(status(client, "rm -f x"), "denied");
        writer << "limits: {open_files: 77}\n" << std::flush;  // a configuration, but not all of it
        EXPECT_EQ(status(client, "rm -f x"), "denied");
        writer << "permissions: {deny: [\"Bash(rm:*)\", \"Bash(touch:*)\"]}\n";
    }
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    EXPECT_EQ(status(client, "touch x"), "denied");
    write_text(users_, "");  // as `>` leaves it until the program behind it writes
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    fs::resize_file(users_, 0);
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    write_text(users_, "# nothing any more\n");
    EXPECT_EQ(status(client, "rm -f x"), "exited");
}

// The kernel tells an ordinary user nothing about who writes a file of root.
class LiveConfigurationOfAnother : public LiveConfiguration {
protected:
    LiveConfigurationOfAnother() : LiveConfiguration(Who::OrdinaryUser) {}
};

TEST_F(LiveConfigurationOfAnother, ThatIsHalfWrittenLoosensNothing) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can write a file that belongs to another user";
    const fs::path file = husk_.dir() / "roots.yaml";
    write_text(file, no_touch);
    Client client(husk_, in_work({"--config", file.string()}));
    client.initialize();
    EXPECT_EQ(status(client, "touch x"), "denied");
    // The call waits until it is clear that the file is complete.
    write_text(file, no_rm);
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    {
        std::ofstream writer(file);
        writer << "limits: {open_files: 77}\n" << std::flush;
        const std::jthread rest([&] {
            std::this_thread::sleep_for(700ms);
            writer << no_rm << std::flush;
        });
        EXPECT_EQ(status(client, "rm -f x"), "denied");
    }
    EXPECT_EQ(status(client, "rm -f x"), "denied");
    write_text(file, no_touch);
    EXPECT_TRUE(eventually([&] { return status(client, "touch x") == "denied"; }, 10s));
    EXPECT_EQ(status(client, "rm -f x"), "exited");
}

TEST_F(LiveConfiguration, ThatIsRewrittenAllTheTimeNeverLoosens) {
    const std::string text = "# " + std::string(40'000, 'x') + "\n" + no_rm;
    write_text(users_, text);
    Client client(husk_, in_work());
    client.initialize();
    const std::jthread writer([&](const std::stop_token& stop) {
        for (bool in_place = true; !stop.stop_requested(); in_place = !in_place) {
            if (in_place)
                write_text(users_, text);
            else
                replace(users_, text);
            std::this_thread::sleep_for(3ms);
        }
    });
    for (int i = 0; i < 40; ++i) EXPECT_EQ(status(client, "rm -f x"), "denied");
}

TEST_F(LiveConfiguration, InWhosePlaceSomethingElseIsPutNeitherHangsNorLoosens) {
    write_text(users_, no_rm);
    Client client(husk_, in_work());
    client.initialize();
    const auto put = [&](const char* what) {
        fs::remove_all(users_);
        if (what == std::string("a FIFO")) ::mkfifo(users_.c_str(), 0600);
        if (what == std::string("a directory")) fs::create_directory(users_);
        if (what == std::string("a device")) fs::create_symlink("/dev/zero", users_);
        if (what == std::string("a loop")) fs::create_symlink(users_, users_);
        if (what == std::string("a large file")) {
            write_text(users_, "mode: open\n");
            fs::resize_file(users_, uintmax_t{1} << 30);
        }
        if (what == std::string("a secret")) {
            write_text(users_, "{}\n");
            fs::permissions(users_, fs::perms::none);
        }
    };
    for (const char* what : {"a FIFO", "a loop", "a directory", "a large file", "a device"}) {
        put(what);
        EXPECT_EQ(status(client, "rm -f x"), "denied") << what;
        const Json told = client.notification(message);
        EXPECT_EQ(told["data"]["outcome"], "refused") << what << ": " << told;
    }
    if (::geteuid() != 0) {
        put("a secret");
        EXPECT_EQ(status(client, "rm -f x"), "denied");
    }
    fs::remove_all(users_);
    write_text(users_, no_touch);
    EXPECT_EQ(status(client, "rm -f x"), "exited");
}

TEST_F(LiveConfiguration, IsObeyedAlsoIfNobodyReadsStandardError) {
    ASSERT_EQ(::mkfifo(errors_.c_str(), 0600), 0);
    const int full = ::open(errors_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    const std::string bytes(4096, 'x');
    while (::write(full, bytes.data(), bytes.size()) > 0) {
    }
    Client client(husk_, in_work(), errors_.string());
    client.initialize();
    for (const char* text : {no_rm, no_touch, no_rm}) {
        write_text(users_, text);
        EXPECT_EQ(status(client, text == no_rm ? "rm -f x" : "touch x"), "denied");
    }
    ::close(full);
}

}  // namespace
}  // namespace husk::test
