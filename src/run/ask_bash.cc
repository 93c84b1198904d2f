#include "run/ask_bash.h"

#include <sys/wait.h>

#include <chrono>

#include "base/terminal_text.h"
#include "base/text.h"
#include "base/units.h"
#include "os/file.h"
#include "os/process.h"
#include "os/program.h"
#include "run/reading_filter.h"

namespace husk::run {
namespace {

constexpr auto patience = std::chrono::seconds(5);
constexpr size_t most_output = 16 * 1024;

enum class Globs { Plain, Extended };

// bash is started without a file to read before the script, without a function or an option from
// the environment, and with -n: it reads commands and runs none. It could do nothing else, because
// the filter only lets it read.
Result<os::Answer> ask(const os::Program& bash, const os::Fd& script, Globs globs) {
    const std::vector<sock_filter> filter = TRY(reading_filter());
    os::Question question;
    question.program = &bash;
    question.filter = filter;
    question.argv = {"bash", "--norc", "--noprofile"};
    if (globs == Globs::Extended) question.argv.insert(question.argv.end(), {"-O", "extglob"});
    question.argv.insert(question.argv.end(), {"-n", "/dev/fd/0"});
    question.env = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/"};
    question.input = script.get();
    question.patience = patience;
    question.most_output = most_output;
    return os::ask_program(question);
}

// "/dev/fd/0: line 3: syntax error near unexpected token `fi'"
std::optional<parse::SyntaxError> read_complaint(std::string_view line) {
    // What bash warns of is fine otherwise.
    constexpr std::string_view mark = ": line ";
    const size_t at = line.find(mark);
    if (at == std::string_view::npos || line.contains(": warning: ")) return std::nullopt;
    line.remove_prefix(at + mark.size());
    const size_t colon = line.find(": ");
    if (colon == std::string_view::npos) return std::nullopt;
    const auto number = text::parse_number(line.substr(0, colon));
    if (!number) return std::nullopt;
    return parse::SyntaxError{text::one_line(line.substr(colon + 2)), *number};
}

Result<std::optional<parse::SyntaxError>> rejects(const os::Program& bash, std::string_view text,
                                                  Globs globs) {
    const os::Fd script = TRY(os::text_file(text));
    const os::Answer answer = TRY(ask(bash, script, globs));
    if (!WIFEXITED(answer.status))
        return failure("bash -n", 0, "it was killed while it read the script");
    // The status alone does not tell: it is 0 for `[[ a ]`.
    for (const std::string_view line : text::split_lines(answer.output))
        if (auto error = read_complaint(line)) return error;
    if (WEXITSTATUS(answer.status) == 0) return std::nullopt;
    return parse::SyntaxError{"bash does not accept it", 0};
}

// Whether extended patterns may be on in the command that bash does not accept. With -n no `shopt`
// has been run, and outside of -n it changes only the commands after the one that it is in. So
// `extglob` has to stand before a line at which a complete command ends.
Result<bool> may_have_extended_globs(const os::Program& bash, std::string_view text, size_t line) {
    constexpr int most_questions = 8;
    int questions = 0;
    size_t end = 0;
    for (size_t number = 1; number < line || line == 0; ++number) {
        end = text.find('\n', end);
        if (end == std::string_view::npos) return false;
        const std::string_view before = text.substr(0, ++end);
        if (!before.contains("extglob")) continue;
        if (++questions > most_questions) return true;
        if (!TRY(rejects(bash, before, Globs::Plain))) return true;
    }
    return false;
}

}  // namespace

Result<std::optional<parse::SyntaxError>> bash_rejects(std::string_view text) {
    // Nothing of it could be handed to bash.
    if (text.contains('\0')) return parse::SyntaxError{"it contains a NUL byte", 0};
    const os::Program bash = TRY(os::open_bash());
    auto error = TRY(rejects(bash, text, Globs::Plain));
    if (error && TRY(may_have_extended_globs(bash, text, error->line)))
        return rejects(bash, text, Globs::Extended);
    return error;
}

}  // namespace husk::run
