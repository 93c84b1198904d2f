#include "bait.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace husk::redteam {
namespace {

int file_without_name(const std::string& secret) {
    const int fd = ::memfd_create(secret.c_str(), MFD_CLOEXEC);
    const std::string text = secret + "\n";
    EXPECT_GT(::pwrite(fd, text.data(), text.size(), 0), 0);
    return fd;
}

}  // namespace

Leak::~Leak() { ::close(number_); }

void Leak::start(int fd) const { EXPECT_EQ(::dup2(fd, number_), number_); }

void Leak::stop() const {
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup3(null, number_, O_CLOEXEC);
    ::close(null);
}

void Leaks::start(const std::filesystem::path& file, int socket, int pipe,
                  const std::string& secret) const {
    const int open_file = ::open(file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
    const int dir = ::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int nameless = file_without_name(secret);
    file_.start(open_file);
    again_.start(open_file);
    dir_.start(dir);
    socket_.start(socket);
    pipe_.start(pipe);
    nameless_.start(nameless);
    for (const int fd : {open_file, dir, nameless}) ::close(fd);
}

void Leaks::stop() const {
    for (const Leak* one : {&file_, &dir_, &socket_, &pipe_, &nameless_, &again_}) one->stop();
}

Terminal::Terminal(const std::string& secret, uid_t owner) {
    char name[64] = {};
    EXPECT_EQ(::openpty(&master_, &slave_, name, nullptr, nullptr), 0);
    for (const int fd : {master_, slave_}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(master_, F_SETFL, O_NONBLOCK);
    path_ = name;
    EXPECT_EQ(::chown(name, owner, owner), 0);
    const std::string line = secret + "\n";
    EXPECT_GT(::write(master_, line.data(), line.size()), 0);
}

Terminal::~Terminal() {
    ::close(slave_);
    ::close(master_);
}

int Terminal::hear() const { return ::fcntl(master_, F_DUPFD_CLOEXEC, 0); }

bool Terminal::has_shrunk() const {
    winsize size{};
    return ::ioctl(master_, TIOCGWINSZ, &size) == 0 && size.ws_row == 7;
}

}  // namespace husk::redteam
