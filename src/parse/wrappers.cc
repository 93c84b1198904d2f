#include "parse/wrappers.h"

#include <algorithm>
#include <string_view>

#include "parse/letters.h"
#include "parse/shells.h"

namespace husk::parse {
namespace {

using Kind = Carried::Kind;

// How the options of a program are read, up to the command that it runs.
struct Wrapper {
    std::string_view program;
    std::string_view with_value;       // letters of short options that take a value
    std::string_view long_with_value;  // names of long ones, each between spaces
    size_t operands = 0;               // words before the command
    bool assignments = false;          // x=1 before the command
    bool more_words = false;
    std::string_view ends = {};  // letters of options that make it run nothing
    bool transparent = false;    // changes only how the other is run
};

constexpr Wrapper wrappers[] = {
    {"sudo", "CDghpRrTtUu",
     " close-from chdir group host prompt chroot role command-timeout type other-user user ", 0,
     true, false, "eKlVv"},
    {"doas", "aCu", "", 0, false, false, "L"},
    {"pkexec", "", " user ", 0},
    {"env", "uCS", " unset chdir split-string ", 0, true},
    {"nohup", "", "", 0, false, false, "", true},
    {"setsid", "", "", 0},
    {"nice", "n", " adjustment ", 0, false, false, "", true},
    {"ionice", "cn", " class classdata ", 0, false, false, "pPu", true},
    {"timeout", "ks", " kill-after signal ", 1, false, false, "", true},
    {"time", "fo", " format output ", 0, false, false, "", true},
    {"stdbuf", "ioe", " input output error ", 0, false, false, "", true},
    {"command", "", "", 0, false, false, "vV", true},
    {"builtin", "", "", 0, false, false, "", true},
    {"exec", "a", "", 0},
    {"chroot", "", " userspec groups ", 1},
    {"chrt", "TPD", "", 1, false, false, "p"},
    {"taskset", "", "", 1, false, false, "p"},
    {"numactl", "iNCmpl", " interleave cpunodebind physcpubind membind preferred ", 0},
    {"xargs", "adEILnPs", " arg-file delimiter max-args max-procs max-chars process-slot-var ", 0,
     false, true},
    {"parallel", "jaINnLPS", " jobs arg-file max-args max-procs sshlogin joblog ", 0, false, true},
    {"strace", "aeIoOpPsSuEbX", " output trace attach env user string-limit ", 0},
    {"prlimit", "", "", 0, false, false, "p"},
    {"choom", "np", "", 0},
    {"ltrace", "aeoOpPsSuln", "", 0},
    {"valgrind", "", "", 0},
    {"fakeroot", "lsbiu", "", 0},
    {"unshare", "RwSG", " root wd setuid setgid map-user map-group propagation setgroups ", 0},
    {"nsenter", "tSGr", " target setuid setgid root wd ", 0},
    {"systemd-run", "uptHMEC", " unit property service-type uid gid slice host machine setenv ", 0},
    {"systemd-inhibit", "", " what who why mode ", 0},
    {"dbus-run-session", "", " config-file dbus-daemon ", 0},
    {"runuser", "ugG", " user group supp-group ", 0},
    {"busybox", "", "", 0},
    {"toybox", "", "", 0},
    {"unbuffer", "", "", 0},
    {"caffeinate", "tw", "", 0},
    {"proxychains", "f", "", 0},
    {"proxychains4", "f", "", 0},
    {"firejail", "", "", 0},
    {"setpriv", "", " reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig ",
     0},
    {"cgexec", "g", "", 0},
    {"torsocks", "", "", 0},
    {"catchsegv", "", "", 0},
    {"linux64", "", "", 0},
    {"setarch", "", "", 1},
    {"faketime", "f", "", 1},
    {"gosu", "", "", 1},
    {"su-exec", "", "", 1},
    {"rlwrap", "bcfHpPqsS", "", 0},
};

const Wrapper* wrapper_named(const std::string& program) {
    const auto* found = std::ranges::find(wrappers, program, &Wrapper::program);
    return found == std::end(wrappers) ? nullptr : found;
}

bool is_assignment(const std::string& text) {
    if (text.empty() || !is_name_start(text[0])) return false;
    const size_t equals = text.find('=');
    if (equals == std::string::npos) return false;
    return std::ranges::all_of(text.substr(0, equals), is_name_letter);
}

// How an option is read: whether the next word is its value.
enum class Option : uint8_t { None, Alone, WithNext, Ends };

Option read_option(const std::string& text, const Wrapper& wrapper) {
    if (text.size() < 2 || text[0] != '-') return Option::None;
    if (text[1] == '-') {
        const bool has_value = text.find('=') != std::string::npos;
        const std::string name = text.substr(2);
        if (wrapper.program == "sudo" && (name == "edit" || name == "list" || name == "version"))
            return Option::Ends;
        // Long options may be abbreviated.
        const bool wants = wrapper.long_with_value.find(" " + name) != std::string_view::npos;
        return !has_value && !name.empty() && wants ? Option::WithNext : Option::Alone;
    }
    for (size_t i = 1; i < text.size(); ++i) {
        if (wrapper.ends.find(text[i]) != std::string_view::npos) return Option::Ends;
        if (wrapper.with_value.find(text[i]) != std::string_view::npos)
            return i + 1 == text.size() ? Option::WithNext : Option::Alone;
    }
    return Option::Alone;
}

// Where the command begins that a wrapper runs; none when it runs nothing that is written.
std::optional<size_t> inner_start(const std::vector<Word>& words, const Wrapper& wrapper) {
    size_t operands = wrapper.operands;
    bool options = true;
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        if (options && words[i].is("--")) {
            options = false;
            continue;
        }
        const Option option = options ? read_option(text, wrapper) : Option::None;
        if (option == Option::Ends) return std::nullopt;
        if (option == Option::WithNext) ++i;
        if (option != Option::None) continue;
        if (wrapper.assignments && is_assignment(text)) continue;
        if (wrapper.program == "env" && text == "-") continue;
        options = false;
        if (operands-- == 0) return i;
    }
    return std::nullopt;
}

void add_find(const std::vector<Word>& words, std::vector<Carried>& carried) {
    for (size_t i = 1; i < words.size(); ++i) {
        const bool runs = words[i].is("-exec") || words[i].is("-execdir") || words[i].is("-ok") ||
                          words[i].is("-okdir");
        if (!runs) continue;
        size_t end = i + 1;
        while (end < words.size() && !words[end].is(";") &&
               !(words[end].is("+") && words[end - 1].is("{}")))
            ++end;
        if (end > i + 1) carried.push_back({Kind::Words, i + 1, end, true});
        i = end;
    }
}

// fd -x cmd, fd -X cmd
void add_fd(const std::vector<Word>& words, std::vector<Carried>& carried) {
    for (size_t i = 1; i + 1 < words.size(); ++i) {
        const std::string text = words[i].known_start();
        const bool cluster = text.size() > 1 && text[0] == '-' && text[1] != '-' &&
                             (text.ends_with('x') || text.ends_with('X'));
        if (cluster || text == "--exec" || text == "--exec-batch") {
            carried.push_back({Kind::Words, i + 1, words.size(), true});
            return;
        }
    }
}

void add_trap(const std::vector<Word>& words, std::vector<Carried>& carried) {
    size_t first = 1;
    if (first < words.size() && words[first].is("--")) ++first;
    if (first + 1 >= words.size()) return;
    const std::string text = words[first].known_start();
    if (text == "-" || text == "-p" || text == "-l" || (text.empty() && words[first].known()))
        return;
    carried.push_back({Kind::Code, first, first + 1});
}

// ssh [options] host [options] command: a host may stand between its options.
void add_ssh(const std::vector<Word>& words, std::vector<Carried>& carried) {
    static constexpr Wrapper ssh{"ssh", "BbcDEeFIiJLlmOopQRSWw", "", 0};
    bool host = false;
    for (size_t i = 1; i < words.size(); ++i) {
        const Option option = read_option(words[i].known_start(), ssh);
        if (option == Option::WithNext) ++i;
        if (option != Option::None || words[i].is("--")) continue;
        if (host) {
            carried.push_back({Kind::Remote, i, words.size()});
            return;
        }
        host = true;
    }
}

// su -c code, script -c code, flock FILE -c code, sg GROUP -c code
void add_dash_c(const std::vector<Word>& words, std::vector<Carried>& carried) {
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        const bool cluster = text.size() > 1 && text[0] == '-' && text[1] != '-';
        const size_t letter = cluster ? text.find('c') : std::string::npos;
        const bool next =
            (letter != std::string::npos && letter + 1 == text.size()) || text == "--command";
        if (next && i + 1 < words.size()) {
            carried.push_back({Kind::Code, i + 1, i + 2});
            return;
        }
        const bool glued = letter != std::string::npos && !next;
        if (glued || text.starts_with("--command=")) {
            const size_t skip = glued ? letter + 1 : text.find('=') + 1;
            carried.push_back({Kind::Code, i, i + 1, false, skip});
            return;
        }
    }
}

