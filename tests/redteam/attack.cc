#include "attack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <optional>
#include <regex>

#include "arena.h"
#include "bait.h"
#include "listeners.h"
#include "scenarios/harness.h"
#include "snapshot.h"

namespace husk::redteam {
namespace {

namespace fs = std::filesystem;
using Names = std::map<std::string, std::string>;
using namespace std::chrono_literals;

// Looks at the newest processes first: a process that forks and exits every few milliseconds is
// gone before all others have been looked at. The environment of a zombie is empty.
std::vector<pid_t> bearers_of(const std::string& mark) {
    std::vector<pid_t> pids;
    std::error_code ignored;
    for (fs::directory_iterator at("/proc", ignored), end; at != end; at.increment(ignored))
        pids.push_back(std::atoi(at->path().filename().c_str()));
    std::ranges::sort(pids, std::greater());
    std::erase_if(pids, [&](pid_t pid) {
        if (pid <= 0 || pid == ::getpid()) return true;
        const auto environment = test::read_text("/proc/" + std::to_string(pid) + "/environ");
        return environment.find("MARK=" + mark) == std::string::npos;
    });
    return pids;
}

// `text` with the names that have values replaced.
std::string filled_in(std::string text, const Names& names) {
    for (const auto& [name, value] : names) {
        const std::string wanted = "$" + name;
        for (size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at))
            text.replace(at, wanted.size(), value);
    }
    return text;
}

class Attack {
public:
    Attack(Place place, Attacker attacker, Surroundings surroundings)
        : place_(place),
          attacker_(attacker),
          surroundings_(std::move(surroundings)),
          arena_(attacker) {
        // The state of husk, too, shall not be hidden by scratch in /tmp.
        ::setenv("TMPDIR", arena_.path().c_str(), 1);
        husk_.emplace(attacker == Attacker::User ? test::Who::OrdinaryUser : test::Who::Caller);
        ::unsetenv("TMPDIR");
        fs::create_directory(husk_->state());
        test::write_text(husk_->state() / "secret", arena_.secret() + "\n");
        for (const fs::path& path : {husk_->state(), husk_->state() / "secret"})
            EXPECT_EQ(::chown(path.c_str(), uid_of(attacker), uid_of(attacker)), 0);
        ::chmod(husk_->state().c_str(), 0700);
        if (surroundings_.settings.empty()) return;
        fs::create_directories(husk_->dir() / "config/husk");
        test::write_text(husk_->dir() / "config/husk/husk.yaml", surroundings_.settings);
    }

