#include "callers.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace husk::test {
namespace {

namespace fs = std::filesystem;

Json parsed_line(const std::string& text) {
    const auto lines = lines_of(text);
    return lines.empty() ? Json() : Json::parse(lines.back(), nullptr, false);
}

// What a tool's answer says, in the words of a report.
Json from_tool(const Json& result) {
    Json answer = result.value("structuredContent", Json::object());
    if (!answer.contains("status"))
        answer["status"] = answer.value("exit_code", Json()).is_null() ? "not_started" : "exited";
    return answer;
}

Mode mode_of(const std::string& word) {
    if (word == "read-only") return Mode::ReadOnly;
    return word == "workspace" ? Mode::Workspace : Mode::Open;
}

bool is_stubborn(const Job& job) { return job.doing == Doing::Stays; }

}  // namespace

std::vector<std::string> Wanted::options() const {
    std::vector<std::string> words = {"--mode", mode};
    if (!session.empty()) words.insert(words.end(), {"--session", session});
    if (!network.empty()) words.insert(words.end(), {"--network", network});
    return words;
}

pid_t spawn_into(const std::vector<std::string>& argv, const fs::path& out, int in,
                 const std::function<void()>& in_child) {
    std::vector<char*> words;
    words.reserve(argv.size() + 1);
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const int file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const std::string errors = out.string() + ".err";
    const int err = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(in >= 0 ? in : null, 0);
        ::dup2(file, 1);
        ::dup2(err, 2);
        if (in_child) in_child();
        ::execvp(words[0], words.data());
        ::_exit(127);
    }
    for (const int fd : {file, null, err}) ::close(fd);
    return pid;
}

std::optional<int> ended_within(pid_t child, std::chrono::milliseconds within) {
    int status = 0;
    if (!eventually([&] { return ::waitpid(child, &status, WNOHANG) != 0; }, within))
        return std::nullopt;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

McpServer::McpServer(const Husk& husk, const std::string& mode, const fs::path& work, fs::path out)
    : out_(std::move(out)) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    pid_ = spawn_into(husk.argv({"mcp", "--mode", mode, "--cwd", work.string()}), out_, ends[0]);
    ::close(ends[0]);
    in_ = ends[1];
}

McpServer::~McpServer() {
    if (in_ >= 0) ::close(in_);
    if (pid_ > 0 && ended_within(pid_, 20s) == std::nullopt) {
        ADD_FAILURE() << "husk mcp did not end with its input";
        kill();
    }
}

void McpServer::bash(int id, const Json& arguments) const {
    const Json params = {{"name", "bash"}, {"arguments", arguments}};
    const std::string line =
        Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", "tools/call"}, {"params", params}}.dump() +
        "\n";
    // One that was killed meanwhile hears nothing.
    std::ignore = ::write(in_, line.data(), line.size());
}

std::optional<Json> McpServer::answer(int id) const {
    for (const std::string& line : lines_of(read_text(out_))) {
        const Json message = Json::parse(line, nullptr, false);
        if (message.is_object() && message.value("id", Json()) == id && message.contains("result"))
            return from_tool(message["result"]);
    }
    return std::nullopt;
}

void McpServer::kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
}

Callers::Callers(const Husk& husk, Who who, fs::path work, std::string server_mode,
                 std::function<void()> in_child)
    : husk_(husk),
      who_(who),
      work_(std::move(work)),
      server_mode_(std::move(server_mode)),
      in_child_(std::move(in_child)) {
    std::signal(SIGPIPE, SIG_IGN);
}

pid_t Callers::mcp() {
    if (!mcp_) {
        const fs::path out = husk_.dir() / ("mcp-" + std::to_string(++servers_));
        mcp_ = std::make_unique<McpServer>(husk_, server_mode_, work_, out);
    }
    return mcp_->pid();
}

pid_t Callers::serve() {
    if (!serve_) {
        const std::vector<std::string> options = {"--mode", server_mode_, "--cwd", work_.string()};
        serve_ = std::make_unique<HttpServer>(husk_, options);
    }
    return serve_->pid();
}

void Callers::start(Call& call) {
    Json arguments = {{"command", call.job.command}};
    if (call.background) arguments["run_in_background"] = true;
    if (call.job.doing == Doing::LeavesToDie) arguments["leftovers"] = "kill";
    switch (call.way) {
        case Way::Run: return start_run(call);
        case Way::Library: return start_library(call);
        case Way::Mcp:
            call.caller = mcp();
            call.request = ++requests_;
            return mcp_->bash(call.request, arguments);
        case Way::Serve:
            call.caller = serve();
            call.wire = std::make_unique<HttpWire>(serve_->port());
            call.wire->say(serve_->text("POST", "/v1/calls",
                                        Json{{"tool", "bash"}, {"arguments", arguments}}.dump(),
                                        {{"Content-Type", "application/json"}}));
            return;
    }
}

