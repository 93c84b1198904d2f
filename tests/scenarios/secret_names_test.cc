// A secret stays withheld in a root that a session may write, and by every other name that leads
// to it.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;

class SecretNames : public Walled, public testing::TestWithParam<Who> {
protected:
    SecretNames() : Walled(GetParam()) {}

    std::string cargo() const { return home() / ".cargo"; }
    std::string token() const { return home() / ".cargo" / "credentials.toml"; }
    // Reads these, and then a file that is no secret.
    std::string look_at(const std::vector<std::string>& secrets) const {
        std::string command = "cat";
        for (const std::string& secret : secrets) command += " " + secret;
        return command + " " + (outside() / "file").string() + " 2>/dev/null";
    }
    // That file, unless all of this lies in a /tmp that the session does not see.
    std::string neighbour() const {
        return outside().string().starts_with("/tmp/") ? "" : "of somebody else\n";
    }
    void make_cargo() const {
        write(token(), "the token\n");
        write(home() / ".cargo" / "config.toml", "ordinary\n");
    }
};

TEST_P(SecretNames, InAWritableRootIsEmptyAndCannotBeChanged) {
    make_cargo();
    const Ran ran = in("workspace",
                       "exec 2>/dev/null; cd ~/.cargo; cat credentials.toml config.toml; echo x > "
                       "credentials.toml; "
                       "mv credentials.toml c; rm credentials.toml; cat c; echo x > new",
                       {"--write", cargo()});
    EXPECT_EQ(ran.out, "ordinary\n") << ran.err;
    EXPECT_EQ(read_text(token()), "the token\n");
    EXPECT_TRUE(fs::exists(home() / ".cargo" / "new"));
}

TEST_P(SecretNames, ADirectoryInAWritableRootIsEmpty) {
    write(home() / ".config" / "gh" / "hosts.yml", "the token\n");
    const Ran ran =
        in("workspace", "exec 2>/dev/null; cd ~/.config; ls -A gh; cat gh/hosts.yml; mv gh g; ls g",
           {"--write", home() / ".config"});
    EXPECT_EQ(ran.out, "");
}

// Else the next session would not find it by its name.
TEST_P(SecretNames, TheDirectoriesAboveItCannotBeMovedAway) {
    write(home() / ".local" / "share" / "keyrings" / "login", "the token\n");
    const std::string root = home() / ".local";
    in("workspace", "mv ~/.local/share ~/.local/elsewhere", {"--write", root});
    EXPECT_EQ(in("workspace", "cat ~/.local/*/keyrings/login 2>/dev/null", {"--write", root}).out,
              "");
    EXPECT_TRUE(fs::exists(home() / ".local" / "share" / "keyrings" / "login"));
}

TEST_P(SecretNames, GivenOnPurposeCanBeRead) {
    make_cargo();
    EXPECT_EQ(
        in("workspace", "cat ~/.cargo/credentials.toml", {"--write", cargo(), "--read", token()})
            .out,
        "the token\n");
}

TEST_P(SecretNames, OfASecretOnlyThatPartIsGivenThatWasNamed) {
    write(home() / ".ssh" / "known_hosts", "a host\n");
    const Ran ran =
        in("workspace", "cat ~/.ssh/known_hosts; cat ~/.ssh/id 2>/dev/null; ls -A ~/.ssh",
           {"--read", home() / ".ssh" / "known_hosts"});
    EXPECT_EQ(ran.out, "a host\nknown_hosts\n") << ran.err;
}

TEST_P(SecretNames, OfASecretInAWritableRootOnlyThatPartIsGivenThatWasNamed) {
    write(home() / ".config" / "gh" / "hosts.yml", "the token\n");
    write(home() / ".config" / "gh" / "more" / "state.yml", "another token\n");
    const std::string given = home() / ".config" / "gh" / "hosts.yml";
    const std::vector<std::string> options = {"--write", home() / ".config", "--read",
                                              given,     "--session",        "s"};
    const std::string look =
        "exec 2>/dev/null; cd ~/.config; cat gh/hosts.yml gh/more/* gh/late; mv gh g; ls -A "
        "gh/more";
    EXPECT_EQ(in("workspace", look, options).out, "the token\n");
    write(home() / ".config" / "gh" / "late", "a third token\n");
    EXPECT_EQ(in("workspace", look, options).out, "the token\n");
}

// Programs that obey a variable keep their secrets in the place that it names.
TEST_P(SecretNames, WhereAVariableMovedIt) {
    const std::vector<std::pair<std::string, fs::path>> moved = {
        {"CLAUDE_CONFIG_DIR=" + (outside() / "claude").string(), outside() / "claude/.claude.json"},
        {"CARGO_HOME=" + (outside() / "cargo").string(), outside() / "cargo/credentials.toml"},
        {"GH_CONFIG_DIR=" + (outside() / "gh").string(), outside() / "gh/hosts.yml"},
        {"GNUPGHOME=" + (outside() / "gnupg").string(), outside() / "gnupg/private-keys-v1.d/a"},
        {"KUBECONFIG=" + (outside() / "one").string() + ":" + (outside() / "two").string(),
         outside() / "two"}};
    std::vector<std::string> secrets;
    for (const auto& [variable, secret] : moved) {
        write(secret, "the token\n");
        secrets.push_back(secret);
        ::putenv(const_cast<char*>(variable.c_str()));  // NOLINT: taken out again below
    }
    for (const char* mode : {"workspace", "read-only"})
        EXPECT_EQ(in(mode, look_at(secrets)).out, neighbour()) << mode;
    EXPECT_EQ(in("workspace", look_at(secrets), {"--write", outside()}).out, "of somebody else\n");
    for (const auto& [variable, secret] : moved)
        ::unsetenv(variable.substr(0, variable.find('=')).c_str());
}

