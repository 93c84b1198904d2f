// Where attacks happen: a directory outside all scratch, with a workspace, a home full of secrets,
// and one victim of every kind for each probe.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "probes.h"
#include "scenarios/harness.h"
#include "shared.h"

namespace husk::redteam {

uid_t uid_of(Attacker attacker);
// The words in front of a program that make it run as the attacker.
std::vector<std::string> become(Attacker attacker);
std::string random_word(const std::string& start);

// A process of the attacker's user that knows the secret and waits; ended with this.
class VictimProcess {
public:
    VictimProcess(Attacker attacker, const std::string& secret, const std::string& id,
                  const std::filesystem::path& dir);
    ~VictimProcess();
    VictimProcess(const VictimProcess&) = delete;
    VictimProcess& operator=(const VictimProcess&) = delete;

    pid_t pid() const { return pid_; }
    const std::string& cell() const { return cell_; }  // address, hexadecimal
    const std::string& descriptor() const { return descriptor_; }
    std::string snapshot() const;

private:
    pid_t pid_ = -1;
    std::string cell_;
    std::string descriptor_;
};

struct Victim {
    std::string mark = random_word("mark-");
    std::filesystem::path dir;
    std::unique_ptr<VictimProcess> process;  // only for probes of processes
    std::unique_ptr<SharedVictims> shared;   // only for probes of what is shared
    std::string tree_before;
    std::string process_before;
    std::string shared_before;
};

class Arena {
public:
    explicit Arena(Attacker attacker);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    const std::string& secret() const { return secret_; }
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path home() const { return path_ / "home"; }
    std::filesystem::path workspace() const { return path_ / "workspace"; }
    std::filesystem::path scripts() const { return path_ / "scripts"; }
    std::filesystem::path sockets() const { return path_ / "sockets"; }
    std::filesystem::path common() const { return path_ / "common"; }
    std::filesystem::path program() const { return path_ / "probe"; }
    // What scripts are told of it.
    std::map<std::string, std::string> names() const;

    // Everything a probe of this kind can harm; remembered as it was.
    Victim make_victim(const Probe& probe) const;
    // As it was at the beginning.
    void renew_workspace() const;
    // Files called so, in the places that all share; they are removed.
    bool take_away(const std::string& mark) const;

private:
    void give(const std::filesystem::path& path) const;  // and what is below
    void write(const std::filesystem::path& path, const std::string& text) const;
    void fill_home() const;
    void make_programs() const;
    void leave_key() const;
    void fill(const std::filesystem::path& dir, const Probe& probe) const;

    Attacker attacker_;
    std::filesystem::path path_;
    std::string secret_ = random_word("word-");
    std::string key_name_ = random_word("key-");
};

}  // namespace husk::redteam