// sg GROUP code, sg GROUP -c code
void add_sg(const std::vector<Word>& words, std::vector<Carried>& carried) {
    add_dash_c(words, carried);
    if (carried.empty() && words.size() > 2) carried.push_back({Kind::Code, 2, words.size()});
}

void add_flock(const std::vector<Word>& words, std::vector<Carried>& carried) {
    static constexpr Wrapper flock{"flock", "wE", " timeout wait conflict-exit-code ", 1};
    const auto start = inner_start(words, flock);
    if (!start) return;
    const bool code = words[*start].is("-c") || words[*start].is("--command");
    if (!code)
        carried.push_back({Kind::Words, *start, words.size()});
    else if (*start + 1 < words.size())
        carried.push_back({Kind::Code, *start + 1, *start + 2});
}

void add_watch(const std::vector<Word>& words, std::vector<Carried>& carried) {
    static constexpr Wrapper watch{"watch", "nq", " interval equexit ", 0};
    if (const auto start = inner_start(words, watch))
        carried.push_back({Kind::Code, *start, words.size()});
}

// env [options] [x=1 ...] command, or env -S 'command': the string may be glued to the option.
void add_env(const std::vector<Word>& words, std::vector<Carried>& carried) {
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        const bool split = text.starts_with("--s");
        const size_t equals = text.find('=');
        if (split && equals != std::string::npos) {
            carried.push_back({Kind::Code, i, words.size(), false, equals + 1});
            return;
        }
        const bool cluster = text.size() > 1 && text[0] == '-' && text[1] != '-';
        const size_t letter = cluster ? text.find_first_of("SuC") : std::string::npos;
        const bool is_split = split || (letter != std::string::npos && text[letter] == 'S');
        const bool alone = split || letter + 1 == text.size();
        if (is_split && alone && i + 1 < words.size()) {
            carried.push_back({Kind::Code, i + 1, words.size()});
            return;
        }
        if (is_split) {
            carried.push_back({Kind::Code, i, words.size(), false, letter + 1});
            return;
        }
        const bool takes_next =
            (letter != std::string::npos && alone) ||
            ((text.starts_with("--u") || text.starts_with("--c")) && equals == std::string::npos);
        if (takes_next) ++i;
        const bool before = text == "-" || text.starts_with('-') || equals != std::string::npos;
        if (before) continue;
        carried.push_back({Kind::Words, i, words.size()});
        return;
    }
}

