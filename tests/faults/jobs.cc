#include "jobs.h"

#include <functional>

#include "scenarios/harness.h"

namespace husk::test {
namespace {

constexpr uint64_t line_size = 16;  // as numbered() of the harness has it

std::string seconds(int milliseconds) {
    const std::string digits = std::to_string(1000 + milliseconds % 1000);
    return std::to_string(milliseconds / 1000) + "." + digits.substr(1);
}

std::string print_lines(uint64_t lines) {
    return "seq -f %015.0f 1 " + std::to_string(lines) + "\n";
}

using Tell = std::function<std::string(const std::string&)>;

// What the job does between its first and its last word.
std::string body_of(Random& random, Job& job, const JobPlace& place, const Tell& tell) {
    const std::string nap = "sleep " + seconds(between(random, 0, 250)) + "\n";
    switch (job.doing) {
        case Doing::Quick: return "";
        case Doing::Exits:
        case Doing::KillsItself: return nap;
        case Doing::Prints: {
            const uint64_t first = static_cast<uint64_t>(between(random, 0, 40'000));
            job.bytes = 2 * first * line_size;
            return print_lines(first) + nap + "seq -f %015.0f " + std::to_string(first + 1) + " " +
                   std::to_string(2 * first) + "\n";
        }
        case Doing::Leaves:
        case Doing::LeavesToDie: return "setsid sleep 600 &\n" + nap;
        case Doing::Stays: return "trap '' TERM\nsleep 600\n";
        case Doing::Fetches:
            return "curl -s -m 5 --noproxy '' -o /dev/null http://127.0.0.1:" +
                   std::to_string(place.port) + "/ && " + tell("fetched") + nap;
    }
    return "";
}

}  // namespace

int between(Random& random, int low, int high) {
    return low + static_cast<int>(random() % static_cast<uint64_t>(high - low + 1));
}

Job make_job(Random& random, int number, Doing doing, bool tells, const JobPlace& place) {
    Job job{.number = number,
            .doing = doing,
            .mark = "j" + place.word + "n" + std::to_string(number) + "x"};
    if (doing == Doing::Quick) {
        job.command = "true # " + job.mark;
        return job;
    }
    if (tells) job.told = place.work / ("told-" + std::to_string(number));
    const auto tell = [&](const std::string& word) {
        return tells ? "echo " + word + " >> " + job.told.string() + "\n" : "";
    };
    const std::string body = body_of(random, job, place, tell);
    const bool killed = doing == Doing::KillsItself;
    job.code = killed ? (between(random, 0, 1) == 0 ? 9 : 10) : between(random, 0, 99);
    const std::string code = std::to_string(job.code);
    job.command = "export FAULT=" + job.mark + "\n" + tell("start") + body +
                  tell((killed ? "signal " : "exit ") + code) +
                  (killed ? "kill -" + code + " $$" : "exit " + code);
    return job;
}

Truth truth_of(const Job& job) {
    Truth truth;
    if (job.told.empty()) return truth;
    for (const std::string& line : lines_of(read_text(job.told))) {
        if (line == "start") truth.started = true;
        if (line == "fetched") truth.fetched = true;
        if (line.starts_with("exit ")) truth.exits = std::stoi(line.substr(5));
        if (line.starts_with("signal ")) truth.signals = std::stoi(line.substr(7));
    }
    return truth;
}

}  // namespace husk::test
