#include "proxy/proxy.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>

#include "os/events.h"
#include "os/file.h"
#include "os/process.h"
#include "os/socket.h"
#include "proxy/allow_list.h"
#include "proxy/birth.h"

extern "C" {
extern const char husk_proxy_image_begin[];
extern const char husk_proxy_image_end[];
}

namespace husk::proxy {
namespace {

constexpr auto birth_patience = std::chrono::seconds(10);

// The program travels inside of this library, as the keeper does.
Result<const os::Fd*> proxy_program() {
    static const Result<os::Fd> program =
        os::program_file({husk_proxy_image_begin,
                          static_cast<size_t>(husk_proxy_image_end - husk_proxy_image_begin)});
    if (!program) return std::unexpected(program.error());
    return &*program;
}

// The entries as lines. Each is checked alone, so that none of them can be two or none.
Result<std::string> list_text(const std::vector<std::string>& allow) {
    std::string text;
    for (const std::string& entry : allow) {
        if (entry.empty() || entry.find('\n') != entry.npos)
            return failure("network", 0, "an entry is empty or has a line end");
        CHECK(AllowList::parse(entry));
        text += entry + "\n";
    }
    if (text.size() > longest_list) return failure("network", E2BIG, "the list of hosts");
    return text;
}

Result<void> hear_ready(const os::Fd& socket) {
    pollfd wanted{socket.get(), POLLIN, 0};
    if (TRY(os::wait_for(std::span(&wanted, 1), os::Clock::now() + birth_patience)) == 0)
        return failure("proxy", ETIMEDOUT, "it does not answer");
    const os::Message message = TRY(os::receive_message(socket, 1));
    if (message.data != std::string(1, ready_byte))
        return failure("proxy", ECONNRESET, "it ended before it could answer");
    return {};
}

}  // namespace

Result<void> check_hosts(const std::vector<std::string>& allow) {
    CHECK(list_text(allow));
    return {};
}

Result<AllowList> parse_hosts(const std::vector<std::string>& allow) {
    const std::string text = TRY(list_text(allow));
    return AllowList::parse(text);
}

Result<void> start_proxy(const Errand& errand, const os::Fd& log, const os::Fd& session_end) {
    const std::string list = TRY(list_text(errand.allow));
    const os::Fd* program = TRY(proxy_program());
    const os::Fd null = TRY(os::open("/dev/null", O_RDWR));
    auto [ours, theirs] = TRY(os::socket_pair(SOCK_SEQPACKET));
    BirthHeader header;
    std::vector<int> fds = {session_end.get()};
    const auto add = [&](const os::Fd* fd, uint32_t flag) {
        if (fd == nullptr || !*fd) return;
        header.flags |= flag;
        fds.push_back(fd->get());
    };
    add(&log, has_log);
    add(errand.requests, has_http);
    add(errand.names, has_forward);
    add(errand.preambles, has_forward);
    if (!errand.published.empty()) add(errand.mason, 0);
    for (size_t i = 0; i < errand.published.size() && i < most_published; ++i) {
        add(&errand.published[i], 0);
        header.ports[header.published++] = errand.ports[i];
    }
    CHECK(os::send_message(ours, encode_birth(header, list), fds));
    CHECK(os::start_detached(*program, "husk-proxy", null, theirs));
    theirs.reset();
    return hear_ready(ours);
}

}  // namespace husk::proxy
