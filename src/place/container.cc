#include "place/container.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>
#include <utility>

#include "base/id.h"
#include "base/sha256.h"
#include "os/events.h"
#include "os/file.h"
#include "os/procfs.h"
#include "place/container_plan.h"
#include "place/engine.h"
#include "place/http_text.h"
#include "place/seccomp_profile.h"
#include "place/warden_wire.h"
#include "request/default_limits.h"
#include "run/session_table.h"

extern "C" {
extern const char husk_warden_image_begin[];
extern const char husk_warden_image_end[];
}

namespace husk::place {
namespace {

namespace fs = std::filesystem;

constexpr int not_found = 404;
constexpr int conflict = 409;
constexpr int already = 304;
constexpr const char* note_file = "container";  // in a session's directory

std::unexpected<Error> refused(const std::string& what, const Engine::Reply& reply) {
    return failure("container engine", 0, "cannot " + what + ": " + reply.message());
}

// A file that the engine takes by its path, named after its content, in the state directory, where
// no command can write.
Result<fs::path> file_for_engine(const fs::path& state, const std::string& name,
                                 std::string_view content, mode_t mode) {
    CHECK(os::make_directory(state / "place"));
    const fs::path file = state / "place" / (name + "-" + sha256(content).substr(0, 16));
    struct stat info{};
    if (::lstat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
        std::cmp_equal(info.st_size, content.size()))
        return file;
    // Under another name until it is complete: nobody may be given half of it.
    const fs::path fresh = file.string() + "." + random_id(8);
    {
        const os::Fd out = TRY(os::open(fresh, O_WRONLY | O_CREAT | O_EXCL, mode));
        ::fchmod(out.get(), mode);
        CHECK(os::write_all(out.get(), content));
    }
    if (::rename(fresh.c_str(), file.c_str()) != 0) return failure("rename", errno, file.string());
    return file;
}

// Nobody may read it: so the kernel lets nobody look into the process either.
Result<fs::path> warden_file(const fs::path& state) {
    const std::string_view image(
        husk_warden_image_begin,
        static_cast<size_t>(husk_warden_image_end - husk_warden_image_begin));
    return file_for_engine(state, "warden", image, 0111);
}

std::string said(const Engine::Reply& reply, const char* about) {
    const Json& all = part(reply.body, about);
    return all.is_null() ? "" : all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Engine::Reply> info_of(const Engine& engine) {
    Engine::Reply info = TRY(engine.ask("GET", "/info"));
    if (!info.is_good()) return refused("be asked about itself", info);
    return info;
}

Kind kind_of(const Engine::Reply& info) {
    // Podman says it in a word, Docker in a list of words such as "name=rootless".
    const bool rootless =
        part(info.body, "Rootless") == true || said(info, "SecurityOptions").contains("rootless");
    return rootless ? Kind::Rootless : Kind::Rootful;
}

// Podman opens the file that is named, Docker takes the profile itself.
Result<std::string> seccomp_for(const Engine::Reply& info, const fs::path& state) {
    std::string profile = container_profile().dump();
    const bool is_podman = !part(info.body, "Rootless").is_null();
    if (!is_podman) return profile;
    constexpr mode_t readable = 0444;
    return TRY(file_for_engine(state, "seccomp", profile, readable)).string();
}

Limits complete(Limits limits) {
    const Limits usual = default_limits();
    if (!limits.cpu) limits.cpu = usual.cpu;
    if (!limits.memory) limits.memory = usual.memory;
    if (!limits.processes) limits.processes = usual.processes;
    if (!limits.open_files) limits.open_files = usual.open_files;
    if (!limits.file_size) limits.file_size = usual.file_size;
    return limits;
}

Result<void> check(const Wanted& wanted) {
    if (wanted.image.empty())
        return failure("container", 0,
                       "no image is set; name one that has bash: husk config set container.image "
                       "debian:12");
    if (wanted.network.kind == Network::Kind::Hosts)
        return failure("container", 0,
                       "a list of hosts cannot be enforced in a container; set network to none or "
                       "open");
    return {};
}

uint64_t own_processes() {
    rlimit own{};
    ::getrlimit(RLIMIT_NPROC, &own);
    return own.rlim_max == RLIM_INFINITY ? 0 : own.rlim_max;
}

Result<Plan> plan_of(const Wanted& wanted, const Engine& engine, const run::StateDir& state) {
    CHECK(check(wanted));
    using std::chrono::seconds;
    const Engine::Reply info = TRY(info_of(engine));
    auto warden = TRY(warden_file(state.path()));
    auto mounts = TRY(mounts_of(wanted, state.path(), engine.socket()));
    auto seccomp = TRY(seccomp_for(info, state.path()));
    return Plan{
        .image = wanted.image,
        .warden = std::move(warden),
        .mounts = std::move(mounts),
        .boot_id = os::boot_id(),
        .network = wanted.network,
        .limits = complete(wanted.limits),
        .user_processes = own_processes(),
        .engine = kind_of(info),
        .seccomp = std::move(seccomp),
        .user = ::geteuid(),
        .group = ::getegid(),
        .linger_seconds = static_cast<uint64_t>(std::chrono::ceil<seconds>(wanted.linger).count()),
        .session = wanted.session,
        .state = state.path().string()};
}

// Sessions of other state directories may have the same id.
std::string name_of(const run::StateDir& state, const std::string& session_id) {
    return "husk-" + sha256(state.path().string()).substr(0, 12) + "-" + session_id;
}

Result<void> explain_create(const Plan& plan, const Engine::Reply& made) {
    if (made.status == not_found)
        return failure("container", 0,
                       "the engine has no image " + plan.image + "; fetch it first (docker pull " +
                           plan.image + ", or podman pull), or set container.image in husk.yaml");
    return refused("make a container of " + plan.image, made);
}

// Made if there is none. True: one that is there must be looked at again.
Result<bool> make(const Engine& engine, const Plan& plan, const std::string& name) {
    Json body = create_body(plan);
    body["Labels"][label_fingerprint] = plan.fingerprint();
    const auto made = TRY(engine.ask("POST", "/containers/create?name=" + escaped(name), body));
    if (made.status == conflict) return true;
    if (!made.is_good()) return std::unexpected(explain_create(plan, made).error());
    const std::string path = "/containers/" + escaped(name);
    const auto started = TRY(engine.ask("POST", path + "/start"));
    if (started.is_good() || started.status == already) return false;
    std::ignore = engine.ask("DELETE", path + "?force=true");
    return std::unexpected(refused("start a container of " + plan.image, started).error());
}

enum class Standing { Ready, Other, Gone };

Result<Standing> look_at(const Engine& engine, const Plan& plan, const std::string& name) {
    const std::string path = "/containers/" + escaped(name);
    const auto found = TRY(engine.ask("GET", path + "/json"));
    if (found.status == not_found) return Standing::Gone;
    if (!found.is_good()) return refused("look at the container " + name, found);
    const Json& state = part(found.body, "State");
    const Json& labels = part(part(found.body, "Config"), "Labels");
    if (part(state, "Running") == true)
        return text_in(labels, label_fingerprint) == plan.fingerprint() ? Standing::Ready
                                                                        : Standing::Other;
    // Whoever made it is about to start it, or has died before. Starting it twice is once.
    const std::string status = text_in(state, "Status");
    if (status == "created" || status == "configured")
        std::ignore = engine.ask("POST", path + "/start");
    else
        std::ignore = engine.ask("DELETE", path + "?force=true");
    return Standing::Gone;
}

// Several may want it at once, and it may just be ending: whoever comes second looks again.
Result<void> stand_up(const Engine& engine, const Plan& plan, const std::string& name) {
    const auto give_up = os::Clock::now() + std::chrono::seconds(30);
    for (;;) {
        const Standing standing = TRY(look_at(engine, plan, name));
        if (standing == Standing::Ready) return {};
        if (standing == Standing::Other)
            return failure("container", 0,
                           "the session " + plan.session +
                               " has a container with other settings, or for files that have been "
                               "replaced since; end it with husk session end " +
                               plan.session + ", or use another session");
        if (!TRY(make(engine, plan, name))) return {};
        if (os::Clock::now() > give_up)
            return failure("container", ETIMEDOUT, "the container " + name + " does not start");
        std::ignore = os::wait_for({}, os::Clock::now() + std::chrono::milliseconds(50));
    }
}

}  // namespace

Result<Container> container_for(const Wanted& wanted, const run::StateDir& state) {
    const Engine engine(wanted.socket.empty() ? usual_socket() : wanted.socket);
    const Plan plan = TRY(plan_of(wanted, engine, state));
    std::string name = name_of(state, "run-" + random_id(12));
    if (!wanted.session.empty()) {
        const auto session = TRY(run::find_or_make_session(state, wanted.session));
        name = name_of(state, session->id);
        const Json note = {{"socket", engine.socket().string()}, {"name", name}};
        CHECK(os::replace_file(session->path / note_file, note.dump() + "\n", 0600));
    }
    CHECK(stand_up(engine, plan, name));
    return Container{engine.socket(), name};
}

Result<void> end_container(const run::StateDir& state, const std::string& session) {
    for (const run::SessionInfo& one : TRY(run::list_sessions(state))) {
        if (one.name != session && one.id != session) continue;
        const fs::path file = state.path() / "sessions" / one.id / note_file;
        const auto text = os::read_file(file);
        if (!text) return {};
        const Json note = Json::parse(*text, nullptr, false);
        if (!note.is_object()) return failure("container", 0, file.string() + " is damaged");
        const Engine engine(text_in(note, "socket"));
        const auto removed = TRY(
            engine.ask("DELETE", "/containers/" + escaped(text_in(note, "name")) + "?force=true"));
        if (!removed.is_good() && removed.status != not_found && removed.status != conflict)
            return refused("end the container", removed);
        ::unlink(file.c_str());
    }
    return {};
}

Result<std::string> directory_inside(const fs::path& asked) {
    const fs::path root = workspace_inside;
    const fs::path whole = (root / asked / "").lexically_normal().parent_path();
    const fs::path below = whole.lexically_relative(root);
    if (below.empty() || *below.begin() == "..")
        return failure("working directory", 0,
                       "it must be inside " + root.string() + ", not " + asked.string());
    return whole.string();
}

Request moved(const Request& request, const Container& container, const std::string& directory,
              const std::string& self) {
    Request here = request;
    here.working_dir.clear();
    here.argv = {self,          "place",      "--socket",    container.socket.string(),
                 "--container", container.id, "--directory", directory};
    for (const auto& [name, value] : request.env)
        if (value) here.argv.insert(here.argv.end(), {"--env", name});
    here.argv.emplace_back("--");
    const std::vector<std::string> shell = {"bash", "--norc", "-c", "--", request.command};
    const auto& words = request.argv.empty() ? shell : request.argv;
    here.argv.insert(here.argv.end(), words.begin(), words.end());
    // The container has its own; what keeps the command outside needs next to nothing.
    here.limits = {};
    return here;
}

}  // namespace husk::place