void add_parallel(const std::vector<Word>& words, std::vector<Carried>& carried) {
    const auto start = inner_start(words, *wrapper_named("parallel"));
    if (!start) return;
    size_t end = *start;
    while (end < words.size() && !words[end].known_start().starts_with(":::")) ++end;
    if (end > *start) {
        carried.push_back({Kind::Code, *start, end, true});
        return;
    }
    for (size_t i = end + 1; i < words.size(); ++i) carried.push_back({Kind::Code, i, i + 1});
}

// mapfile -C code, compgen -C code
void add_capital_c(const std::vector<Word>& words, std::vector<Carried>& carried) {
    for (size_t i = 1; i + 1 < words.size(); ++i)
        if (words[i].is("-C")) carried.push_back({Kind::Code, i + 1, i + 2});
}

// git -c alias.x='!code', git rebase -x code, git bisect run words, git submodule foreach code
void add_git(const std::vector<Word>& words, std::vector<Carried>& carried) {
    for (size_t i = 1; i + 1 < words.size(); ++i) {
        const std::string next = words[i + 1].known_start();
        const size_t equals = next.find('=');
        const std::string key = next.substr(0, equals);
        const bool runs = key == "core.fsmonitor" || key == "core.editor" || key == "core.pager" ||
                          key == "core.sshCommand" || key == "sequence.editor" ||
                          key == "diff.external" || key == "credential.helper";
        const bool alias = key.starts_with("alias.") && next.substr(equals + 1).starts_with('!');
        if (words[i].is("-c") && equals != std::string::npos && (runs || alias)) {
            carried.push_back({Kind::Code, i + 1, i + 2, false, equals + (alias ? 2U : 1U)});
        } else if (words[i].is("--exec") || (words[i].is("-x") && words[i - 1].is("rebase"))) {
            carried.push_back({Kind::Code, i + 1, i + 2});
        } else if (words[i].is("run") && words[i - 1].is("bisect")) {
            carried.push_back({Kind::Words, i + 1, words.size()});
            return;
        } else if (words[i].is("foreach")) {
            const size_t first = words[i + 1].is("--recursive") ? i + 2 : i + 1;
            if (first < words.size()) carried.push_back({Kind::Code, first, words.size()});
            return;
        }
    }
}

