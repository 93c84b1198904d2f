#include "parse/languages.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <sstream>
#include <vector>

#include "base/names.h"
#include "parse/letters.h"

namespace husk::parse {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view without(std::string_view text, std::string_view letters) {
    text.remove_prefix(std::min(text.find_first_not_of(letters), text.size()));
    return text;
}

std::string_view first_word(std::string_view text) {
    size_t end = 0;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    return text.substr(0, end);
}

template <typename Question>
bool all_lines(std::string_view text, Question question) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);)
        if (!question(std::string_view(line))) return false;
    return true;
}

bool is_vim(std::string_view program) {
    return is_one_of(program, "vim vi view vimdiff nvim ex gvim rvim rview vimx");
}

// set nocompatible, set ts=4
bool is_harmless_setting(std::string_view text) {
    static constexpr std::string_view with_value =
        "ft filetype ts tabstop sw shiftwidth sts softtabstop tw textwidth ff fileformat fenc "
        "fileencoding enc encoding bg background";
    std::istringstream words{std::string(text)};
    return std::ranges::all_of(
        std::views::istream<std::string>(words), [](const std::string& word) {
            const size_t equals = word.find('=');
            return equals == std::string::npos || is_one_of(word.substr(0, equals), with_value);
        });
}

bool is_harmless_vim(std::string_view text) {
    constexpr std::string_view commands =
        "q qa quit qall quitall wq wqa wqall x xa xall exit w wa write wall e edit r read noh "
        "nohlsearch syn syntax version h help sort retab d delete bd bn";
    text = without(text, " \t:");
    if (text.find_first_not_of("0123456789$") == std::string_view::npos) return true;
    if (text.find_first_of("|`\n") != std::string_view::npos) return false;
    // A pattern; behind a second slash stands a command.
    if (text[0] == '/' || text[0] == '?') return text.find(text[0], 1) == std::string_view::npos;
    text = without(text, "0123456789,.$%");
    const std::string_view name = first_word(text);
    std::string_view rest = text.substr(name.size());
    if (rest.starts_with('!')) rest.remove_prefix(1);
    const bool is_known = is_one_of(name, commands) && !rest.starts_with('!');
    if (name.empty() || rest.contains('!')) return false;
    if (is_one_of(name, "set se setlocal")) return is_harmless_setting(rest);
    if (name == "s") return !rest.empty() && !rest.contains("\\=");
    return is_known;
}

bool is_harmless_gdb(std::string_view text) {
    constexpr std::string_view commands =
        "bt backtrace where info i print p x list l disassemble disas break b tbreak watch run r "
        "start starti continue c next n step s stepi nexti finish until quit q k kill up down "
        "frame f thread t help show file directory display delete d y set";
    constexpr std::string_view settings =
        "pagination confirm height width print disassembly verbose args breakpoint follow";
    text = without(text, blanks);
    if (text.empty() || text[0] == '#') return true;
    // Functions can be called, and output can be piped.
    if (text.find_first_of("|!`(") != std::string_view::npos) return false;
    const std::string_view name = first_word(text);
    if (!is_one_of(name, commands)) return false;
    const std::string_view rest = without(text.substr(name.size()), blanks);
    if (name == "set") return is_one_of(first_word(rest), settings);
    // thread apply all bt
    if (is_one_of(name, "thread t frame f"))
        return !rest.contains("shell") && !rest.contains("pyt");
    // The arguments of the program are not those in the command.
    return !is_one_of(name, "run r start starti") || rest.empty();
}

bool is_harmless_sqlite(std::string_view text) {
    constexpr std::string_view commands =
        "tables table schema mode headers header dump quit exit databases indexes indices help "
        "show timer width explain stats changes echo bail fullschema backup restore open read "
        "import output once save clone eqp limit lint parameter recover separator nullvalue print";
    const std::string lower = lowered(text);
    if (lower.contains("edit") && lower.contains('(')) return false;
    if (lower.contains("load_extension")) return false;
    return all_lines(text, [&](std::string_view line) {
        line = without(line, blanks);
        if (!line.starts_with('.')) return true;
        const std::string_view name = first_word(line.substr(1));
        if (is_one_of(name, "separator nullvalue print")) return true;
        return is_one_of(name, commands) && !line.contains('|') && !line.contains(" -x") &&
               !line.contains(" -e");
    });
}

