#include "contract/shared.h"

#include "base/utf8.h"

namespace husk::contract {

Json display_meta(const Report& report) {
    return {
        {"husk/display",
         {{"command", text::to_utf8(report.command)}, {"display", text::to_utf8(report.display)}}}};
}

std::string reason_of(const Report& report, const Denied& denied) {
    const bool by_rule = report.verdict && report.verdict->decision != "ask";
    return by_rule ? report.verdict->reason : denied.reason;
}

std::string joined(const Bytes& bytes, const std::string& between) {
    if (bytes.whole()) return bytes.head;
    return std::string(text::without_torn_end(bytes.head)) + between +
           std::string(text::without_torn_start(bytes.tail));
}

}  // namespace husk::contract
