#include "campaign.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::chrono::milliseconds since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

template <class T, size_t count>
T one_of(Random& random, const T (&all)[count]) {
    return all[random() % count];
}

bool is_busy(pid_t keeper) {
    const std::string number = std::to_string(keeper);
    return !read_text("/proc/" + number + "/task/" + number + "/children").empty();
}

}  // namespace

OneLineServer::OneLineServer() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener, 64);
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    pid_ = ::fork();
    while (pid_ == 0) {
        const int client = ::accept(listener, nullptr, nullptr);
        char request[4096];
        const std::string_view answer =
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhere\n";
        if (::read(client, request, sizeof request) > 0)
            std::ignore = ::write(client, answer.data(), answer.size());
        ::close(client);
    }
    ::close(listener);
}

OneLineServer::~OneLineServer() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

const char* name_of(Victim victim) {
    constexpr const char* names[] = {"husk run",       "library program", "husk mcp",
                                     "husk serve",     "keeper",          "nursery (open)",
                                     "pid 1 (closed)", "mason",           "proxy"};
    return names[static_cast<size_t>(victim)];
}

uint64_t number_from(const char* variable, uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::chrono::milliseconds scaled(std::chrono::milliseconds time) {
    double load = 0;
    ::getloadavg(&load, 1);
    const double processors = std::max(1U, std::thread::hardware_concurrency());
    return std::chrono::milliseconds(static_cast<int64_t>(
        static_cast<double>(time.count()) * std::clamp(load / processors, 1.0, 60.0)));
}

std::string Tally::text() const {
    std::ostringstream out;
    out << rounds << " rounds, " << nobody << " without anybody to strike\n";
    for (const auto& [victim, signals] : strikes) {
        out << "  " << victim << ":";
        for (const auto& [signal, count] : signals) out << " " << signal << " " << count;
        out << "\n";
    }
    out << "  endings:";
    for (const auto& [status, count] : endings) out << " " << status << " " << count;
    out << "\n  slowest end of a dead caller's trees " << slowest_tree.count()
        << " ms, slowest next call " << slowest_next.count() << " ms\n";
    return out.str();
}

Era::Era(uint64_t seed, const Machine& machine, Tally& tally)
    : random_(seed), tally_(tally), machine_(machine) {
    if (!machine.pretended.empty()) ::setenv("HUSK_PRETEND", machine.pretended.c_str(), 1);
    husk_ = std::make_unique<Husk>(machine.who);
    place_.work = husk_->dir() / "work";
    place_.word = unique_word();
    fs::create_directory(place_.work);
    fs::permissions(place_.work, fs::perms::all);
    if (machine.who == Who::OrdinaryUser && ::geteuid() == 0) {
        EXPECT_EQ(::chown(place_.work.c_str(), ordinary_uid, ordinary_uid), 0);
    }
    place_.port = server_.port();
    std::function<void()> in_child;
    if (machine.strain != nullptr) {
        ready_ = machine.strain->prepare(*husk_);
        in_child = [strain = machine.strain] { strain->limit_caller(); };
    }
    callers_ = std::make_unique<Callers>(*husk_, machine.who, place_.work, machine.server_mode,
                                         std::move(in_child));
}

Era::~Era() {
    callers_.reset();
    for (const pid_t pid : processes_marked("j" + place_.word + "n")) ::kill(pid, SIGKILL);
    husk_.reset();
    ::unsetenv("HUSK_PRETEND");
}

Call& Era::add(std::vector<Call>& calls, Doing doing, Way way, Wanted wanted, bool background) {
    Call call;
    const bool tells = wanted.mode != "read-only";
    call.job = make_job(random_, ++jobs_, doing, tells, place_);
    call.way = way;
    call.wanted = std::move(wanted);
    call.background = background;
    callers_->start(call);
    return calls.emplace_back(std::move(call));
}

// Three or four calls of any kind, and one that the victim has to do with.
std::vector<Call> Era::start_calls(const Strike& strike) {
    const Wanted kinds[] = {{.session = "alpha", .mode = "open"},
                            {.session = "", .mode = "open"},
                            {.session = "beta", .mode = "workspace"},
                            {.session = "", .mode = "workspace"},
                            {.session = "", .mode = "read-only"}};
    const Wanted proxied{.session = "gamma",
                         .mode = "workspace",
                         .network = "127.0.0.1:" + std::to_string(place_.port)};
    const Wanted server{.session = "", .mode = callers_->server_mode()};
    constexpr Doing doings[] = {Doing::Quick,  Doing::Exits,  Doing::KillsItself, Doing::Prints,
                                Doing::Prints, Doing::Leaves, Doing::LeavesToDie};
    std::vector<Call> calls;
    calls.reserve(8);
    const Doing doing = strike.kills_caller() ? Doing::Stays : one_of(random_, doings);
    switch (strike.victim) {
        case Victim::Run: add(calls, doing, Way::Run, one_of(random_, kinds), false); break;
        case Victim::Library: add(calls, doing, Way::Library, one_of(random_, kinds), false); break;
        case Victim::Mcp: add(calls, doing, Way::Mcp, server, false); break;
        case Victim::Serve: add(calls, doing, Way::Serve, server, false); break;
        case Victim::Proxy: add(calls, Doing::Fetches, Way::Run, proxied, false); break;
        case Victim::OpenNursery: add(calls, doing, Way::Run, kinds[random_() % 2], false); break;
        case Victim::ClosedNursery:
        case Victim::Mason: add(calls, doing, Way::Run, kinds[2 + random_() % 3], false); break;
        case Victim::Keeper: break;
    }
    for (int more = between(random_, 3, 4); more > 0; --more) {
        constexpr Way ways[] = {Way::Run, Way::Run, Way::Library, Way::Mcp, Way::Serve};
        const Way way = one_of(random_, ways);
        const bool background = between(random_, 0, 3) == 0;
        const Wanted wanted =
            way == Way::Mcp || way == Way::Serve ? server : one_of(random_, kinds);
        add(calls, one_of(random_, doings), way, wanted, background);
    }
    return calls;
}

void Era::remember(const Crew& crew) {
    for (const Crew::Session& session : crew.sessions) {
        for (const pid_t pid : {session.nursery, session.mason, session.proxy})
            if (pid != 0) seen_[pid] = birth_of(pid);
        for (const pid_t keeper : session.keepers) seen_[keeper] = birth_of(keeper);
    }
}

// Whom to strike, of those that live at this moment.
bool Era::find(Strike& strike, const std::vector<Call>& calls) {
    if (strike.victim <= Victim::Serve) {
        strike.pid = calls[0].caller;
        return strike.pid > 0;
    }
    struct Candidate {
        pid_t pid;
        Crew::Session session;
    };
    std::vector<Candidate> found;
    const Crew crew = crew_of(husk_->state());
    remember(crew);
    const bool only_busy = between(random_, 0, 3) > 0;
    for (const Crew::Session& session : crew.sessions) {
        const bool closed = session.mason != 0;
        if (strike.victim == Victim::OpenNursery && !closed)
            found.push_back({session.nursery, session});
        if (strike.victim == Victim::ClosedNursery && closed)
            found.push_back({session.nursery, session});
        if (strike.victim == Victim::Mason && closed) found.push_back({session.mason, session});
        if (strike.victim == Victim::Proxy && session.proxy != 0)
            found.push_back({session.proxy, session});
        for (const pid_t keeper : session.keepers)
            if (strike.victim == Victim::Keeper && (!only_busy || is_busy(keeper)))
                found.push_back({keeper, session});
    }
    if (found.empty()) return false;
    const Candidate& chosen = found[random_() % found.size()];
    strike.pid = chosen.pid;
    strike.session = chosen.session;
    return true;
}

void Era::hit(Strike& strike, std::vector<Call>& calls) {
    // At a moment between at once and when most of them are over; early ones are more frequent.
    const double exponent = between(random_, 0, 1000) / 1000.0;
    std::this_thread::sleep_for(
        std::chrono::microseconds(static_cast<int64_t>(200.0 * std::pow(2000.0, exponent))));
    if (!eventually([&] { return find(strike, calls); }, 1s)) {
        ++tally_.nobody;
        return;
    }
    const char* how = !strike.stops ? "KILL" : strike.resumes ? "STOP+CONT" : "STOP";
    ++tally_.strikes[name_of(strike.victim)][how];
    ::kill(strike.pid, strike.stops ? SIGSTOP : SIGKILL);
    if (strike.stops && strike.victim != Victim::Keeper) {
        std::this_thread::sleep_for(std::chrono::milliseconds(between(random_, 1, 400)));
        ::kill(strike.pid, strike.resumes ? SIGCONT : SIGKILL);
    }
    if (strike.kills_caller()) callers_->forget(strike.pid, calls);
    // A stopped keeper is killed by its nursery. What comes next is after the death, not beside it.
    if (!strike.resumes) {
        EXPECT_TRUE(eventually([&] { return !is_alive(strike.pid); }, scaled(2s)));
    }
}

// Foreground commands of a caller that is dead.
void Era::expect_trees_gone(const std::vector<Call>& calls) {
    const auto start = Clock::now();
    for (const Call& call : calls) {
        if (!call.is_abandoned || call.background) continue;
        // It ended before its caller died, and what it left was adopted.
        if (call.job.doing == Doing::Leaves && truth_of(call.job).exits) continue;
        const auto left = [&] { return processes_marked(call.job.mark); };
        if (!eventually([&] { return left().empty(); }, scaled(1s)))
            for (const pid_t pid : left())
                ADD_FAILURE() << since(start).count() << " ms after its caller " << describe(pid);
    }
    tally_.slowest_tree = std::max(tally_.slowest_tree, since(start));
}

void Era::round(Victim victim) {
    Strike strike{.victim = victim, .stops = between(random_, 0, 2) == 0};
    strike.resumes = strike.stops && victim != Victim::Keeper && between(random_, 0, 2) > 0;
    ++tally_.rounds;
    if (machine_.strain != nullptr) machine_.strain->begin(random_, callers_->servers());
    std::vector<Call> calls = start_calls(strike);
    hit(strike, calls);
    if (machine_.strain != nullptr) {
        std::this_thread::sleep_for(std::chrono::milliseconds(between(random_, 0, 300)));
        machine_.strain->end();
    }
    std::ostringstream trace;
    trace << "round " << tally_.rounds << ": " << name_of(victim) << " " << strike.pid
          << (strike.stops ? strike.resumes ? " stopped for a while" : " stopped" : " killed")
          << " in session " << strike.session.id << " " << strike.session.name;
    SCOPED_TRACE(trace.str());
    if (strike.kills_caller() && strike.pid != 0) expect_trees_gone(calls);
    expect_next_calls(strike);
    settle(calls, strike);
    wait_for_background(calls);
    clear_leftovers(calls);
    const auto shells = shells_by_mark(calls);
    int lost = 0;
    for (const Call& call : calls) {
        const auto shell = shells.find(call.job.mark);
        judge(call, shell == shells.end() ? Json() : shell->second, strike, lost);
    }
    if (strike.victim == Victim::Keeper) {
        EXPECT_LE(lost, 1) << "one keeper keeps one command";
    }
    judge_audit(calls, strike);
    expect_nothing_marked(calls);
    remember(crew_of(husk_->state()));
}

void Era::finish() {
    callers_->stop_servers();
    const Ran verified = (*husk_)({"log", "--verify"});
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    for (const Crew::Session& session : crew_of(husk_->state()).sessions) {
        const Ran ended = (*husk_)({"session", "end", session.id});
        EXPECT_EQ(ended.code, 0) << ended.err;
    }
    const auto left = [&] { return processes_of(husk_->state(), "j" + place_.word + "n"); };
    if (!eventually([&] { return left().empty(); }, scaled(2s)))
        for (const pid_t pid : left()) ADD_FAILURE() << "outlives all sessions: " << describe(pid);
    for (const auto& [pid, birth] : seen_) {
        // Numbers are used again, also by the Husk of other tests.
        const auto is_gone = [&] { return !is_alive(pid) || birth_of(pid) != birth; };
        EXPECT_TRUE(eventually(is_gone, scaled(1s))) << "outlives all sessions: " << describe(pid);
    }
    std::map<std::string, std::string> recorded;
    const auto complete = [&] {
        for (const std::string& line :
             lines_of((*husk_)({"log", "--json", "--all", "--limit", "100000"}).out)) {
            const Json record = Json::parse(line, nullptr, false);
            if (record.is_object() && record.value("shell_id", Json()).is_string())
                recorded[record["shell_id"]] = record.value("status", "");
        }
        return std::ranges::none_of(recorded,
                                    [](const auto& one) { return one.second == "running"; });
    };
    EXPECT_TRUE(eventually(complete, scaled(4s))) << "the audit has calls that do not end";
    for (const auto& [id, status] : known_) {
        const auto found = recorded.find(id);
        EXPECT_EQ(found == recorded.end() ? "nothing" : found->second, status)
            << "what the audit says of " << id;
    }
}

}  // namespace husk::test
