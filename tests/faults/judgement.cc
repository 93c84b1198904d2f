// What is compared after a strike: what Husk says, what its commands said of themselves, and what
// there is on the disk and in /proc.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>

#include "campaign.h"

namespace husk::test {
namespace {

using Clock = std::chrono::steady_clock;
using testing::HasSubstr;

std::string status_of(const Json& report) {
    return report.is_object() ? report.value("status", "none") : "none";
}

// -1: none
int exit_code_of(const Json& report) {
    const Json code = report.is_object() ? report.value("exit_code", Json()) : Json();
    return code.is_number_integer() ? code.get<int>() : -1;
}

bool is_over(const Json& shell) { return status_of(shell) != "running"; }

bool has_leftovers(const Json& shell) {
    return shell.is_object() && !shell.value("leftovers", Json::array()).empty();
}

std::string session_of(const Json& shell) {
    const std::string id = shell.is_object() ? shell.value("shell_id", "") : "";
    return id.substr(0, id.rfind('-'));
}

bool says_that_it_is_off_record(const Call& call) {
    return call.answer && call.answer->dump().find("not in the audit") != std::string::npos;
}

std::string told_by(const Call& call) {
    return call.job.command +
           "\nit said: " + (call.job.told.empty() ? "" : read_text(call.job.told)) + "\nby " +
           std::array{"husk run", "the library", "husk mcp", "husk serve"}.at(
               static_cast<size_t>(call.way)) +
           (call.background ? ", in the background" : "") +
           "\nanswer: " + (call.answer ? call.answer->dump() : "none");
}

}  // namespace

// In the session that was hit, in a new one, and through the servers that live.
void Era::expect_next_calls(const Strike& strike) {
    const auto start = Clock::now();
    std::vector<Call> next;
    next.reserve(4);
    add(next, Doing::Quick, Way::Run, {.session = "", .mode = "workspace"}, false);
    const std::string& name = strike.session.name;
    if (name == "alpha")
        add(next, Doing::Quick, Way::Run, {.session = name, .mode = "open"}, false);
    if (name == "beta")
        add(next, Doing::Quick, Way::Run, {.session = name, .mode = "workspace"}, false);
    if (name == "gamma") {
        Wanted proxied{.session = name, .mode = "workspace"};
        proxied.network = "127.0.0.1:" + std::to_string(place_.port);
        add(next, Doing::Fetches, Way::Run, proxied, false);
    }
    const Wanted server{.session = "", .mode = callers_->server_mode()};
    const bool is_servers = name.starts_with("husk-");
    if (is_servers || strike.victim == Victim::Mcp)
        add(next, Doing::Quick, Way::Mcp, server, false);
    if (is_servers || strike.victim == Victim::Serve)
        add(next, Doing::Quick, Way::Serve, server, false);
    for (Call& call : next) {
        EXPECT_TRUE(callers_->settle(call, scaled(15s)))
            << "the next call has no answer: " << told_by(call);
        if (!call.answer) continue;
        EXPECT_EQ(status_of(*call.answer), "exited") << "the next call: " << told_by(call);
        EXPECT_EQ(exit_code_of(*call.answer), call.job.code) << told_by(call);
        if (call.job.doing == Doing::Fetches) {
            EXPECT_TRUE(truth_of(call.job).fetched) << told_by(call);
        }
    }
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
    tally_.slowest_next = std::max(tally_.slowest_next, took);
    if (took > 3s)
        std::cout << "next call after " << took.count() << " ms: " << name_of(strike.victim) << " "
                  << strike.session.name << "\n";
}

void Era::settle(std::vector<Call>& calls, const Strike& strike) {
    for (Call& call : calls) {
        // A caller that has not been found or goes on waits for a job that does not end.
        if (call.job.doing == Doing::Stays && !call.is_abandoned && call.caller > 0 &&
            call.way != Way::Mcp && call.way != Way::Serve)
            ::kill(call.caller, SIGINT);
        // On a machine out of processes a call waits ten seconds for a keeper, and as long again in
        // a new session.
        EXPECT_TRUE(callers_->settle(call, scaled(30s))) << "no answer: " << told_by(call);
    }
    std::ignore = strike;
}

std::map<std::string, Json> Era::shells_by_mark(const std::vector<Call>& calls) {
    std::map<std::string, Json> found;
    const Json list = (*husk_)({"shells", "--json", "--all"}).json();
    if (!list.is_object()) return found;
    for (const Json& shell : list["shells"]) {
        const std::string command = shell["command"];
        for (const Call& call : calls) {
            if (command.find(call.job.mark) == std::string::npos) continue;
            Json& best = found[call.job.mark];
            // One that was handed over again left a shell that was not started.
            if (best.is_null() || status_of(best) == "not_started") best = shell;
        }
    }
    return found;
}

void Era::wait_for_background(const std::vector<Call>& calls) {
    std::map<std::string, Json> shells;
    const auto all_over = [&] {
        shells = shells_by_mark(calls);
        return std::ranges::all_of(shells, [](const auto& one) { return is_over(one.second); });
    };
    if (eventually(all_over, scaled(10s))) return;
    for (const auto& [mark, shell] : shells)
        if (!is_over(shell)) ADD_FAILURE() << "still running: " << shell;
}

void Era::clear_leftovers(const std::vector<Call>& calls) {
    for (const auto& [mark, shell] : shells_by_mark(calls)) {
        if (!has_leftovers(shell)) continue;
        const Ran killed = (*husk_)({"kill", shell["shell_id"], "--patience", "0s"});
        EXPECT_EQ(killed.code, 0) << killed.err;
    }
}

void Era::judge(const Call& call, const Json& shell, const Strike& strike, int& lost) {
    const Truth truth = truth_of(call.job);
    const bool tells = !call.job.told.empty();
    const std::string status = status_of(shell);
    const bool hit = !strike.session.id.empty() && session_of(shell) == strike.session.id;
    // Without a mason, system calls that it would have allowed fail.
    const bool strained = machine_.strain != nullptr;
    const bool hampered = (hit && strike.victim == Victim::Mason) ||
                          (strained && !machine_.strain->spares_commands());
    ++tally_.endings[status];
    const std::string what = told_by(call) + "\nshell: " + shell.dump();
    if (status == "exited") {
        if (!hampered) {
            EXPECT_EQ(exit_code_of(shell), call.job.code) << what;
        }
        if (tells && !hampered) {
            EXPECT_EQ(truth.exits, call.job.code) << what;
        }
        if (tells && !hampered) {
            EXPECT_NE(call.job.doing, Doing::KillsItself) << what;
        }
    } else if (status == "signaled") {
        EXPECT_EQ(call.job.doing, Doing::KillsItself) << what;
        if (tells) {
            EXPECT_EQ(truth.signals, call.job.code) << what;
        }
    } else if (status == "cancelled") {
        const bool by_us = call.job.doing == Doing::Stays;
        const bool by_death = call.is_abandoned && !call.background;
        EXPECT_TRUE(by_us || by_death || (hit && strike.ends_session())) << what;
    } else if (status == "lost") {
        lost += hit ? 1 : 0;
        // Killed between writing the record and handing the plan over.
        const bool unsent = call.is_abandoned && !truth.started;
        EXPECT_TRUE(unsent || (hit && (strike.victim == Victim::Keeper || strike.ends_session())))
            << what;
        EXPECT_TRUE(shell.value("exit_code", Json()).is_null()) << what;
    } else {
        // Nobody has heard of it, or it says that it was not started.
        EXPECT_TRUE(status == "none" || status == "not_started") << what;
        EXPECT_FALSE(truth.started) << "it ran: " << what;
        const bool excused = call.is_abandoned || strike.victim >= Victim::Keeper || strained;
        EXPECT_TRUE(excused) << "it was never started: " << what;
    }
    if (call.answer && status != "none") {
        const std::string answered = status_of(*call.answer);
        if (answered != "running") {
            EXPECT_EQ(answered, status) << what;
        }
        if (answered == "exited") {
            EXPECT_EQ(exit_code_of(*call.answer), exit_code_of(shell)) << what;
        }
    }
    if (status != "none") {
        if (!hampered) judge_log(call, shell, status == "exited" || status == "signaled");
        // Where it was killed before it handed anything over there is nothing to put on record.
        const bool unsent = call.is_abandoned && !truth.started;
        if (call.way != Way::Library && !unsent && !says_that_it_is_off_record(call))
            known_[shell["shell_id"]] = status;
    }
}

// A log has what the command printed, from the first byte on; all of it where it ended by itself.
void Era::judge_log(const Call& call, const Json& shell, bool is_whole) {
    const Json& excerpt = shell["excerpt"];
    const std::string log = read_text(excerpt["log"].get<std::string>());
    const std::string expected = numbered(0, call.job.bytes);
    EXPECT_TRUE(expected.starts_with(log)) << log.size() << " bytes: " << shell;
    if (!is_whole) return;
    EXPECT_EQ(excerpt["total_bytes"], call.job.bytes) << shell;
    // A disk that was full is told.
    const bool told = machine_.strain != nullptr && !excerpt["reason"].is_null();
    EXPECT_EQ(excerpt["complete"], !told) << shell;
    if (!told) {
        EXPECT_EQ(log.size(), call.job.bytes) << shell;
    }
}

// Every call that was answered is on record with that answer, and so is every command that ran.
void Era::judge_audit(const std::vector<Call>& calls, const Strike& strike) {
    std::map<std::string, Json> records;
    for (const std::string& line :
         lines_of((*husk_)({"log", "--json", "--all", "--limit", "60"}).out)) {
        const Json record = Json::parse(line, nullptr, false);
        if (!record.is_object() || !record.value("command", Json()).is_string()) continue;
        for (const Call& call : calls)
            if (record["command"].get<std::string>().find(call.job.mark) != std::string::npos)
                records[call.job.mark] = record;
    }
    for (const Call& call : calls) {
        if (call.way == Way::Library) continue;  // their calls are theirs
        const auto record = records.find(call.job.mark);
        const bool on_record = record != records.end();
        // Whoever was stopped with the journal locked made others say that they could not write.
        const bool told = says_that_it_is_off_record(call);
        // Nothing ran, and there may be nothing to write to.
        const bool refused =
            call.answer && status_of(*call.answer) == "not_started" && !truth_of(call.job).started;
        const bool strained = machine_.strain != nullptr;
        const bool excused = (told && (strike.stops || strained)) || (refused && strained);
        if (excused) continue;
        if (call.answer || truth_of(call.job).started) {
            EXPECT_TRUE(on_record) << "not in the audit: " << told_by(call);
        }
        const bool over = call.answer && status_of(*call.answer) != "running";
        if (on_record && over) {
            EXPECT_EQ(status_of(record->second), status_of(*call.answer)) << record->second;
        }
    }
}

void Era::expect_nothing_marked(const std::vector<Call>& calls) {
    for (const Call& call : calls) {
        const auto left = [&] { return processes_marked(call.job.mark); };
        if (eventually([&] { return left().empty(); }, scaled(2s))) continue;
        for (const pid_t pid : left()) {
            ADD_FAILURE() << "survives: " << describe(pid) << "\n" << told_by(call);
            ::kill(pid, SIGKILL);
        }
    }
}

}  // namespace husk::test