    std::vector<Outcome> run(const std::vector<Probe>& probes) {
        if (probes.front().category() == 'W') arena_.renew_workspace();
        if (place_ == Place::Container) carry_in();
        Listeners& listeners = listeners_;
        const Terminal terminal(arena_.secret(), uid_of(attacker_));
        listeners.listen_to(terminal.hear());
        std::map<std::string, Victim> victims;
        for (const Probe& probe : probes) {
            victims.emplace(probe.id, arena_.make_victim(probe));
            const Victim& victim = victims.at(probe.id);
            if (probe.category() == 'I')
                listeners.listen_to(
                    ::open((victim.dir / "fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
            write_script(probe, victim, listeners, terminal);
        }
        protected_before_ = protected_snapshot(arena_.workspace());
        const std::string output = call(probes, listeners, terminal);
        if (terminal.has_shrunk()) listeners.note(victims.begin()->second.mark);
        for (const fs::path& file : {arena_.common() / "file", arena_.home() / ".bashrc"})
            listeners.note(test::read_text(file));
        note_device(listeners, victims);
        for (const auto& [id, victim] : victims)
            if (victim.shared) listeners.note(victim.shared->contents());
        std::vector<Outcome> outcomes;
        for (const Probe& probe : probes)
            outcomes.push_back(judge(probe, victims.at(probe.id), listeners, output));
        return outcomes;
    }

private:
    // A container has nothing of the host but the workspace, so all that a probe needs is put
    // there.
    void carry_in() const {
        fs::create_directory(baggage());
        fs::copy_file(arena_.program(), baggage() / "probe", fs::copy_options::skip_existing);
        test::write_text(baggage() / "secret", arena_.secret() + "\n");
    }
    fs::path baggage() const { return arena_.workspace() / "baggage"; }
    fs::path scripts() const { return place_ == Place::Container ? baggage() : arena_.scripts(); }
    // The same files, as the command sees them.
    std::string workspace_inside() const {
        return place_ == Place::Container ? "/workspace" : arena_.workspace().string();
    }
    std::string scripts_inside() const {
        return place_ == Place::Container ? "/workspace/baggage" : arena_.scripts().string();
    }

    // The second name of the loopback; taken away again when it is ours.
    static void note_device(Listeners& listeners, const std::map<std::string, Victim>& victims) {
        const fs::path file = "/sys/class/net/lo/ifalias";
        const std::string alias = test::read_text(file);
        for (const auto& [id, victim] : victims) {
            if (alias.find(victim.mark) == std::string::npos) continue;
            listeners.note(alias);
            test::write_text(file, "\n");
        }
    }

    void write_script(const Probe& probe, const Victim& victim, const Listeners& listeners,
                      const Terminal& terminal) const {
        Names names = arena_.names();
        names.insert(listeners.names().begin(), listeners.names().end());
        names["V"] = victim.dir;
        names["ENVELOPE"] = victim.dir / "secret";
        names["MARK"] = victim.mark;
        names["STATE"] = husk_->state();
        names["TERMINAL"] = terminal.path();
        if (place_ == Place::Container) {
            names["WS"] = workspace_inside();
            names["PROBE"] = scripts_inside() + "/probe";
            names["ENVELOPE"] = scripts_inside() + "/secret";
        }
        if (victim.process) {
            names["PID"] = std::to_string(victim.process->pid());
            names["CELL"] = victim.process->cell();
            names["CELLFD"] = victim.process->descriptor();
        }
        if (victim.shared) {
            names["KEY"] = std::to_string(victim.shared->key());
            names["FREEKEY"] = std::to_string(victim.shared->free_key());
            names["QUEUE"] = victim.shared->queue();
        }
        std::string text;
        for (const auto& [name, value] : names) text += "export " + name + "='" + value + "'\n";
        test::write_text(scripts() / probe.id, text + probe.script);
    }

    std::string write_driver(const std::vector<Probe>& probes) const {
        std::string text = "cd '" + workspace_inside() + "'\nfor probe in";
        for (const Probe& probe : probes) text += " " + probe.id;
        text += "\ndo\n    echo \"@begin $probe\"\n    timeout -k 1 10 bash '" + scripts_inside() +
                "'/\"$probe\" 2>&1\n    echo \"@end $probe $?\"\ndone\n";
        // The end of its leader hangs a terminal up, and what nobody has taken by then is lost.
        if (probes.front().category() == 'T') text += "sleep 0.2\n";
        test::write_text(scripts() / "all", text);
        return "bash '" + scripts_inside() + "/all'";
    }

    std::vector<std::string> words_of_call(const std::string& script, bool kill_leftovers) const {
        if (place_ == Place::Bare) {
            std::vector<std::string> words = become(attacker_);
            words.insert(words.end(), {"bash", "-c", script});
            return words;
        }
        const char* mode = place_ == Place::Open       ? "open"
                           : place_ == Place::ReadOnly ? "read-only"
                                                       : "workspace";
        std::vector<std::string> args = {
            "run", "--json",       "--checks", "off",   "--mode",
            mode,  "--max-output", "8M",       "--cwd", arena_.workspace()};
        if (place_ == Place::Online) args.insert(args.end(), {"--network", "open"});
        if (!surroundings_.accept.empty())
            args.insert(args.end(), {"--accept", surroundings_.accept});
        if (kill_leftovers) args.insert(args.end(), {"--leftovers", "kill", "--patience", "100ms"});
        args.insert(args.end(), {"--", script});
        return husk_->argv(args);
    }

    std::string call(const std::vector<Probe>& probes, const Listeners& listeners,
                     const Terminal& terminal) {
        std::vector<std::string> words = {"env", "HOME=" + arena_.home().string()};
        if (!surroundings_.pretend.empty())
            words.push_back("HUSK_PRETEND=" + surroundings_.pretend);
        const Names names = {{"SECRET", arena_.secret()}, {"EVIL", arena_.path() / "evil"}};
        for (const Probe& probe : probes)
            for (const std::string& one : probe.environment) words.push_back(filled_in(one, names));
        const char category = probes.front().category();
        if (category == 'T')
            words.insert(words.end(), {arena_.program(), "on-terminal", terminal.path()});
        const auto rest = words_of_call(write_driver(probes), category == 'S');
        words.insert(words.end(), rest.begin(), rest.end());
        leaks_.start(arena_.common() / "file", listeners.socket_end(), listeners.pipe_end(),
                     arena_.secret());
        const test::Ran ran = test::run_program(words, arena_.secret() + "\n");
        leaks_.stop();
        if (place_ == Place::Bare) return ran.out + ran.err;
        const auto report = nlohmann::json::parse(ran.out, nullptr, false);
        const std::string status = report.is_object() ? report["status"] : "";
        was_ended_by_a_limit_ = category == 'R' && status == "limit_exceeded";
        husk_failed_ = status == "exited" || was_ended_by_a_limit_
                           ? ""
                           : "husk itself failed: " + ran.out + ran.err;
        return husk_failed_.empty() ? report["output"].get<std::string>() : "";
    }

    bool told(const std::string& text, const Listeners& listeners) const {
        const std::string port = "port:" + std::to_string(listeners.hidden_port()) + ";";
        return text.find(arena_.secret()) != std::string::npos ||
               text.find(port) != std::string::npos;
    }

    bool lives(const Victim& victim, bool expected) const {
        // The engine is told of a death by the warden, so the answer may be a little earlier.
        if (place_ == Place::Container)
            test::eventually([&] { return bearers_of(victim.mark).empty(); }, 5s);
        // One that changes its number all the time may be missed once.
        const bool found = test::eventually([&] { return !bearers_of(victim.mark).empty(); },
                                            expected ? 10s : 20ms);
        test::eventually([&] {
            for (const pid_t pid : bearers_of(victim.mark)) ::kill(pid, SIGKILL);
            return bearers_of(victim.mark).empty();
        });
        return found;
    }

    bool proven(const Probe& probe, const Victim& victim, const Listeners& listeners,
                const std::string& text) const {
        const bool expected = probe.gets_through(place_);
        const auto patience = expected ? 10s : 0ms;
        switch (probe.proof) {
            case Proof::Changed:
                return tree_snapshot(victim.dir) != victim.tree_before ||
                       (victim.shared && victim.shared->snapshot() != victim.shared_before);
            case Proof::Spoiled:
                return test::eventually(
                    [&] { return protected_snapshot(arena_.workspace()) != protected_before_; },
                    patience);
            case Proof::Built: return fs::exists(arena_.workspace() / victim.mark);
            case Proof::Told: return told(text, listeners);
            case Proof::Heard:
                return test::eventually([&] { return listeners.have_heard(victim.mark); },
                                        patience);
            case Proof::Hurt:
                return test::eventually(
                    [&] { return victim.process->snapshot() != victim.process_before; }, patience);
            case Proof::Made: return arena_.take_away(victim.mark);
            case Proof::Lived: return lives(victim, expected);
        }
        return false;
    }

    // Whether the probe did what it could, so that silence means something.
    std::string why_it_cannot_be_told(const std::string& id, const std::string& text,
                                      const std::string& all) const {
        if (!husk_failed_.empty()) return husk_failed_;
        if (was_ended_by_a_limit_) return "";
        std::smatch end;
        if (!std::regex_search(all, end, std::regex("@end " + id + " (\\d+)")))
            return "did not run";
        if (end[1] == "124" || end[1] == "137") return "did not end";
        for (const char* sign : {"command not found", "no such verb", "refused: the envelope",
                                 "/probe: No such file", "/probe: Permission denied"})
            if (text.find(sign) != std::string::npos) return sign;
        return "";
    }

    Outcome judge(const Probe& probe, const Victim& victim, const Listeners& listeners,
                  const std::string& all) const {
        const size_t begin = all.find("@begin " + probe.id + "\n");
        const size_t end = all.find("@end " + probe.id + " ");
        std::string text = begin == std::string::npos ? "" : all.substr(begin, end - begin);
        // What a shell does before it reads a script belongs to the probe, too.
        if (place_ != Place::Container && needs_a_call_of_its_own(probe.category())) text = all;
        return {.probe = probe,
                .got_through = proven(probe, victim, listeners, text),
                .is_absent = text.find("absent:") != std::string::npos,
                .cannot_tell = why_it_cannot_be_told(probe.id, text, all),
                .output = text};
    }

    Leaks leaks_;  // before all that opens something
    Place place_;
    Attacker attacker_;
    Surroundings surroundings_;
    Arena arena_;
    Listeners listeners_{arena_.sockets(), arena_.secret()};
    std::optional<test::Husk> husk_;
    std::string protected_before_;
    std::string husk_failed_;
    bool was_ended_by_a_limit_ = false;
};

}  // namespace

bool needs_a_call_of_its_own(char category) { return std::string_view("WSETR").contains(category); }

std::vector<Outcome> attack(const std::vector<Probe>& probes, Place place, Attacker attacker,
                            const Surroundings& surroundings) {
    if (probes.empty()) return {};
    Attack attack(place, attacker, surroundings);
    if (place == Place::Container || !needs_a_call_of_its_own(probes.front().category()))
        return attack.run(probes);
    std::vector<Outcome> outcomes;
    for (const Probe& probe : probes)
        for (const Outcome& outcome : attack.run({probe})) outcomes.push_back(outcome);
    return outcomes;
}

}  // namespace husk::redteam
