// Shared memory, semaphores and queues of somebody outside.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

constexpr size_t text_size = 64;

struct Message {
    long type = 1;
    char text[text_size] = {};
};

void* segment(const std::string& key, int flags) {
    const int id = ::shmget(number(key), 0, 0);
    return id < 0 ? reinterpret_cast<void*>(-1) : ::shmat(id, nullptr, flags);
}

bool is_none(const void* at) { return at == reinterpret_cast<const void*>(-1); }

int write_segment(Arguments a) {
    void* at = segment(a[0], 0);
    if (is_none(at)) return refused("shmat");
    std::strncpy(static_cast<char*>(at), mark().c_str(), text_size);
    return done;
}

int read_segment(Arguments a) {
    const void* at = segment(a[0], SHM_RDONLY);
    if (is_none(at)) return refused("shmat");
    std::printf("%.64s\n", static_cast<const char*>(at));
    return done;
}

int remove_segment(Arguments a) {
    return ::shmctl(::shmget(number(a[0]), 0, 0), IPC_RMID, nullptr) == 0 ? done
                                                                          : refused("IPC_RMID");
}

int make_segment(Arguments a) {
    return ::shmget(number(a[0]), 4096, IPC_CREAT | IPC_EXCL | 0600) >= 0 ? done
                                                                          : refused("shmget");
}

int send_message(Arguments a) {
    Message message;
    std::strncpy(message.text, mark().c_str(), text_size - 1);
    return ::msgsnd(::msgget(number(a[0]), 0), &message, text_size, IPC_NOWAIT) == 0
               ? done
               : refused("msgsnd");
}

int take_message(Arguments a) {
    Message message;
    if (::msgrcv(::msgget(number(a[0]), 0), &message, text_size, 0, IPC_NOWAIT) < 0)
        return refused("msgrcv");
    std::printf("%.64s\n", message.text);
    return done;
}

int remove_queue(Arguments a) {
    return ::msgctl(::msgget(number(a[0]), 0), IPC_RMID, nullptr) == 0 ? done : refused("IPC_RMID");
}

int set_semaphore(Arguments a) {
    return ::semctl(::semget(number(a[0]), 0, 0), 0, SETVAL, 5) == 0 ? done : refused("SETVAL");
}

int remove_semaphore(Arguments a) {
    return ::semctl(::semget(number(a[0]), 0, 0), 0, IPC_RMID) == 0 ? done : refused("IPC_RMID");
}

int posix_send(Arguments a) {
    const mqd_t queue = ::mq_open(a[0].c_str(), O_WRONLY | O_NONBLOCK);
    if (queue < 0) return refused("mq_open");
    const std::string text = mark();
    return ::mq_send(queue, text.data(), text.size(), 0) == 0 ? done : refused("mq_send");
}

int posix_take(Arguments a) {
    const mqd_t queue = ::mq_open(a[0].c_str(), O_RDONLY | O_NONBLOCK);
    if (queue < 0) return refused("mq_open");
    char text[8192] = {};
    if (::mq_receive(queue, text, sizeof text, nullptr) < 0) return refused("mq_receive");
    std::puts(text);
    return done;
}

int posix_remove(Arguments a) {
    return ::mq_unlink(a[0].c_str()) == 0 ? done : refused("mq_unlink");
}

int posix_memory(Arguments a) {
    const int fd = ::shm_open(a[0].c_str(), O_RDWR, 0);
    if (fd < 0) return refused("shm_open");
    const std::string text = mark();
    return ::pwrite(fd, text.data(), text.size(), 0) > 0 ? done : refused("pwrite");
}

int posix_memory_read(Arguments a) {
    const int fd = ::shm_open(a[0].c_str(), O_RDONLY, 0);
    if (fd < 0) return refused("shm_open");
    char text[text_size + 1] = {};
    if (::pread(fd, text, text_size, 0) <= 0) return refused("pread");
    std::puts(text);
    return done;
}

int posix_memory_remove(Arguments a) {
    return ::shm_unlink(a[0].c_str()) == 0 ? done : refused("shm_unlink");
}

constexpr Verb verbs[] = {
    {"shm-write", write_segment},
    {"shm-read", read_segment},
    {"shm-remove", remove_segment},
    {"shm-make", make_segment},
    {"msg-send", send_message},
    {"msg-take", take_message},
    {"msg-remove", remove_queue},
    {"sem-set", set_semaphore},
    {"sem-remove", remove_semaphore},
    {"mq-send", posix_send},
    {"mq-take", posix_take},
    {"mq-remove", posix_remove},
    {"memory-write", posix_memory},
    {"memory-read", posix_memory_read},
    {"memory-remove", posix_memory_remove},
};

}  // namespace

std::span<const Verb> ipc_verbs() { return verbs; }

}  // namespace probe
