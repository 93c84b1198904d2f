// The words of include/husk/report.h.
#include <locale.h>
#include <string.h>

#include <string_view>

#include "husk/report.h"

namespace husk {
namespace {

struct StatusWord {
    const char* operator()(const Exited&) const { return "exited"; }
    const char* operator()(const Signaled&) const { return "signaled"; }
    const char* operator()(const TimedOut&) const { return "timed_out"; }
    const char* operator()(const Cancelled&) const { return "cancelled"; }
    const char* operator()(const LimitExceeded&) const { return "limit_exceeded"; }
    const char* operator()(const Denied&) const { return "denied"; }
    const char* operator()(const NotStarted&) const { return "not_started"; }
    const char* operator()(const Running&) const { return "running"; }
    const char* operator()(const Lost&) const { return "lost"; }
};

// In words that do not depend on the locale.
std::string words_of(int code) {
    if (code == 0) return "";
    static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", locale_t{});
    const std::string_view words = ::strerror_l(code, plain);
    return words.starts_with("Unknown error") ? "error " + std::to_string(code)
                                              : std::string(words);
}

}  // namespace

std::string Error::text() const {
    std::string text;
    for (const std::string& part : {step, words_of(code), detail}) {
        if (part.empty()) continue;
        if (!text.empty()) text += ": ";
        text += part;
    }
    return text;
}

const char* status_word(const Ending& ending) { return std::visit(StatusWord{}, ending); }

std::optional<int> exit_code(const Ending& ending) {
    if (const auto* exited = std::get_if<Exited>(&ending)) return exited->code;
    if (const auto* signaled = std::get_if<Signaled>(&ending)) return 128 + signaled->signal;
    return std::nullopt;
}

}  // namespace husk