bool is_harmless_ed(std::string_view text) { return !text.contains('!'); }

// psql -c '\o |x', copy t to program 'x'
bool is_harmless_sql(std::string_view text) {
    const std::string lower = lowered(text);
    return !lower.contains("\\!") && !lower.contains(" program") &&
           !(lower.contains('\\') && lower.contains('|')) && !lower.starts_with("system") &&
           !lower.starts_with("pager") && !lower.contains("\\p ");
}

using Harmless = bool (*)(std::string_view);

bool is_option_named(std::string_view word, std::initializer_list<std::string_view> names) {
    if (!word.starts_with('-')) return false;
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    const std::string_view name = word.substr(0, word.find('='));
    return std::ranges::find(names, name) != names.end();
}

// The words behind these options, and their values in the same word, are harmless.
bool has_harmless_values(const std::vector<Word>& words,
                         std::initializer_list<std::string_view> names, Harmless is_harmless) {
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        if (!is_option_named(text, names)) continue;
        const size_t equals = text.find('=');
        const size_t at = equals == std::string::npos ? i + 1 : i;
        if (at >= words.size()) return true;
        const std::string value = at == i ? text.substr(equals + 1) : words[at].shown();
        if (!words[at].known() || !is_harmless(value)) return false;
    }
    return true;
}

bool has_harmless_plus(const std::vector<Word>& words, Harmless is_harmless) {
    return std::ranges::all_of(words, [&](const Word& word) {
        const std::string text = word.known_start();
        if (!text.starts_with('+') || word.shown().size() < 2) return true;
        return word.known() && is_harmless(std::string_view(text).substr(1));
    });
}

// A command of vim that the table of carriers hands on as it is: !x and :!x.
bool is_handed_on(std::string_view text) {
    text = text.starts_with(':') ? text.substr(1) : text;
    return text.starts_with('!') && !text.contains('\n');
}

bool is_harmless_or_seen_in_vim(std::string_view text) {
    return is_handed_on(text) || is_harmless_vim(text);
}

bool is_harmless_or_seen_in_gdb(std::string_view text) {
    return text.starts_with("shell ") || text.starts_with('!') || is_harmless_gdb(text);
}

bool is_harmless_or_seen_in_sqlite(std::string_view text) {
    const bool is_seen = text.starts_with(".shell ") || text.starts_with(".system ");
    return (is_seen && !text.contains('\n')) || is_harmless_sqlite(text);
}

// less +F, +G, +/pattern
bool is_harmless_less(std::string_view text) {
    return text.starts_with('!') || text.starts_with('/') || text.starts_with('?') ||
           text.find_first_of("!|#v") == std::string_view::npos;
}

// make --eval=x, X!=x, X='$(shell x)', and a makefile on standard input.
bool is_harmless_make(const std::vector<Word>& words) {
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].shown();
        const bool evaluates = text.starts_with("--ev") || text == "-E" || text.starts_with("-E");
        const bool reads = (text == "-f" || text == "--file" || text == "--makefile") &&
                           i + 1 < words.size() &&
                           (words[i + 1].is("-") || words[i + 1].is("/dev/stdin"));
        const bool glued = text == "-f-" || text == "--file=-" || text == "--makefile=-" ||
                           text.ends_with("/dev/stdin");
        const bool sets = text.contains('=');
        const std::string literal = words[i].known_start();
        const bool expands = literal.contains("$(") || literal.contains("${");
        if (evaluates || reads || glued || (sets && (text.contains("!=") || expands))) return false;
    }
    return true;
}

