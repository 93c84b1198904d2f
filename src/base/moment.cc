#include "base/moment.h"

#include <chrono>
#include <ctime>

#include "base/units.h"

namespace husk::text {
namespace {

constexpr int64_t ms_in_s = 1000;

// All of the text, in this form.
bool reads_as(const std::string& text, const char* form, std::tm& parts) {
    parts = {};
    parts.tm_isdst = -1;  // as it was that day
    const char* end = ::strptime(text.c_str(), form, &parts);
    return end != nullptr && *end == '\0';
}

}  // namespace

uint64_t now_ns() {
    using namespace std::chrono;
    return static_cast<uint64_t>(
        duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count());
}

std::optional<int64_t> parse_moment(std::string_view text, int64_t now) {
    constexpr size_t digits_of_a_moment = 12;
    if (const auto number = parse_number(text);
        number && text.size() >= digits_of_a_moment && *number < uint64_t{1} << 62)
        return static_cast<int64_t>(*number);
    if (const auto ago = parse_duration(text)) return now - ago->count();
    std::string date(text);
    const bool is_utc = date.ends_with('Z');
    if (is_utc) date.pop_back();
    for (const char* form : {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S",
                             "%Y-%m-%dT%H:%M:%S"}) {
        std::tm parts{};
        if (!reads_as(date, form, parts)) continue;
        const std::time_t seconds = is_utc ? ::timegm(&parts) : std::mktime(&parts);
        return static_cast<int64_t>(seconds) * ms_in_s;
    }
    return std::nullopt;
}

std::string format_moment(int64_t moment) {
    const std::time_t seconds = moment / ms_in_s;
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    char text[32];
    const size_t size = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    return {text, size};
}

}  // namespace husk::text
