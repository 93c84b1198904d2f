#include "place.h"

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "descendants.h"
#include "scenarios/harness.h"

namespace husk::everyday {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Not below /tmp, which is private behind walls.
fs::path make_folder() {
    for (const std::string& dir : {std::string("/srv"), std::string(HUSK_TEST_PROGRAMS_DIR)}) {
        std::string name = dir + "/husk-everyday-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) continue;
        ::chmod(name.c_str(), 0755);
        return name;
    }
    return {};
}

// A port that nobody listens on. Cases use it and the nine that follow.
std::string free_port() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // Below the ports that the kernel gives to outgoing connections.
    for (int tries = 0; tries < 100; ++tries) {
        const int port = 10000 + static_cast<int>((::getpid() * 10 + tries * 977) % 20000);
        address.sin_port = htons(static_cast<uint16_t>(port));
        if (::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) continue;
        ::close(fd);
        return std::to_string(port);
    }
    ::close(fd);
    return "10000";
}

constexpr std::string_view git_configuration =
    "[user]\n\tname = Ann Author\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n"
    "[protocol \"file\"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n";

// `await COMMAND...` repeats the command until it succeeds: cases wait for conditions.
constexpr std::string_view prelude =
    "await() { local i; for i in {1..400}; do \"$@\" >/dev/null 2>&1 && return; sleep 0.05; done; "
    "echo \"never: $*\"; return 1; }\n";

// Without walls, root gives a run a /tmp of its own, so that cases that run at the same time do not
// meet, and nothing is left there.
std::vector<std::string> with_own_tmp() {
    if (::geteuid() != 0 || std::string_view(HUSK_BINARY).starts_with("/tmp/")) return {};
    return {"unshare", "--mount", "--",
            "bash",    "-c",      "mount -t tmpfs -o mode=1777 tmpfs /tmp && exec \"$@\"",
            "bash"};
}

