#include "engine.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace husk::test {
namespace {

namespace fs = std::filesystem;

// What commands of the tests need, with the libraries that it needs.
constexpr const char* make_root_file_system = R"sh(
set -e
mkdir -p "$1"/{bin,etc,proc,sys,dev,run,tmp,root}
for name in bash cat chattr chmod chown cp cut dd env fallocate false git grep head id install ln ls mkdir mkfifo mount mv nice nohup \
    pkill printenv ps readlink renice rm rmdir sed seq setpriv setsid sleep sort tail tar timeout touch tr true unshare wc; do
    path=$(command -v "$name" 2>/dev/null || true)
    [[ -f $path ]] || path=/usr/bin/$name
    cp -L "$path" "$1/bin/$name"
    ldd "$path" 2>/dev/null | grep -oE '/[^ ]+' || true
done | cat - <(ldd "$2" | grep -oE '/[^ ]+') | sort -u | while read -r library; do
    mkdir -p "$1$(dirname "$library")"
    cp -L "$library" "$1$library"
done
ln -s bash "$1/bin/sh"
echo 'root:x:0:0:root:/root:/bin/bash' > "$1/etc/passwd"
tar -C "$1" --owner=0 --group=0 -cf "$1.tar" .
)sh";

pid_t start(std::vector<std::string> words, const fs::path& log) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t pid = -1;
    EXPECT_EQ(::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ), 0) << argv[0];
    ::posix_spawn_file_actions_destroy(&actions);
    return pid;
}

}  // namespace

TestEngine::TestEngine() {
    const char* wanted = std::getenv("HUSK_TEST_ENGINE");
    is_docker_ = wanted != nullptr && std::string_view(wanted) == "docker";
    service_ = start(service(), dir_.path() / "log");
    EXPECT_TRUE(
        eventually([&] { return fs::exists(socket()) && (*this)({"info"}).code == 0; }, 60s))
        << "the engine does not start: " << read_text(dir_.path() / "log");
    make_image();
}

TestEngine::~TestEngine() {
    remove_containers();
    if (service_ > 0) {
        ::kill(service_, SIGTERM);
        ::waitpid(service_, nullptr, 0);
    }
    // Without root one of its processes holds its namespace; this ends it.
    if (!is_docker_) (*this)({"system", "migrate"});
    // Podman's own monitors stay for minutes, in case that somebody asks how a command has ended.
    for (const pid_t pid : processes_with(dir_.path())) ::kill(pid, SIGKILL);
}

std::vector<std::string> TestEngine::client() const {
    if (is_docker_) return {"docker", "--host", "unix://" + socket()};
    const std::string dir = dir_.path();
    // Without root it wants directories of its own.
    std::vector<std::string> words = {"env", "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "podman"};
    for (const auto& [option, value] : {std::pair("--root", dir + "/storage"),
                                        {"--runroot", dir + "/run"},
                                        {"--tmpdir", dir + "/tmp"},
                                        {"--storage-driver", "vfs"},
                                        {"--cgroup-manager", "cgroupfs"},
                                        {"--events-backend", "none"},
                                        {"--log-level", "error"},
                                        {"--runtime", "runc"}})
        words.insert(words.end(), {option, value});
    return words;
}

std::vector<std::string> TestEngine::service() const {
    const std::string dir = dir_.path();
    if (is_docker_)
        return {
            "dockerd",     "--host",           "unix://" + socket(), "--data-root", dir + "/data",
            "--exec-root", dir + "/exec",      "--pidfile",          dir + "/pid",  "--bridge",
            "none",        "--iptables=false", "--storage-driver",   "vfs"};
    std::vector<std::string> words = client();
    words.insert(words.end(), {"system", "service", "--time", "0", "unix://" + socket()});
    return words;
}

Ran TestEngine::operator()(const std::vector<std::string>& args) const {
    std::vector<std::string> words = client();
    words.insert(words.end(), args.begin(), args.end());
    return run_program(words);
}

void TestEngine::remove_containers() const {
    std::vector<std::string> words = {"rm", "--force"};
    const std::vector<std::string> ids = lines_of((*this)({"ps", "--all", "--quiet"}).out);
    words.insert(words.end(), ids.begin(), ids.end());
    if (!ids.empty()) (*this)(words);
}

void TestEngine::make_image() const {
    const std::string root = dir_.path() / "root";
    // The probe program itself comes with a workspace.
    const Ran made =
        run_program({"bash", "-c", make_root_file_system, "-", root, program("probe")});
    EXPECT_EQ(made.code, 0) << made.err;
    const Ran imported = (*this)({"import", root + ".tar", image_name});
    EXPECT_EQ(imported.code, 0) << imported.err;
}

bool TestEngine::is_empty() const {
    // One that is just being removed may spoil a look.
    const Ran ran = (*this)({"ps", "--all", "--format", "{{.Names}}"});
    return ran.code == 0 && lines_of(ran.out).empty();
}

std::vector<std::string> TestEngine::containers() const {
    const Ran ran = (*this)({"ps", "--all", "--format", "{{.Names}}"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return lines_of(ran.out);
}

TestEngine& test_engine() {
    static TestEngine engine;
    return engine;
}

}  // namespace husk::test