// Commands of tmux that run nothing, or whose commands are seen. Hooks, keys, menus and files hold
// commands that are not.
constexpr std::string_view tmux_commands =
    "ls list-sessions list-windows lsw list-panes lsp list-clients lsc attach attach-session a at "
    "has has-session kill-session kill-server kill-window killw kill-pane killp rename "
    "rename-session rename-window renamew select-window selectw select-pane selectp select-layout "
    "selectl switch-client switchc detach detach-client capture-pane capturep display-message "
    "display show show-options showw show-window-options show-environment showenv show-buffer "
    "showb info resize-pane resizep resize-window resizew set set-option setw set-window-option "
    "set-environment setenv wait wait-for swap-pane swapp swap-window swapw move-window movew "
    "move-pane movep next next-window prev previous-window last last-window save-buffer saveb "
    "load-buffer loadb set-buffer setb delete-buffer deleteb list-buffers lsb list-keys lsk "
    "list-commands lscm refresh refresh-client break-pane breakp join-pane joinp start "
    "start-server clear-history clearhist link-window unlink-window new new-session neww "
    "new-window splitw splitp split-window respawnp respawn-pane respawnw respawn-window popup "
    "display-popup run run-shell pipep pipe-pane if if-shell send send-keys";

bool is_harmless_tmux(const std::vector<Word>& words) {
    bool command = true;  // a command of tmux is next
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].shown();
        // #(x) is a command in any format.
        if (text.contains("#(") || is_one_of(text, "default-command default-shell lock-command"))
            return false;
        const bool is_separator = text == ";";
        if (command && !is_separator && text.starts_with('-')) {
            if (text.size() == 2 && std::string_view("cfLST").contains(text[1])) ++i;
            continue;
        }
        if (command && !is_separator && !is_one_of(text, tmux_commands)) return false;
        command = is_separator || text.ends_with(';');
    }
    return true;
}

bool may_run_files(const std::vector<Word>& words) {
    return std::ranges::none_of(words, [](const Word& word) {
        return word.is("--test") || word.is("--list") || word.is("--help");
    });
}

// cargo --config: these settings run nothing.
bool is_harmless_cargo(std::string_view text) {
    constexpr std::array starts = {
        std::string_view("net."),        std::string_view("http."),
        std::string_view("term."),       std::string_view("profile."),
        std::string_view("build.jobs"),  std::string_view("build.target"),
        std::string_view("registr"),     std::string_view("build.incremental"),
        std::string_view("source."),     std::string_view("patch."),
        std::string_view("build.rustc"), std::string_view("build.rustdoc"),
        std::string_view("unstable.")};
    return std::ranges::any_of(starts,
                               [&](std::string_view start) { return text.starts_with(start); });
}

}  // namespace

bool is_interpreter_of_input(const Command& command) {
    const std::string program = command.program();
    if (is_vim(program))
        // `x | vim -` edits the text.
        return std::ranges::none_of(command.words, [](const Word& word) { return word.is("-"); });
    return is_one_of(program, "ed red gdb sqlite3");
}

bool is_harmless_input(const std::string& program, std::string_view text) {
    if (is_vim(program)) return all_lines(text, is_harmless_vim);
    if (program == "gdb") return all_lines(text, is_harmless_gdb);
    if (program == "sqlite3") return is_harmless_sqlite(text);
    return is_harmless_ed(text);
}

bool may_run_by_its_language(const Command& command) {
    const std::string program = command.program();
    const std::vector<Word>& words = command.words;
    if (is_vim(program))
        return !has_harmless_values(words, {"c", "cmd"}, is_harmless_or_seen_in_vim) ||
               !has_harmless_plus(words, is_harmless_or_seen_in_vim);
    if (program == "gdb")
        return !has_harmless_values(
            words,
            {"ex", "iex", "eiex", "eval-command", "init-eval-command", "early-init-eval-command"},
            is_harmless_or_seen_in_gdb);
    if (program == "sqlite3")
        return std::ranges::any_of(
            words, [](const Word& word) { return !is_harmless_or_seen_in_sqlite(word.shown()); });
    if (is_one_of(program, "psql mysql mariadb"))
        return std::ranges::any_of(words, [](const Word& word) {
            const std::string text = word.shown();
            const bool is_seen = text.starts_with("\\!") || text.starts_with("system ");
            return !is_seen && !is_harmless_sql(text);
        });
    if (is_one_of(program, "make gmake")) return !is_harmless_make(words);
    if (program == "less") return !has_harmless_plus(words, is_harmless_less);
    if (program == "tmux") return !is_harmless_tmux(words);
    if (program == "cargo") return !has_harmless_values(words, {"config"}, is_harmless_cargo);
    return program == "run-parts" && may_run_files(words);
}

}  // namespace husk::parse
