// A container engine of the tests' own, with storage, socket and an image that nobody else has,
// made without any network: Podman, or what HUSK_TEST_ENGINE says (podman, docker).
#pragma once

#include <filesystem>
#include <string>

#include "scenarios/harness.h"

namespace husk::test {

inline constexpr const char* image_name = "husk-test";

class TestEngine {
public:
    // Fails the test when it does not come up.
    TestEngine();
    ~TestEngine();
    TestEngine(const TestEngine&) = delete;
    TestEngine& operator=(const TestEngine&) = delete;

    std::string socket() const { return dir_.path() / "engine.sock"; }
    // The engine's own command line.
    Ran operator()(const std::vector<std::string>& args) const;
    void remove_containers() const;
    // The names of all containers, dead ones too.
    std::vector<std::string> containers() const;
    // Whether there is surely none.
    bool is_empty() const;

private:
    std::vector<std::string> client() const;
    std::vector<std::string> service() const;
    void make_image() const;

    TempDir dir_;
    bool is_docker_;
    pid_t service_ = -1;
};

// One for all tests of this program: it takes a second or two to start.
TestEngine& test_engine();

}  // namespace husk::test
