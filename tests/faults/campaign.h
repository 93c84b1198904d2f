// The campaign: calls of every kind run, one process of Husk is killed or stopped at a random
// moment, and then everything that Husk promises is checked. docs/development.md says how to run
// it.
#pragma once

#include <map>
#include <memory>

#include "callers.h"
#include "crew.h"
#include "strain.h"

namespace husk::test {

enum class Victim { Run, Library, Mcp, Serve, Keeper, OpenNursery, ClosedNursery, Mason, Proxy };
inline constexpr Victim all_victims[] = {
    Victim::Run,         Victim::Library,       Victim::Mcp,   Victim::Serve, Victim::Keeper,
    Victim::OpenNursery, Victim::ClosedNursery, Victim::Mason, Victim::Proxy};
const char* name_of(Victim victim);

struct Strike {
    Victim victim = Victim::Run;
    bool stops = false;    // SIGSTOP, not SIGKILL
    bool resumes = false;  // and SIGCONT a little later; never for a keeper
    pid_t pid = 0;         // 0: there was nobody to strike
    Crew::Session session = {};

    bool kills_caller() const { return victim <= Victim::Serve && !resumes; }
    bool ends_session() const {
        return session.mason != 0 && !resumes && victim >= Victim::ClosedNursery &&
               victim <= Victim::Mason;
    }
};

// What has happened so far.
struct Tally {
    std::map<std::string, std::map<std::string, int>> strikes;  // by victim and signal
    std::map<std::string, int> endings;                         // of calls, by status
    int rounds = 0;
    int nobody = 0;                             // rounds that found nobody to strike
    std::chrono::milliseconds slowest_tree{0};  // from the death of a caller to that of its trees
    std::chrono::milliseconds slowest_next{0};  // the next call

    std::string text() const;
};

// Answers every connection to the loopback of the machine with the line "here".
class OneLineServer {
public:
    OneLineServer();
    ~OneLineServer();
    OneLineServer(const OneLineServer&) = delete;
    OneLineServer& operator=(const OneLineServer&) = delete;
    uint16_t port() const { return port_; }

private:
    pid_t pid_ = 0;
    uint16_t port_ = 0;
};

// One state directory, one kind of machine, some dozens of rounds.
class Era {
public:
    struct Machine {
        Who who = Who::Caller;
        std::string pretended = {};  // HUSK_PRETEND
        std::string server_mode = "open";
        Strain* strain = nullptr;  // what it runs out of for a while in each round
    };

    Era(uint64_t seed, const Machine& machine, Tally& tally);
    ~Era();
    Era(const Era&) = delete;
    Era& operator=(const Era&) = delete;

    // False: the strain cannot be had on this machine.
    bool is_ready() const { return ready_; }
    void round(Victim victim);
    // After this nothing of the era lives, and its audit is complete.
    void finish();

private:
    Call& add(std::vector<Call>& calls, Doing doing, Way way, Wanted wanted, bool background);
    std::vector<Call> start_calls(const Strike& strike);
    bool find(Strike& strike, const std::vector<Call>& calls);
    void hit(Strike& strike, std::vector<Call>& calls);
    void expect_trees_gone(const std::vector<Call>& calls);
    void expect_next_calls(const Strike& strike);
    void settle(std::vector<Call>& calls, const Strike& strike);
    std::map<std::string, Json> shells_by_mark(const std::vector<Call>& calls);
    void wait_for_background(const std::vector<Call>& calls);
    void judge(const Call& call, const Json& shell, const Strike& strike, int& lost);
    void judge_log(const Call& call, const Json& shell, bool is_whole);
    void judge_audit(const std::vector<Call>& calls, const Strike& strike);
    void clear_leftovers(const std::vector<Call>& calls);
    void expect_nothing_marked(const std::vector<Call>& calls);
    void remember(const Crew& crew);

    bool ready_ = true;
    Random random_;
    Tally& tally_;
    Machine machine_;
    std::unique_ptr<Husk> husk_;
    JobPlace place_;
    OneLineServer server_;
    std::unique_ptr<Callers> callers_;
    int jobs_ = 0;
    std::map<pid_t, std::string> seen_;         // processes of Husk, and when they were born
    std::map<std::string, std::string> known_;  // status by shell id, for the audit at the end
};

// A number from the environment.
uint64_t number_from(const char* variable, uint64_t otherwise);

// The deadline of a test, longer where the machine has more to do than it can.
std::chrono::milliseconds scaled(std::chrono::milliseconds time);

}  // namespace husk::test
