#include "shared.h"

#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <random>

#include "scenarios/harness.h"

namespace husk::redteam {
namespace {

constexpr size_t text_size = 64;

struct Message {
    long type = 1;
    std::array<char, text_size> text{};
};

// What semctl wants as its last argument.
union Semaphore {
    int value;
    semid_ds* status;
};

int random_key() {
    std::random_device random;
    return static_cast<int>(random() % 0x3fffffff) * 2 + 2;
}

int segment(int key) { return ::shmget(key, 0, 0); }
int old_queue(int key) { return ::msgget(key, 0); }
int semaphore(int key) { return ::semget(key, 0, 0); }

void make_segment(int key, const std::string& secret, uid_t owner) {
    const int id = ::shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0600);
    ASSERT_GE(id, 0) << std::strerror(errno);
    void* at = ::shmat(id, nullptr, 0);
    std::strncpy(static_cast<char*>(at), secret.c_str(), text_size);
    ::shmdt(at);
    shmid_ds status{};
    ::shmctl(id, IPC_STAT, &status);
    status.shm_perm.uid = owner;
    ::shmctl(id, IPC_SET, &status);
}

void make_queue(int key, const std::string& secret, uid_t owner) {
    const int id = ::msgget(key, IPC_CREAT | IPC_EXCL | 0600);
    ASSERT_GE(id, 0) << std::strerror(errno);
    Message message;
    std::strncpy(message.text.data(), secret.c_str(), text_size - 1);
    ::msgsnd(id, &message, text_size, 0);
    msqid_ds status{};
    ::msgctl(id, IPC_STAT, &status);
    status.msg_perm.uid = owner;
    ::msgctl(id, IPC_SET, &status);
}

void make_semaphore(int key, uid_t owner) {
    const int id = ::semget(key, 1, IPC_CREAT | IPC_EXCL | 0600);
    ASSERT_GE(id, 0) << std::strerror(errno);
    ::semctl(id, 0, SETVAL, Semaphore{.value = 1});
    semid_ds status{};
    ::semctl(id, 0, IPC_STAT, Semaphore{.status = &status});
    status.sem_perm.uid = owner;
    ::semctl(id, 0, IPC_SET, Semaphore{.status = &status});
}

void make_posix(const std::string& name, const std::string& secret, uid_t owner) {
    mq_attr attributes{};
    attributes.mq_maxmsg = 4;
    attributes.mq_msgsize = 256;
    const mqd_t messages =
        ::mq_open(name.c_str(), O_CREAT | O_RDWR | O_NONBLOCK, 0600, &attributes);
    ASSERT_GE(messages, 0) << std::strerror(errno);
    ASSERT_EQ(::fchown(messages, owner, owner), 0);
    ::mq_send(messages, secret.data(), secret.size(), 0);
    ::mq_close(messages);
    const int memory = ::shm_open(name.c_str(), O_CREAT | O_RDWR, 0600);
    ASSERT_GE(memory, 0) << std::strerror(errno);
    ASSERT_EQ(::fchown(memory, owner, owner), 0);
    ASSERT_GT(::write(memory, secret.data(), secret.size()), 0);
    ::close(memory);
}

}  // namespace

SharedVictims::SharedVictims(const std::string& secret, uid_t owner)
    : key_(random_key()), queue_("/husk-" + test::unique_word()) {
    make_segment(key_, secret, owner);
    make_queue(key_, secret, owner);
    make_semaphore(key_, owner);
    make_posix(queue_, secret, owner);
}

SharedVictims::~SharedVictims() {
    ::shmctl(segment(key_), IPC_RMID, nullptr);
    ::shmctl(segment(free_key()), IPC_RMID, nullptr);
    ::msgctl(old_queue(key_), IPC_RMID, nullptr);
    ::semctl(semaphore(key_), 0, IPC_RMID);
    ::mq_unlink(queue_.c_str());
    ::shm_unlink(queue_.c_str());
}

std::string SharedVictims::snapshot() const {
    const mqd_t messages = ::mq_open(queue_.c_str(), O_RDONLY);
    std::string result = messages >= 0 ? "messages " : "";
    if (messages >= 0) ::mq_close(messages);
    if (segment(key_) >= 0) result += "segment ";
    if (segment(free_key()) >= 0) result += "another segment ";
    if (old_queue(key_) >= 0) result += "queue ";
    if (std::filesystem::exists("/dev/shm" + queue_)) result += "memory ";
    return result + std::to_string(::semctl(semaphore(key_), 0, GETVAL));
}

std::string SharedVictims::contents() const {
    std::string result = test::read_text("/dev/shm" + queue_) + "\n";
    if (const int id = segment(key_); id >= 0) {
        void* at = ::shmat(id, nullptr, SHM_RDONLY);
        result += std::string(static_cast<const char*>(at), text_size) + "\n";
        ::shmdt(at);
    }
    Message message;
    while (::msgrcv(old_queue(key_), &message, text_size, 0, IPC_NOWAIT) > 0)
        result += std::string(message.text.data(), text_size) + "\n";
    const mqd_t messages = ::mq_open(queue_.c_str(), O_RDONLY | O_NONBLOCK);
    std::array<char, 8192> text{};
    while (messages >= 0 && ::mq_receive(messages, text.data(), text.size(), nullptr) > 0)
        result += std::string(text.data()) + "\n";
    if (messages >= 0) ::mq_close(messages);
    return result;
}

}  // namespace husk::redteam
