#include "parse/shells.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "parse/wrappers.h"

namespace husk::parse {
namespace {

constexpr std::array<std::string_view, 12> shells = {
    "bash", "sh", "dash", "zsh", "ksh", "ash", "mksh", "ksh93", "rbash", "fish", "yash", "posh"};

// Options of bash that are whole words, with one dash or two. They stand in front of all others.
constexpr std::array<std::string_view, 19> long_options = {
    "debug",   "debugger",  "dump-po-strings", "dump-strings", "help",      "login",  "noediting",
    "norc",    "noprofile", "posix",           "pretty-print", "protected", "no-rcs", "restricted",
    "verbose", "version",   "wordexp",         "interactive",  "no-config"};
// Letters that stand for an option in bash, dash or the shell of busybox.
constexpr std::string_view option_letters = "abcefhiklmnoprstuvxBCDEHIOPTV";

// The options in front of the script.
class Options {
public:
    Options(const std::vector<Word>& words, ShellCall& call) : words_(words), call_(call) {}

    // Returns the position of the first word behind them.
    size_t read() {
        while (read_long()) {
        }
        while (read_letters()) {
        }
        return at_;
    }
    bool has_code() const { return code_; }
    bool has_input() const { return input_; }

private:
    bool read_long() {
        if (at_ >= words_.size()) return false;
        const std::string text = next();
        if (!text.starts_with('-')) return false;
        std::string_view name = text;
        name.remove_prefix(name.starts_with("--") ? 2 : 1);
        const bool startup = name == "rcfile" || name == "init-file";
        if (!startup && std::ranges::find(long_options, name) == long_options.end()) return false;
        call_.expands_history |= name == "interactive";
        ++at_;
        if (startup && at_ < words_.size()) call_.startup = at_++;
        return true;
    }

    // -euo pipefail, +x; -- and - end the options.
    bool read_letters() {
        if (at_ >= words_.size()) return false;
        const std::string text = next();
        if (!text.starts_with('-') && !text.starts_with('+')) return false;
        call_.has_unknown_options |= !words_[at_].known();
        ++at_;
        if (text == "-" || text == "--") return false;
        for (const char letter : text.substr(1)) read_letter(letter);
        return true;
    }

    void read_letter(char letter) {
        const bool is_fish_code = letter == 'C' && words_[0].shown().ends_with("fish");
        call_.has_unknown_options |= !takes_any_letter() && !option_letters.contains(letter);
        call_.has_unknown_options |= letter == '-' || is_fish_code;
        call_.expands_history |= letter == 'i' || letter == 'H';
        // bash takes +c for -c.
        code_ |= letter == 'c';
        input_ |= letter == 's';
        if (letter == 'o' || letter == 'O') ++at_;
    }

    // zsh and the Korn shells have options for most letters.
    bool takes_any_letter() const {
        const std::string program = words_[0].shown();
        return program.ends_with("zsh") || program.ends_with("ksh") || program.ends_with("ksh93");
    }

    std::string next() const { return words_[at_].known_start(); }