void Callers::start_run(Call& call) {
    std::vector<std::string> args = {"run", "--json", "--checks", "off", "--cwd", work_.string()};
    const auto options = call.wanted.options();
    args.insert(args.end(), options.begin(), options.end());
    if (call.background) args.emplace_back("--background");
    if (call.job.doing == Doing::LeavesToDie) args.insert(args.end(), {"--leftovers", "kill"});
    if (is_stubborn(call.job)) args.insert(args.end(), {"--patience", "200ms"});
    args.insert(args.end(), {"--", call.job.command});
    call.out = husk_.dir() / ("run-" + std::to_string(call.job.number));
    call.caller = spawn_into(husk_.argv(args), call.out, -1, in_child_);
}

// What a program says that embeds the library. It ends with its call.
void Callers::start_library(Call& call) {
    call.out = husk_.dir() / ("library-" + std::to_string(call.job.number));
    call.caller = ::fork();
    if (call.caller != 0) return;
    const int out = ::open(call.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const bool drop = who_ == Who::OrdinaryUser && ::geteuid() == 0;
    if (drop && (::setresgid(ordinary_uid, ordinary_uid, ordinary_uid) != 0 ||
                 ::setresuid(ordinary_uid, ordinary_uid, ordinary_uid) != 0))
        ::_exit(1);
    if (in_child_) in_child_();
    Json said;
    {
        Bash bash(husk_.unchecked_settings());
        const bool dies = call.job.doing == Doing::LeavesToDie;
        const Report report = bash.run({.command = call.job.command,
                                        .background = call.background,
                                        .leftovers = dies ? Leftovers::Kill : Leftovers::Adopt},
                                       {.working_dir = work_,
                                        .session = call.wanted.session,
                                        .mode = mode_of(call.wanted.mode)});
        said = {{"status", status_word(report.ending)},
                {"shell_id", report.shell_id},
                {"notes", report.notes}};
        if (const auto* exited = std::get_if<Exited>(&report.ending))
            said["exit_code"] = exited->code;
        if (const auto* failed = std::get_if<NotStarted>(&report.ending))
            said["error"] = failed->cause.text();
    }
    const std::string line = said.dump() + "\n";
    std::ignore = ::write(out, line.data(), line.size());
    ::_exit(0);
}

void Callers::read_run(Call& call) const {
    const std::string text = read_text(call.out);
    const Json report = parsed_line(text);
    if (report.is_object()) call.answer = report;
    // `husk run --background --json` and refusals say it in other words.
    if (!call.answer && call.background && !text.empty())
        call.answer = Json{{"status", "running"}, {"shell_id", lines_of(text)[0]}};
    if (!call.answer)
        call.answer =
            Json{{"status", "not_started"}, {"error", read_text(call.out.string() + ".err")}};
}

bool Callers::settle(Call& call, std::chrono::milliseconds within) {
    if (call.is_abandoned || call.answer) return true;
    if (call.way == Way::Mcp) {
        return eventually(
            [&] {
                if (mcp_) call.answer = mcp_->answer(call.request);
                return call.answer.has_value();
            },
            within);
    }
    if (call.way == Way::Serve) {
        const HttpAnswer got = call.wire->answer(within);
        const Json body = Json::parse(got.body, nullptr, false);
        if (got.status != 200 || !body.is_object()) return false;
        const Json report = body.value("report", Json());
        call.answer = report.is_object() ? report : from_tool(body.value("result", Json::object()));
        return true;
    }
    if (!ended_within(call.caller, within)) return false;
    call.caller = 0;
    read_run(call);
    return true;
}

void Callers::forget(pid_t killed, std::vector<Call>& calls) {
    const bool is_mcp = mcp_ && mcp_->pid() == killed;
    const bool is_serve = serve_ && serve_->pid() == killed;
    if (is_mcp) mcp_->kill();
    if (is_serve) serve_->kill();
    for (Call& call : calls) {
        if (call.caller != killed || call.answer) continue;
        // It may have answered before it was killed.
        if (is_mcp) call.answer = mcp_->answer(call.request);
        if (!is_mcp && !is_serve) ::waitpid(killed, nullptr, 0);
        call.is_abandoned = !call.answer;
        call.caller = 0;
    }
    if (is_mcp) mcp_.reset();
    if (is_serve) serve_.reset();
}

void Callers::stop_servers() {
    mcp_.reset();
    serve_.reset();
}

}  // namespace husk::test
