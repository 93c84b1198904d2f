#include "sockets.h"

#include <linux/fcntl.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>

#include "sys.h"

namespace {

constexpr int af_netlink = 16;
constexpr int sock_raw = 3;
constexpr int msg_dontwait = 0x40;
constexpr unsigned char af_unix = 1;

struct Question {
    nlmsghdr header;
    unix_diag_req request;
};

int diagnostics = -1;
uint32_t last_question = 0;

// The memory that is charged to the sender, among the attributes of an answer.
uint64_t sent_bytes(const char* answer, unsigned size) {
    for (unsigned at = NLMSG_LENGTH(sizeof(unix_diag_msg)); at + sizeof(nlattr) <= size;) {
        const auto* attribute = reinterpret_cast<const nlattr*>(answer + at);
        if (attribute->nla_len < sizeof *attribute || at + attribute->nla_len > size) return 0;
        const auto* values = reinterpret_cast<const uint32_t*>(attribute + 1);
        constexpr unsigned needed = (SK_MEMINFO_WMEM_ALLOC + 1) * sizeof *values;
        if (attribute->nla_type == UNIX_DIAG_MEMINFO &&
            attribute->nla_len >= sizeof *attribute + needed)
            return values[SK_MEMINFO_WMEM_ALLOC];
        at += NLA_ALIGN(attribute->nla_len);
    }
    return 0;
}

}  // namespace

namespace sockets {

void open() {
    sys::close_once(diagnostics);
    const long fd = sys::socket(af_netlink, sock_raw | O_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd >= 0) diagnostics = static_cast<int>(fd);
}

bool claim(int32_t& asker) {
    int32_t nobody = 0;
    const auto self = static_cast<int32_t>(sys::getpid());
    return diagnostics >= 0 && __atomic_compare_exchange_n(&asker, &nobody, self, false,
                                                           __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void release(int32_t& asker) { __atomic_store_n(&asker, 0, __ATOMIC_RELEASE); }

uint64_t bytes_sent_by(uint64_t inode) {
    Question question{};
    question.header.nlmsg_len = sizeof question;
    question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.header.nlmsg_flags = NLM_F_REQUEST;
    question.header.nlmsg_seq = ++last_question;
    question.request.sdiag_family = af_unix;
    question.request.udiag_states = ~0U;
    question.request.udiag_ino = static_cast<uint32_t>(inode);
    question.request.udiag_show = UDIAG_SHOW_MEMINFO;
    question.request.udiag_cookie[0] = question.request.udiag_cookie[1] = ~0U;
    if (sys::send(diagnostics, &question, sizeof question, 0) < 0) return 0;
    // The kernel has answered when `send` returns. What somebody else did not read comes first.
    alignas(8) char answer[512];
    for (;;) {
        const long got = sys::recv(diagnostics, answer, sizeof answer, msg_dontwait);
        if (got < static_cast<long>(sizeof(nlmsghdr))) return 0;
        const auto* header = reinterpret_cast<const nlmsghdr*>(answer);
        if (header->nlmsg_seq != last_question) continue;
        const auto size = static_cast<unsigned>(got);
        return header->nlmsg_type == SOCK_DIAG_BY_FAMILY ? sent_bytes(answer, size) : 0;
    }
}

}  // namespace sockets
