// Answers the questions about names of a session with listed hosts.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "keeper/question.h"
#include "proxy/connection.h"

namespace husk::proxy {

class NameService {
public:
    NameService(World& world, os::Fd socket, uint64_t tag);

    // Answers a few questions and returns.
    void on_ready();

private:
    // False when there are no more.
    bool answer_one();
    question::Answer answer_to(const question::Question& asked,
                               std::array<unsigned char, 4>& address);
    bool is_new(const std::string& name, uint16_t type);

    // A look-up is one question for each kind of address.
    struct Noted {
        std::string name;
        uint64_t types = 0;
        Clock::time_point at;
    };

    World& world_;
    Watched socket_;
    std::string machine_;  // what this machine is called
    std::array<Noted, 32> noted_;
    size_t next_ = 0;
};

}  // namespace husk::proxy
