// Husk at a terminal of its own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "harness.h"

namespace husk::test {

class AtATerminal {
public:
    AtATerminal(const Husk& husk, std::vector<std::string> args) {
        std::vector<std::string> words = husk.argv(std::move(args));
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        pid_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
        if (pid_ == 0) {
            ::execvp(argv[0], argv.data());
            ::_exit(127);
        }
        ::fcntl(terminal_, F_SETFL, O_NONBLOCK);
    }
    ~AtATerminal() {
        if (terminal_ >= 0) ::close(terminal_);
    }
    AtATerminal(const AtATerminal&) = delete;
    AtATerminal& operator=(const AtATerminal&) = delete;

    void type(const std::string& text) const {
        EXPECT_EQ(::write(terminal_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    // Whether the terminal shows this, sooner or later.
    bool shows(const std::string& text, std::chrono::milliseconds within = 20s) {
        return eventually([&] { return read_all(), shown_.contains(text); }, within);
    }
    const std::string& shown() {
        read_all();
        return shown_;
    }
    bool has_settings(tcflag_t local) const {
        termios now{};
        return ::tcgetattr(terminal_, &now) == 0 && (now.c_lflag & local) == local;
    }
    int end() { return exit_code_of(pid_); }

private:
    void read_all() {
        char buffer[4096];
        for (ssize_t got = 0; (got = ::read(terminal_, buffer, sizeof buffer)) > 0;)
            shown_.append(buffer, static_cast<size_t>(got));
    }

    pid_t pid_ = -1;
    int terminal_ = -1;
    std::string shown_;
};

}  // namespace husk::test