void add_eval(const std::vector<Word>& words, std::vector<Carried>& carried) {
    const size_t first = words[1].is("--") ? 2 : 1;
    if (first < words.size()) carried.push_back({Kind::Code, first, words.size()});
}

void add_runuser(const std::vector<Word>& words, std::vector<Carried>& carried) {
    add_dash_c(words, carried);
    if (!carried.empty()) return;
    if (const auto start = inner_start(words, *wrapper_named("runuser")))
        carried.push_back({Kind::Words, *start, words.size()});
}

// Those whose options are not all there is to know.
struct Special {
    std::string_view program;
    void (*add)(const std::vector<Word>& words, std::vector<Carried>& carried);
};

constexpr Special specials[] = {
    {"eval", add_eval},
    {"trap", add_trap},
    {"find", add_find},
    {"fd", add_fd},
    {"fdfind", add_fd},
    {"ssh", add_ssh},
    {"su", add_dash_c},
    {"script", add_dash_c},
    {"sg", add_sg},
    {"env", add_env},
    {"flock", add_flock},
    {"watch", add_watch},
    {"parallel", add_parallel},
    {"runuser", add_runuser},
    {"git", add_git},
    {"mapfile", add_capital_c},
    {"readarray", add_capital_c},
    {"compgen", add_capital_c},
    {"complete", add_capital_c},
};

}  // namespace

std::vector<Carried> carried_by(const Command& command) {
    const std::vector<Word>& words = command.words;
    const std::string program = command.program();
    std::vector<Carried> carried;
    if (words.size() < 2 || program.empty()) return carried;
    if (is_shell(program)) {
        if (const auto code = shell_call(words).code)
            carried.push_back({Kind::Code, *code, *code + 1});
        return carried;
    }
    if (const auto* special = std::ranges::find(specials, program, &Special::program);
        special != std::end(specials)) {
        special->add(words, carried);
        return carried;
    }
    if (const Wrapper* wrapper = wrapper_named(program)) {
        if (const auto start = inner_start(words, *wrapper))
            carried.push_back({Kind::Words, *start, words.size(), wrapper->more_words});
    }
    return carried;
}

std::string placeholder_of_xargs(const Command& xargs) {
    for (size_t i = 1; i < xargs.words.size(); ++i) {
        const std::string text = xargs.words[i].known_start();
        if (text == "-I" && i + 1 < xargs.words.size()) return xargs.words[i + 1].shown();
        if (text.starts_with("-I")) return text.substr(2);
        if (text.starts_with("--replace=")) return text.substr(text.find('=') + 1);
    }
    return "{}";
}

bool is_transparent_wrapper(const Command& command) {
    const Wrapper* wrapper = wrapper_named(command.program());
    return wrapper != nullptr && wrapper->transparent &&
           inner_start(command.words, *wrapper).has_value();
}

}  // namespace husk::parse
