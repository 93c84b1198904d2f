// Somebody who changes files at the worst moment: he sits between Husk and the engine, and acts
// just before a container is started, and just after.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/harness.h"

namespace husk::test {

class Meddler {
public:
    struct Deeds {
        std::function<void()> before_start = [] {};
        std::function<void()> after_start = [] {};
    };
    Meddler(std::string engine, Deeds deeds);
    ~Meddler();
    Meddler(const Meddler&) = delete;
    Meddler& operator=(const Meddler&) = delete;

    std::string socket() const { return dir_.path() / "meddler.sock"; }

private:
    void serve(int client) const;

    TempDir dir_;
    std::string engine_;
    Deeds deeds_;
    int listener_ = -1;
    int stop_[2] = {-1, -1};
    std::vector<std::thread> clients_;
    std::thread thread_;
};

}  // namespace husk::test
