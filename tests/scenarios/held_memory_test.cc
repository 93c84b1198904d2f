// Memory that no process shows as its own counts too, where no cgroup keeps the limit; and so do
// blocks of a disk that nobody has written.
#include <gmock/gmock.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>

#include <cerrno>
#include <ostream>
#include <set>
#include <sstream>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;

struct Hidden {
    std::string kind;
    std::string mode;
    Who who;
};

std::ostream& operator<<(std::ostream& out, const Hidden& hidden) {
    return out << hidden.kind << " in " << hidden.mode;
}

std::vector<Hidden> hidden_memory() {
    std::vector<Hidden> all;
    for (const Who who : {Who::Caller, Who::OrdinaryUser})
        for (const char* mode : {"open", "workspace"})
            for (const char* kind : {"memfd", "deleted", "mapped-memfd", "segments", "queues",
                                     "semaphores", "sockets", "tables"})
                all.push_back({kind, mode, who});
    return all;
}

std::string hidden_name(const testing::TestParamInfo<Hidden>& info) {
    std::string name = info.param.kind + "_in_" + info.param.mode;
    std::ranges::replace(name, '-', '_');
    return name + (info.param.who == Who::Caller ? "" : "_as_ordinary_user");
}

class AloneHiddenMemory : public testing::TestWithParam<Hidden> {
protected:
    AloneHiddenMemory() {
        ::setenv("HUSK_PRETEND", "cgroup=none", 1);
        before_ = all_objects();
        fs::copy_file(program("hog"), place_.work() / "hog");
    }
    ~AloneHiddenMemory() override {
        // What a hog left that was killed. In mode open they are the machine's.
        for (const int id : objects("shm")) ::shmctl(id, IPC_RMID, nullptr);
        for (const int id : objects("msg")) ::msgctl(id, IPC_RMID, nullptr);
        for (const int id : objects("sem")) ::semctl(id, 0, IPC_RMID);
    }
    // System V objects without a key that were not there before.
    std::set<int> objects(const std::string& kind) const {
        std::set<int> found;
        std::istringstream lines(read_text("/proc/sysvipc/" + kind));
        std::string key, id, rest;
        for (std::getline(lines, rest); lines >> key >> id && std::getline(lines, rest);)
            if (key == "0" && !before_.contains(kind + id)) found.insert(std::stoi(id));
        return found;
    }
    std::set<std::string> all_objects() const {
        std::set<std::string> found;
        for (const std::string kind : {"shm", "msg", "sem"})
            for (const int id : objects(kind)) found.insert(kind + std::to_string(id));
        return found;
    }
    nlohmann::json run(int megabytes, const std::string& limit) {
        const auto& [kind, mode, who] = GetParam();
        return place_.report_in(mode, "./hog held " + kind + " " + std::to_string(megabytes),
                                {"--limit", "memory=" + limit, "--timeout", "30s"});
    }

    const Walled place_{GetParam().who};
    std::set<std::string> before_;
};

INSTANTIATE_TEST_SUITE_P(, AloneHiddenMemory, testing::ValuesIn(hidden_memory()), hidden_name);

TEST_P(AloneHiddenMemory, IsLimited) {
    const auto report = run(256, "64M");
    EXPECT_EQ(report["status"], "limit_exceeded") << report;
    EXPECT_EQ(report["limit"]["name"], "memory") << report;
    EXPECT_GE(report["limit"]["peak"], 64 << 20) << report;
    EXPECT_LT(report["limit"]["peak"], 200 << 20) << report;
}

// A page that is in a file and in a process is one page.
TEST_P(AloneHiddenMemory, IsCountedOnce) {
    const auto report = run(48, "80M");
    EXPECT_EQ(report["status"], "exited") << report;
    EXPECT_EQ(report["exit_code"], 0) << report;
    EXPECT_GE(report["usage"]["peak_memory_bytes"], 40 << 20) << report;
    EXPECT_LT(report["usage"]["peak_memory_bytes"], 80 << 20) << report;
}

class AloneDisk : public testing::TestWithParam<Who> {
protected:
    AloneDisk() { fs::copy_file(program("hog"), place_.work() / "hog"); }
    nlohmann::json reserve(const std::string& how, const std::string& mode, int megabytes) {
        return place_.report_in(mode,
                                "./hog reserve " + how + " " + std::to_string(megabytes) + " .",
                                {"--limit", "disk=20M", "--timeout", "30s"});
    }

    const Walled place_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(, AloneDisk, both(), who_name);

TEST_P(AloneDisk, IsNotReservedWithoutBeingCounted) {
    for (const char* mode : {"open", "workspace"}) {
        for (const char* how : {"fallocate", "ioctl"}) {
            const auto report = reserve(how, mode, 200);
            EXPECT_EQ(report["exit_code"], EOPNOTSUPP) << how << report;
            struct stat info{};
            ASSERT_EQ(::stat((place_.work() / "reserved").c_str(), &info), 0);
            EXPECT_EQ(info.st_blocks, 0) << how << " in " << mode;
        }
        EXPECT_EQ(reserve("ring", mode, 1)["exit_code"], ENOSYS) << mode;
    }
}

// The C library writes where it cannot reserve, and that is counted.
TEST_P(AloneDisk, MayBeReservedByWriting) {
    for (const char* mode : {"open", "workspace"}) {
        EXPECT_EQ(reserve("posix", mode, 10)["exit_code"], 0) << mode;
        const auto report = reserve("posix", mode, 200);
        EXPECT_EQ(report["status"], "limit_exceeded") << report;
        EXPECT_EQ(report["limit"]["name"], "disk") << report;
        fs::remove(place_.work() / "reserved");
    }
}

TEST_P(AloneDisk, MayBeGivenBackInPieces) {
    const auto report = place_.report_in(
        "workspace", "head -c 1M /dev/zero >full; fallocate --punch-hole --length 512K full",
        {"--limit", "disk=20M"});
    EXPECT_EQ(report["exit_code"], 0) << report;
}

}  // namespace
}  // namespace husk::test