    const std::vector<Word>& words_;
    ShellCall& call_;
    size_t at_ = 1;
    bool code_ = false;
    bool input_ = false;
};

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Also by its other names: /dev/stdin, /proc/self/fd/0, and what is left of these behind a cd.
bool is_standard_input(const Word& word) {
    const std::string path = word.shown();
    return path == "-" || last_part(path) == "stdin" || last_part(path) == "0";
}

// /dev/fd/3, or 3 behind `cd /dev/fd`.
bool is_descriptor(const Word& word) {
    const std::string path = word.shown();
    const std::string_view last = last_part(path);
    const bool is_number =
        !last.empty() && last.find_first_not_of("0123456789") == std::string_view::npos;
    return !is_standard_input(word) &&
           (is_number || last == "stdout" || last == "stderr" || path.contains("/fd/"));
}

bool is_source(const std::string& program) { return program == "source" || program == "."; }

// The files that a shell or `source` reads commands from.
std::vector<size_t> files_run_by(const Command& command) {
    const std::vector<Word>& words = command.words;
    if (is_source(command.program())) {
        const size_t file = words.size() > 2 && words[1].is("--") ? 2 : 1;
        return file < words.size() ? std::vector{file} : std::vector<size_t>();
    }
    if (!is_shell(command.program())) return {};
    const ShellCall call = shell_call(words);
    std::vector<size_t> files;
    if (call.startup) files.push_back(*call.startup);
    if (call.file) files.push_back(*call.file);
    return files;
}

}  // namespace

ShellCall shell_call(const std::vector<Word>& words) {
    ShellCall call;
    Options options(words, call);
    const size_t at = options.read();
    if (at >= words.size()) return call;
    if (options.has_code())
        call.code = at;
    else if (!options.has_input() && !is_standard_input(words[at]))
        call.file = at;
    return call;
}

bool is_shell(const std::string& program) {
    return std::ranges::find(shells, program) != shells.end();
}

bool reads_code(const Command& command) {
    const std::string program = command.program();
    const std::vector<Word>& words = command.words;
    const auto is_input = [&](size_t file) { return is_standard_input(words[file]); };
    if (is_source(program)) return std::ranges::any_of(files_run_by(command), is_input);
    if (program == "crontab") return words.size() < 2 || words.back().is("-");
    if (program == "at" || program == "batch") {
        return std::ranges::none_of(words, [](const Word& word) {
            const std::string text = word.known_start();
            return text.size() > 1 && text[0] == '-' &&
                   text.find_first_of("flrdcV") != std::string::npos;
        });
    }
    if (program == "ssh") return is_ssh_without_command(words);
    // Without a command these start a shell.
    if (program == "su" || program == "sudo") {
        const bool shell =
            program == "su" || std::ranges::any_of(words, [](const Word& word) {
                return word.is("-s") || word.is("-i") || word.is("--shell") || word.is("--login");
            });
        return shell && carried_by(command).empty();
    }
    if (!is_shell(program)) return false;
    const ShellCall call = shell_call(words);
    return (!call.code && !call.file) || (call.startup && is_input(*call.startup));
}

bool runs_a_descriptor(const Command& command) {
    if (command.words.empty()) return false;
    const std::string path = command.words.front().shown();
    if ((path.contains("dev/") || path.contains("proc/")) && path.contains("/fd/")) return true;
    return std::ranges::any_of(files_run_by(command), [&](size_t file) {
        // A name that is not known may be that of the text behind <<<.
        const bool has_text = std::ranges::any_of(command.redirects, [](const Redirect& redirect) {
            return redirect.kind == Redirect::Kind::HereDocument ||
                   redirect.kind == Redirect::Kind::HereString;
        });
        const Word& word = command.words[file];
        const bool is_process = word.known_start().empty() && !word.pieces.empty() &&
                                word.pieces[0].kind == Piece::Kind::Process;
        return is_descriptor(word) || (has_text && !word.known() && !is_process);
    });
}

bool runs_what_a_command_writes(const Command& command) {
    return std::ranges::any_of(files_run_by(command), [&](size_t file) {
        return std::ranges::any_of(command.words[file].pieces, [](const Piece& piece) {
            return piece.kind == Piece::Kind::Process;
        });
    });
}

bool may_be_several_words(const Word& word) {
    return std::ranges::any_of(word.pieces, [](const Piece& piece) {
        if (piece.kind == Piece::Kind::Text || piece.kind == Piece::Kind::Tilde ||
            piece.kind == Piece::Kind::Process)
            return false;
        return !piece.quoted || piece.name == "@" || piece.text.find("[@]") != std::string::npos;
    });
}

bool may_run_more_than_it_shows(const Command& command) {
    const std::string program = command.program();
    const std::vector<Word>& words = command.words;
    if (is_shell(program)) {
        const ShellCall call = shell_call(words);
        const size_t end = call.code ? *call.code : words.size();
        return std::any_of(words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(end),
                           may_be_several_words);
    }
    if (program == "find") return std::ranges::any_of(words, may_be_several_words);
    const std::vector<Carried> carried = carried_by(command);
    if (carried.size() != 1 || carried[0].kind != Carried::Kind::Words) return false;
    return std::any_of(words.begin() + 1,
                       words.begin() + static_cast<std::ptrdiff_t>(carried[0].first),
                       may_be_several_words);
}

}  // namespace husk::parse