std::string text_of(const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace

fs::path tools_folder() {
    const char* folder = std::getenv("HUSK_EVERYDAY_TOOLS");
    return folder == nullptr ? fs::path(HUSK_TEST_PROGRAMS_DIR) / "../../everyday"
                             : fs::path(folder);
}

Place::Place(const Case& one, User user)
    : case_(one), user_(user), path_(make_folder()), port_(free_port()) {
    if (path_.empty()) failure_ = "no folder can be made for the case";
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Place::~Place() {
    end_sessions();
    end_descendants();
    test::run_program({"chmod", "-Rf", "u+rwX", path_});
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::vector<std::string> Place::become() const {
    if (user_ == User::Root || ::geteuid() != 0) return {};
    const std::string id = std::to_string(test::ordinary_uid);
    return {"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", "--"};
}

// The same for both runs, and the same on every machine.
std::vector<std::string> Place::environment() const {
    const std::string tools = fs::weakly_canonical(tools_folder());
    const std::string user = user_ == User::Root ? "root" : "nobody";
    return {"env",
            "-i",
            "-C",
            workspace().string(),
            "HOME=" + home().string(),
            "USER=" + user,
            "LOGNAME=" + user,
            "PATH=" + tools + "/node_modules/.bin:" + tools +
                "/venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "NODE_PATH=" + tools + "/node_modules",
            "LANG=C.UTF-8",
            "TERM=dumb",
            "SHELL=/bin/bash",
            "PORT=" + port_,
            "GIT_AUTHOR_DATE=2024-05-01T12:00:00Z",
            "GIT_COMMITTER_DATE=2024-05-01T12:00:00Z",
            "DO_NOT_TRACK=1",
            "HUSK_STATE=" + state().string(),
            "PWD=" + workspace().string()};
}

std::vector<std::string> Place::bare(const std::string& script) const {
    std::vector<std::string> words = with_own_tmp();
    for (const auto& more : {become(), environment()})
        words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"bash", "-c", script});
    return words;
}

Place::Ended Place::run(std::vector<std::string> words) const {
    const Finished finished = run_to_its_end(words, test::patient(case_.slow ? 240s : 60s));
    return {finished.status, finished.out, finished.err};
}

void Place::make_anew() {
    test::run_program({"chmod", "-Rf", "u+rwX", home()});
    std::error_code error;
    fs::remove_all(home(), error);
    fs::create_directories(workspace(), error);
    if (error) failure_ = "cannot make " + workspace().string() + ": " + error.message();
    test::write_text(home() / ".gitconfig", git_configuration);
    fs::create_directories(state());
    if (become().empty()) return;
    test::run_program(
        {"chown", "-R",
         std::to_string(test::ordinary_uid) + ":" + std::to_string(test::ordinary_uid), home(),
         state()});
}

void Place::set_up() {
    make_anew();
    if (case_.setup.empty() || !failure_.empty()) return;
    const Ended ended = run(bare("set -e\n" + std::string(prelude) + case_.setup));
    if (ended.status != 0)
        failure_ =
            "the setup ended with " + std::to_string(ended.status) + ": " + ended.err + ended.out;
}

std::string Place::files() const {
    std::string all = files_below(workspace(), case_);
    for (const std::string& path : case_.also)
        all += "# " + path + "\n" + files_below(home() / path, case_);
    return all;
}

Outcome Place::run_bare() {
    set_up();
    const Ended ended = run(bare(std::string(prelude) + case_.run));
    end_descendants();
    return {.status = ended.status,
            .output = ended.out,
            .errors = ended.err,
            .files = files(),
            .denials = {},
            .notes = {}};
}

std::vector<std::string> Place::walled(std::vector<std::string> settings) const {
    const bool has_mode = std::ranges::find(settings, "--mode") != settings.end();
    if (!has_mode) settings.insert(settings.end(), {"--mode", "workspace"});
    std::vector<std::string> words;
    if (has_mode) words = with_own_tmp();
    const char* other = std::getenv("HUSK_TESTED_PROGRAM");
    const std::vector<std::string> run = {other == nullptr ? HUSK_BINARY : other,
                                          "run",
                                          "--json",
                                          "--streams",
                                          "split",
                                          "--checks",
                                          "off",
                                          "--max-output",
                                          "8M"};
    for (const auto& more : {become(), environment(), run, case_.settings, settings})
        words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", std::string(prelude) + case_.run});
    return words;
}

Outcome Place::run_walled(const std::vector<std::string>& settings) {
    set_up();
    const Ended ended = run(walled(settings));
    end_sessions();
    end_descendants();
    Outcome outcome{.status = ended.status,
                    .output = ended.out,
                    .errors = ended.err,
                    .files = files(),
                    .denials = {},
                    .notes = {}};
    const nlohmann::json report = nlohmann::json::parse(ended.out, nullptr, false);
    if (!report.is_object()) return outcome;
    outcome.output = text_of(report["stdout"]);
    outcome.errors = text_of(report["stderr"]);
    for (const auto& denial : report["denials"]) outcome.denials.push_back(denial.dump());
    for (const char* key : {"notes", "reverted"})
        if (report.contains(key))
            for (const auto& note : report[key]) outcome.notes.push_back(note.dump());
    return outcome;
}

void Place::end_sessions() const {
    std::vector<std::string> words = become();
    words.insert(words.end(), {"env", "HUSK_STATE=" + state().string(), HUSK_BINARY, "session"});
    std::vector<std::string> list = words;
    list.insert(list.end(), {"list", "--json"});
    const auto listed = nlohmann::json::parse(test::run_program(list).out, nullptr, false);
    if (!listed.is_object()) return;
    for (const auto& session : listed["sessions"]) {
        if (session["nursery"] == 0) continue;
        std::vector<std::string> end = words;
        end.insert(end.end(), {"end", session["id"].get<std::string>()});
        test::run_program(end);
    }
}

}  // namespace husk::everyday
