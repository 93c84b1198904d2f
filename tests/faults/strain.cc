#include "strain.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace husk::test {
namespace {

namespace fs = std::filesystem;

// A file system of a few megabytes, seen by this process and its children alone.
class FullDisk final : public Strain {
public:
    ~FullDisk() override {
        if (!state_.empty()) ::umount2(state_.c_str(), MNT_DETACH);
    }
    bool prepare(const Husk& husk) override {
        fs::create_directory(husk.state());
        if (::unshare(CLONE_NEWNS) != 0 ||
            ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("none", husk.state().c_str(), "tmpfs", 0, "size=24m,mode=700") != 0)
            return false;
        state_ = husk.state();
        return true;
    }
    void begin(Random& random, const std::vector<pid_t>&) override {
        const int file = ::open(filler().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        const std::string block(4096, 'x');
        while (::write(file, block.data(), block.size()) > 0) {
        }
        // Some rounds leave room for a little.
        struct stat info{};
        ::fstat(file, &info);
        const off_t left = 4096L * between(random, 0, 20);
        std::ignore = ::ftruncate(file, std::max<off_t>(0, info.st_size - left));
        ::close(file);
    }
    void end() override { ::unlink(filler().c_str()); }

private:
    fs::path filler() const { return state_ / "filler"; }
    fs::path state_;
};

// Nothing can be made in it by an ordinary user.
class ReadOnlyState final : public Strain {
public:
    bool prepare(const Husk& husk) override {
        state_ = husk.state();
        return true;
    }
    void begin(Random&, const std::vector<pid_t>&) override {
        set(fs::perms::owner_read | fs::perms::owner_exec);
    }
    void end() override { set(fs::perms::owner_all); }

private:
    void set(fs::perms wanted) const {
        std::error_code ignored;
        std::vector<fs::path> all = {state_};
        for (const auto& entry : fs::recursive_directory_iterator(state_, ignored))
            if (entry.is_directory(ignored)) all.push_back(entry.path());
        for (const fs::path& dir : all) fs::permissions(dir, wanted, ignored);
    }
    fs::path state_;
};

size_t threads_of(uid_t uid) {
    size_t count = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        struct stat info{};
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        if (::stat(entry.path().c_str(), &info) != 0 || info.st_uid != uid) continue;
        for (const auto& task : fs::directory_iterator(entry.path() / "task", ignored)) {
            std::ignore = task;
            ++count;
        }
    }
    return count;
}

// The ordinary user may have so many processes, and has them.
class FullProcessTable final : public Strain {
public:
    ~FullProcessTable() override { end(); }
    bool prepare(const Husk&) override {
        most_ = threads_of(ordinary_uid) + 60;
        return ::geteuid() == 0;
    }
    void begin(Random& random, const std::vector<pid_t>&) override {
        // Room for a few: which of Husk's own processes is the first that cannot be born varies.
        const auto spare = static_cast<size_t>(between(random, 0, 12));
        const size_t now = threads_of(ordinary_uid);
        for (size_t count = now; count + spare < most_; ++count) {
            const pid_t child = ::fork();
            if (child == 0) {
                std::ignore = ::setresuid(ordinary_uid, ordinary_uid, ordinary_uid);
                ::alarm(60);
                for (;;) ::pause();
            }
            fillers_.push_back(child);
        }
    }
    void end() override {
        for (const pid_t pid : fillers_) ::kill(pid, SIGKILL);
        for (const pid_t pid : fillers_) ::waitpid(pid, nullptr, 0);
        fillers_.clear();
    }
    void limit_caller() const override {
        const rlimit limit{most_, most_};
        ::setrlimit(RLIMIT_NPROC, &limit);
    }
    bool spares_commands() const override { return false; }

private:
    size_t most_ = 0;
    std::vector<pid_t> fillers_;
};

size_t descriptors_of(pid_t pid) {
    std::error_code ignored;
    const fs::directory_iterator open("/proc/" + std::to_string(pid) + "/fd", ignored);
    return static_cast<size_t>(std::distance(begin(open), end(open)));
}

// The soft limit alone: Husk's own processes may raise theirs, and commands have one of their own.
class NoDescriptors final : public Strain {
public:
    bool prepare(const Husk&) override { return true; }
    void begin(Random& random, const std::vector<pid_t>& servers) override {
        most_ = static_cast<rlim_t>(between(random, 3, 40));
        for (const pid_t pid : servers)
            set(pid, descriptors_of(pid) + static_cast<size_t>(between(random, 2, 14)));
        servers_ = servers;
        strained_ = true;
    }
    void end() override {
        for (const pid_t pid : servers_) set(pid, 1024);
        strained_ = false;
    }
    void limit_caller() const override {
        if (strained_) set(0, most_);
    }

private:
    static void set(pid_t pid, rlim_t soft) {
        rlimit limit{};
        ::prlimit(pid, RLIMIT_NOFILE, nullptr, &limit);
        limit.rlim_cur = std::min(soft, limit.rlim_max);
        ::prlimit(pid, RLIMIT_NOFILE, &limit, nullptr);
    }
    rlim_t most_ = 0;
    std::vector<pid_t> servers_;
    bool strained_ = false;
};

// An hour or a year forward or back, for all that is dynamically linked. Keepers have the true
// time.
class JumpingClock final : public Strain {
public:
    ~JumpingClock() override {
        ::unsetenv("LD_PRELOAD");
        ::unsetenv("HUSK_FAULT_CLOCK");
    }
    bool prepare(const Husk& husk) override {
        offset_ = husk.dir() / "clock";
        const std::string library = program("libfault_clock.so");
        if (!fs::exists(library)) return false;
        write_text(offset_, "0");
        fs::permissions(offset_, fs::perms::all);
        ::setenv("HUSK_FAULT_CLOCK", offset_.c_str(), 1);
        allow_preloading();
        ::setenv("LD_PRELOAD", library.c_str(), 1);
        return true;
    }
    void begin(Random& random, const std::vector<pid_t>&) override {
        constexpr const char* jumps[] = {"3600", "-3600", "31536000", "-31536000", "-5", "15"};
        write_text(offset_, jumps[random() % std::size(jumps)]);
    }
    void end() override { write_text(offset_, "0"); }

private:
    fs::path offset_;
};

}  // namespace

void allow_preloading() {
    const char* options = std::getenv("ASAN_OPTIONS");
    const std::string all = std::string(options == nullptr ? "" : options);
    ::setenv("ASAN_OPTIONS", (all + ":verify_asan_link_order=0").c_str(), 1);
}

std::unique_ptr<Strain> full_disk() { return std::make_unique<FullDisk>(); }
std::unique_ptr<Strain> read_only_state() { return std::make_unique<ReadOnlyState>(); }
std::unique_ptr<Strain> full_process_table() { return std::make_unique<FullProcessTable>(); }
std::unique_ptr<Strain> no_descriptors() { return std::make_unique<NoDescriptors>(); }
std::unique_ptr<Strain> jumping_clock() { return std::make_unique<JumpingClock>(); }

}  // namespace husk::test
