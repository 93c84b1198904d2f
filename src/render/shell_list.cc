#include "render/shell_list.h"

#include <chrono>

#include "base/terminal_text.h"
#include "base/units.h"
#include "render/ending_line.h"
#include "render/table.h"

namespace husk::render {
namespace {

std::string time_of(const Report& shell) {
    if (!shell.duration_ms) return "-";
    const std::chrono::duration<double, std::milli> measured(*shell.duration_ms);
    if (!(measured < text::longest_duration)) return "-";  // also what is not a number
    return text::format_duration(std::chrono::duration_cast<std::chrono::milliseconds>(measured));
}

std::string output_of(const Report& shell) {
    const uint64_t errors = shell.error_excerpt ? shell.error_excerpt->total_bytes : 0;
    return text::format_size(shell.excerpt.total_bytes + errors);
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

std::string shell_list(const std::vector<Report>& shells, size_t width) {
    std::vector<Row> rows = {{"ID", "SESSION", "STATUS", "TIME", "OUTPUT", "COMMAND"}};
    for (const Report& shell : shells)
        rows.push_back({or_dash(shell.shell_id), or_dash(shell.session), ending_words(shell),
                        time_of(shell), output_of(shell),
                        shell.display.empty() ? shell.command : shell.display});
    std::string list = table(rows, width);
    for (const Report& shell : shells) {
        if (shell.ended() && shell.leftovers.empty()) continue;
        for (const std::string& link : shell.confinement.published)
            list += shell.shell_id + " publishes " + text::one_line(link) + "\n";
    }
    return list;
}

}  // namespace husk::render