TEST_P(SecretNames, AVariableThatNamesADeviceOrTheHomeHidesNothing) {
    ::setenv("HISTFILE", "/dev/null", 1);
    ::setenv("GNUPGHOME", home().c_str(), 1);
    const Ran ran = in("workspace", "cat /dev/null ~/.gitconfig | head -1; cat file");
    ::unsetenv("HISTFILE");
    ::unsetenv("GNUPGHOME");
    EXPECT_EQ(ran.out, "[user]\nof the workspace\n") << ran.err;
}

// However the variable writes the name. A name that leads out of the home hides nothing in it.
TEST_P(SecretNames, WhereAVariableWithSlashesAndDotsMovedIt) {
    write(home() / "vault" / "config.json", "the token\n");
    write(home() / ".profile", "ordinary\n");
    for (const char* spelt : {"vault/", "vault//", "vault/.", "./vault", "none/../vault"})
        for (const char* mode : {"workspace", "read-only"}) {
            ::setenv("DOCKER_CONFIG", (home() / spelt).c_str(), 1);
            const Ran ran = in(mode, "cat ~/vault/config.json ~/.profile 2>/dev/null");
            EXPECT_EQ(ran.out, "ordinary\n") << spelt << mode << ran.err;
        }
    for (const char* spelt : {"..", "../../../../../../..", "/", ".", "../home/"}) {
        ::setenv("DOCKER_CONFIG", (home().string() + "/" + spelt).c_str(), 1);
        ::setenv("NETRC", (home().string() + "/" + spelt + "/").c_str(), 1);
        EXPECT_EQ(in("workspace", "cat ~/.profile").out, "ordinary\n") << spelt;
    }
    ::unsetenv("DOCKER_CONFIG");
    ::unsetenv("NETRC");
}

// As for a service that is started without HOME, or with that of somebody else.
TEST_P(SecretNames, InTheHomeOfTheUserThatHomeDoesNotName) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can write another /etc/passwd";
    const fs::path users = husk().dir() / "passwd";
    write_text(users, "me:x:" + std::to_string(uid()) + ":0::" + home().string() + ":/bin/sh\n");
    for (const char* other : {"-u HOME", "HOME=/"})
        for (const char* mode : {"workspace", "read-only"}) {
            std::string words;
            for (const std::string& word : husk().argv({"run", "--mode", mode, "--cwd", work(),
                                                        "--", look_at({home() / ".ssh" / "id"})}))
                words += word == HUSK_BINARY ? "env " + std::string(other) + " '" + word + "' "
                                             : "'" + word + "' ";
            const Ran ran =
                run_program({"unshare", "-m", "sh", "-c",
                             "mount --bind '" + users.string() + "' /etc/passwd && " + words});
            EXPECT_EQ(ran.out, neighbour()) << other << mode << ran.err;
        }
}

TEST_P(SecretNames, InAWorkspaceInsideTheHome) {
    make_cargo();
    for (const char* mode : {"workspace", "read-only"})
        EXPECT_EQ(in(mode, "cat credentials.toml config.toml", {}, cargo()).out, "ordinary\n")
            << mode;
}

TEST_P(SecretNames, ADirectoryOfSecretsIsNoWorkspace) {
    for (const char* mode : {"workspace", "read-only"}) {
        const Ran ran = in(mode, "cat id", {}, home() / ".ssh");
        EXPECT_EQ(ran.code, 125) << mode;
        EXPECT_NE(ran.err.find("is a secret"), std::string::npos) << ran.err;
    }
}

TEST_P(SecretNames, AlsoWhenItIsReplacedBetweenCalls) {
    make_cargo();
    const std::vector<std::string> options = {"--write", cargo(), "--session", "s"};
    EXPECT_EQ(in("workspace", "cat ~/.cargo/credentials.toml", options).out, "");
    write(home() / ".cargo" / "fresh", "another token\n");
    fs::rename(home() / ".cargo" / "fresh", token());
    EXPECT_EQ(in("workspace", "cat ~/.cargo/credentials.toml", options).out, "");
}

TEST_P(SecretNames, TheTargetOfALink) {
    write(outside() / "aws" / "credentials", "the token\n");
    fs::create_directory_symlink(outside() / "aws", home() / ".aws");
    const std::string target = outside() / "aws" / "credentials";
    for (const char* mode : {"workspace", "read-only"})
        EXPECT_EQ(in(mode, look_at({"~/.aws/credentials", target})).out, neighbour()) << mode;
    EXPECT_EQ(in("workspace", look_at({target}), {"--write", outside()}).out, "of somebody else\n");
}

