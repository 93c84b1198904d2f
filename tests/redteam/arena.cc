#include "arena.h"

#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "snapshot.h"

namespace husk::redteam {
namespace {

namespace fs = std::filesystem;
using test::write_text;

// Not below /tmp or /var/tmp, where the closed modes have scratch of their own: nobody would see
// whether a wall stands.
fs::path make_place() {
    for (const std::string& dir :
         {std::string("/srv"), std::string("/opt"), std::string(HUSK_TEST_PROGRAMS_DIR)}) {
        if (dir.starts_with("/tmp/") || dir.starts_with("/var/tmp/")) continue;
        std::string name = dir + "/husk-redteam-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) continue;
        ::chmod(name.c_str(), 0755);
        return name;
    }
    ADD_FAILURE() << "there is no directory for the arena: " << std::strerror(errno);
    return "/nonexistent";
}

// Probes close directories, and an ordinary user cannot remove what is in such a directory.
void open_up(const fs::path& directory) {
    std::error_code ignored;
    fs::permissions(directory, fs::perms::owner_all, fs::perm_options::add, ignored);
    for (const auto& entry : fs::directory_iterator(directory, ignored))
        if (entry.is_directory(ignored) && !entry.is_symlink(ignored)) open_up(entry.path());
}

const std::vector<std::string> secret_files = {
    ".ssh/id_test",
    ".aws/credentials",
    ".gnupg/private-keys-v1.d/key",
    ".docker/config.json",
    ".config/gcloud/credentials.db",
    ".config/gh/hosts.yml",
    ".azure/accessTokens.json",
    ".kube/config",
    ".netrc",
    ".git-credentials",
};

}  // namespace

uid_t uid_of(Attacker attacker) {
    if (::geteuid() != 0) return ::geteuid();
    return attacker == Attacker::Root ? 0 : test::ordinary_uid;
}

std::vector<std::string> become(Attacker attacker) {
    if (attacker == Attacker::Root || ::geteuid() != 0) return {};
    const std::string id = std::to_string(test::ordinary_uid);
    return {"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", "--"};
}

std::string random_word(const std::string& start) {
    constexpr std::string_view letters = "0123456789abcdef";
    std::random_device random;
    std::string word = start;
    for (int i = 0; i < 10; ++i) word += letters[random() % letters.size()];
    return word;
}

Arena::Arena(Attacker attacker) : attacker_(attacker), path_(make_place()) {
    for (const fs::path& dir :
         {home(), workspace(), scripts(), sockets(), common(), path_ / "outside"})
        fs::create_directories(dir);
    make_programs();
    fill_home();
    write(common() / "file", "intact\n");
    write(path_ / "secret", secret_ + "\n");
    write(path_ / "evil", "#!/bin/sh\ncat " + (path_ / "secret").string() + "\ncat " +
                              (path_ / "secret").string() + " >&2\n");
    ::chmod((path_ / "evil").c_str(), 0755);
    renew_workspace();
    for (const fs::path& dir : {home(), common(), path_ / "outside"}) give(dir);
}

Arena::~Arena() {
    std::error_code ignored;
    for (const auto& dir : fs::directory_iterator(path_ / "outside", ignored))
        for (const auto& name : {"dir", "mount"})
            while (::umount2((dir.path() / name).c_str(), MNT_DETACH) == 0) {
            }
    open_up(path_);
    fs::remove_all(path_, ignored);
}

void Arena::give(const fs::path& path) const {
    const uid_t uid = uid_of(attacker_);
    const auto give_one = [&](const fs::path& one) { return ::lchown(one.c_str(), uid, uid) == 0; };
    EXPECT_TRUE(give_one(path)) << path;
    std::error_code ignored;
    if (!fs::is_directory(fs::symlink_status(path))) return;
    for (const auto& one : fs::recursive_directory_iterator(path, ignored)) give_one(one.path());
}

void Arena::write(const fs::path& path, const std::string& text) const {
    fs::create_directories(path.parent_path());
    write_text(path, text);
}

void Arena::fill_home() const {
    for (const std::string& file : secret_files) write(home() / file, secret_ + "\n");
    ::chmod((home() / ".ssh").c_str(), 0700);
    write(home() / ".ssh" / secret_, "its name is the secret\n");
    write(home() / ".bashrc", "# of the user\n");
}

void Arena::make_programs() const {
    fs::copy_file(test::program("probe"), program());
    if (::geteuid() != 0) return;
    fs::copy_file(test::program("probe"), path_ / "suid");
    ::chmod((path_ / "suid").c_str(), 04755);
    fs::copy_file(test::program("probe"), path_ / "capable");
    vfs_cap_data data{};
    data.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
    data.data[0].permitted = 1U << CAP_DAC_READ_SEARCH;
    EXPECT_EQ(::setxattr((path_ / "capable").c_str(), "security.capability", &data, sizeof data, 0),
              0);
    write(path_ / "roots", secret_ + "\n");
    ::chmod((path_ / "roots").c_str(), 0600);
}

std::map<std::string, std::string> Arena::names() const {
    return {{"WS", workspace()},
            {"HOME", home()},
            {"PROBE", program()},
            {"SUID", path_ / "suid"},
            {"CAPABLE", path_ / "capable"},
            {"ROOTS", path_ / "roots"},
            {"KEYNAME", key_name_}};
}

void Arena::fill(const fs::path& dir, const Probe& probe) const {
    write(dir / "file", "intact\n");
    write(dir / "dir/inner", "intact\n");
    write(dir / "large", std::string(65536, 'x'));
    write(dir / "secret", secret_ + "\n");
    write(dir / "exec.sh", "#!/bin/sh\necho spoiled >>file\n");
    ::chmod((dir / "exec.sh").c_str(), 0755);
    fs::create_directory(dir / "empty");
    fs::create_symlink("file", dir / "link");
    fs::create_hard_link(dir / "dir/inner", dir / "hard");
    EXPECT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
    EXPECT_EQ(::setxattr((dir / "file").c_str(), "user.before", "intact", 6, 0), 0);
    give(dir);
    if (probe.category() != 'K' || ::geteuid() != 0) return;
    fs::create_directory(dir / "mount");
    EXPECT_EQ(::mount("none", (dir / "mount").c_str(), "tmpfs", 0, "size=64k"), 0);
    write(dir / "mount/file", "intact\n");
}

// Only where it is wanted: a user may have few keys.
void Arena::leave_key() const {
    std::vector<std::string> words = become(attacker_);
    words.insert(words.end(), {program(), "leave-key", key_name_, secret_});
    EXPECT_EQ(test::run_program(words).code, 0) << "no key can be left in the kernel";
}

Victim Arena::make_victim(const Probe& probe) const {
    Victim victim;
    victim.dir = path_ / "outside" / probe.id;
    fill(victim.dir, probe);
    if (probe.category() == 'P') {
        victim.process =
            std::make_unique<VictimProcess>(attacker_, secret_, probe.id, home() / ".ssh");
        victim.process_before = victim.process->snapshot();
    }
    if (probe.category() == 'I') {
        victim.shared = std::make_unique<SharedVictims>(secret_, uid_of(attacker_));
        victim.shared_before = victim.shared->snapshot();
    }
    if (probe.script.find("$KEYNAME") != std::string::npos) leave_key();
    victim.tree_before = tree_snapshot(victim.dir);
    return victim;
}

void Arena::renew_workspace() const {
    open_up(workspace());
    fs::remove_all(workspace());
    fs::create_directory(workspace());
    const std::string git = "git -C '" + workspace().string() + "' -c init.templateDir= init -q";
    EXPECT_EQ(test::run_program({"bash", "-c", "HOME=/nonexistent " + git}).code, 0);
    write(workspace() / ".git/hooks/sample", "#!/bin/sh\n");
    const fs::path module = workspace() / ".git/modules/inner";
    write(module / "HEAD", "ref: refs/heads/main\n");
    write(module / "config", "[core]\n");
    write(module / "hooks/sample", "#!/bin/sh\n");
    write(workspace() / "README", "A workspace.\n");
    give(workspace());
}

bool Arena::take_away(const std::string& mark) const {
    bool found = false;
    for (const fs::path& dir :
         {fs::path("/tmp"), fs::path("/var/tmp"), fs::path("/dev/shm"), home(),
          home() / ".local/bin", home() / ".config/autostart", fs::path("/etc"),
          fs::path("/usr/local/bin"), fs::path("/run"), fs::path("/"), fs::path("/sys/fs/cgroup"),
          fs::path("/sys/fs/cgroup/unified")}) {
        std::error_code ignored;
        // One directory at a time: those of control groups are full of files that stay.
        found = (fs::exists(dir / mark, ignored) && ::remove((dir / mark).c_str()) == 0) || found;
    }
    return found;
}

}  // namespace husk::redteam
