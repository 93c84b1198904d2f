#include "proxy/denials.h"

#include <unistd.h>

namespace husk::proxy {
namespace {

std::string missing_entry(const Denial& denial) {
    if (denial.led_to) return to_text(*denial.led_to, denial.target.port);
    return to_text(denial.target);
}

}  // namespace

std::string allow_with(const Denial& denial) {
    const std::string entry = missing_entry(denial);
    // In YAML a bracket begins a list.
    return entry.starts_with('[') ? "network: ['" + entry + "']" : "network: [" + entry + "]";
}

std::string explanation(const Denial& denial) {
    std::string text = "husk: no connection to " + to_text(denial.target) + ".\n";
    if (denial.led_to)
        text += "The name is allowed, but it leads to " + to_text(*denial.led_to) +
                ", which is not a public address.\n";
    else
        text += "This session reaches only the hosts that its settings list.\n";
    return text +
           "What would allow it is one more host in the list `network` of husk.yaml, beside those "
           "that are there, or in --network:\n\n    " +
           missing_entry(denial) + "\n";
}

// Nothing has to be escaped: a target holds only what parse_target lets through.
std::string log_line(const Denial& denial, std::chrono::system_clock::time_point time) {
    const std::chrono::nanoseconds since = time.time_since_epoch();
    return R"({"ns":)" + std::to_string(since.count()) + R"(,"operation":"connect","address":")" +
           to_text(denial.target) + R"(","allow_with":")" + allow_with(denial) + "\"}\n";
}

void DenialLog::note(const Denial& denial) {
    write(log_line(denial, std::chrono::system_clock::now()));
}

// Nothing has to be escaped: it is a name as parse_name lets it through.
void DenialLog::note_name(const std::string& name) {
    const std::chrono::nanoseconds since = std::chrono::system_clock::now().time_since_epoch();
    write(R"({"ns":)" + std::to_string(since.count()) + R"(,"operation":"resolve","address":")" +
          name + R"(","allow_with":"network: [)" + name + "]\"}\n");
}

void DenialLog::write(const std::string& line) {
    if (!file_ || left_ == 0) return;
    --left_;
    // One write, so that lines stay whole. A full disk must not stop the proxy.
    if (::write(file_.get(), line.data(), line.size()) < 0) return;
}

}  // namespace husk::proxy