TEST_P(SecretNames, TheTargetOfALinkInsideTheHome) {
    write(home() / "dotfiles" / "aws" / "credentials", "the token\n");
    write(home() / "dotfiles" / "vimrc", "ordinary\n");
    fs::create_directory_symlink("dotfiles/aws", home() / ".aws");
    const Ran ran =
        in("workspace", "cat ~/.aws/credentials ~/dotfiles/*/* ~/dotfiles/vimrc 2>/dev/null");
    EXPECT_EQ(ran.out, "ordinary\n");
}

TEST_P(SecretNames, TheTargetOfALinkInADirectoryOfSecrets) {
    write(outside() / "keys" / "main", "the key\n");
    fs::create_symlink(outside() / "keys" / "main", home() / ".ssh" / "main");
    EXPECT_EQ(in("workspace", look_at({outside() / "keys" / "main"})).out, neighbour());
}

TEST_P(SecretNames, InAHomeThatIsMountedElsewhereToo) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can mount";
    const fs::path elsewhere = outside() / "same home";
    fs::create_directories(elsewhere);
    ASSERT_EQ(::mount(home().c_str(), elsewhere.c_str(), nullptr, MS_BIND, nullptr), 0);
    const Ran ran = in("workspace", look_at({"'" + (elsewhere / ".ssh" / "id").string() + "'"}));
    ::umount2(elsewhere.c_str(), MNT_DETACH);
    EXPECT_EQ(ran.out, neighbour()) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(, SecretNames, both(), who_name);

class PrivilegedFiles : public Walled, public testing::TestWithParam<Who> {
protected:
    PrivilegedFiles() : Walled(GetParam()) {}
};

TEST_P(PrivilegedFiles, CannotBeLeftBehind) {
    const Ran ran = in("workspace",
                       "exec 2>/dev/null; cp /bin/true a; chmod 4755 a; chmod u+s a; chmod g+s . "
                       "&& echo directory; "
                       "python3 -c 'import os; os.open(\"b\", os.O_CREAT | os.O_WRONLY, 0o4755)'; "
                       "python3 -c 'import os; os.mknod(\"c\", 0o104755)'; "
                       "install -m 755 /bin/true d && cp -p d e && echo works");
    EXPECT_EQ(ran.out, "directory\nworks\n") << ran.err;
    for (const auto& entry : fs::directory_iterator(work()))
        EXPECT_EQ(entry.status().permissions() & fs::perms::set_uid, fs::perms::none) << entry;
}

// By every call that changes a mode, and by names that lead to another object in the meantime.
TEST_P(PrivilegedFiles, OnlyDirectoriesGetTheBitForTheGroup) {
    const std::string calls =
        "import ctypes, os\n"
        "mode = 0o2755\n"
        "change2 = lambda fd, name, flags: ctypes.CDLL(None).syscall(452, fd, name, mode, flags)\n"
        "def every(name, fd):\n"
        "    yield lambda: os.chmod(name, mode)\n"
        "    yield lambda: os.chmod(os.path.abspath(name), mode)\n"
        "    yield lambda: os.chmod('../' + name, mode, dir_fd=os.open('d', os.O_RDONLY))\n"
        "    yield lambda: os.fchmod(fd, mode)\n"
        "    yield lambda: os.chmod('link to ' + name, mode)\n"
        "    yield lambda: os.chmod('/proc/self/fd/%d' % fd, mode)\n"
        "    yield lambda: change2(-100, name.encode(), 0)\n"
        "    yield lambda: change2(fd, b'', 0x1000)\n"
        "os.mkdir('d')\n"
        "open('f', 'w').close()\n"
        "for name in 'd', 'f':\n"
        "    os.symlink(name, 'link to ' + name)\n"
        "    for change in every(name, os.open(name, os.O_RDONLY)):\n"
        "        os.chmod(name, 0o755)\n"
        "        try: change()\n"
        "        except OSError: pass\n"
        "        print(name, oct(os.stat(name).st_mode & 0o7777))\n";
    write(work() / "calls.py", calls);
    const Ran ran = in("workspace", "python3 calls.py | uniq -c | tr -s ' '");
    EXPECT_EQ(ran.out, " 5 d 0o2755\n 1 d 0o755\n 2 d 0o2755\n 8 f 0o755\n") << ran.err;
}

TEST_P(PrivilegedFiles, NobodyElseGetsADirectoryChanged) {
    const Ran ran =
        in("workspace", "chmod 2777 " + outside().string() + " /etc /; chmod 2755 none");
    EXPECT_NE(ran.out.find("Read-only file system"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("No such file"), std::string::npos) << ran.out;
    EXPECT_EQ(fs::status(outside()).permissions() & fs::perms::set_gid, fs::perms::none);
}

INSTANTIATE_TEST_SUITE_P(, PrivilegedFiles, both(), who_name);

}  // namespace
}  // namespace husk::test
