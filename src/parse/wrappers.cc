#include "parse/wrappers.h"

#include <algorithm>
#include <string_view>

#include "parse/carriers.h"
#include "parse/shells.h"
#include "parse/wrapper_options.h"

namespace husk::parse {
namespace {

using Kind = Carried::Kind;

void add_wrapped(const std::vector<Word>& words, const Wrapper& wrapper,
                 std::vector<Carried>& carried) {
    const InnerStarts found = inner_starts(words, wrapper);
    for (const size_t start : found.places)
        carried.push_back({.kind = Kind::Words,
                           .first = start,
                           .last = words.size(),
                           .more_words = wrapper.more_words,
                           .unsure = !found.certain});
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

// The host and the command in ssh [options] host [options] command; the number of words where
// there is none.
struct SshCall {
    size_t host;
    size_t command;
};

SshCall ssh_call(const std::vector<Word>& words) {
    static constexpr Wrapper ssh{"ssh", "BbcDEeFIiJLlmOopQRSWw", "", 0};
    SshCall call{words.size(), words.size()};
    for (size_t i = 1; i < words.size(); ++i) {
        const Option option = read_option(words[i].known_start(), ssh);
        if (option == Option::WithNext) ++i;
        if (option != Option::None || words[i].is("--")) continue;
        if (call.host < words.size()) {
            call.command = i;
            return call;
        }
        call.host = i;
    }
    return call;
}

void add_ssh(const std::vector<Word>& words, std::vector<Carried>& carried) {
    const SshCall call = ssh_call(words);
    if (call.command < words.size()) carried.push_back({Kind::Remote, call.command, words.size()});
}

// sg GROUP code, sg GROUP -c code
void add_sg(const std::vector<Word>& words, std::vector<Carried>& carried) {
    if (carried.empty() && words.size() > 2) carried.push_back({Kind::Code, 2, words.size()});
}

void add_flock(const std::vector<Word>& words, std::vector<Carried>& carried) {
    static constexpr Wrapper flock{"flock", "wE", " timeout wait conflict-exit-code ", 1};
    const InnerStarts found = inner_starts(words, flock);
    for (const size_t start : found.places) {
        const bool code = words[start].is("-c") || words[start].is("--command");
        const size_t first = code ? start + 1 : start;
        if (first < words.size())
            carried.push_back({.kind = code ? Kind::Code : Kind::Words,
                               .first = first,
                               .last = code ? first + 1 : words.size(),
                               .unsure = !found.certain});
    }
}

void add_watch(const std::vector<Word>& words, std::vector<Carried>& carried) {
    static constexpr Wrapper watch{"watch", "nq", " interval equexit ", 0};
    const InnerStarts found = inner_starts(words, watch);
    for (const size_t start : found.places)
        carried.push_back(
            {.kind = Kind::Code, .first = start, .last = words.size(), .unsure = !found.certain});
}

// What env -S runs: its words are those of bash as long as there is nothing special in them.
void add_split(const std::vector<Word>& words, size_t word, size_t skip,
               std::vector<Carried>& carried) {
    if (word >= words.size()) return;
    const std::string text = words[word].shown();
    const size_t begin = std::min(text.find_first_not_of(" \t\n", skip), text.size());
    const bool is_special = begin == text.size() || text[begin] == '-' ||
                            text.find_first_of("\\#$", skip) < text.size();
    carried.push_back({.kind = Kind::Code,
                       .first = word,
                       .last = words.size(),
                       .skip = skip,
                       .unsure = is_special});
    if (is_special && word + 1 < words.size())
        carried.push_back(
            {.kind = Kind::Words, .first = word + 1, .last = words.size(), .unsure = true});
}

// env [options] [x=1 ...] command, or env -S 'command': the string may be glued to the option.
void add_env(const std::vector<Word>& words, std::vector<Carried>& carried) {
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        const bool split = text.starts_with("--s");
        const size_t equals = text.find('=');
        if (split && equals != std::string::npos) return add_split(words, i, equals + 1, carried);
        const bool cluster = text.size() > 1 && text[0] == '-' && text[1] != '-';
        const size_t letter = cluster ? text.find_first_of("SuCa") : std::string::npos;
        const bool is_split = split || (letter != std::string::npos && text[letter] == 'S');
        const bool alone = split || letter + 1 == text.size();
        if (is_split && alone) return add_split(words, i + 1, 0, carried);
        if (is_split) return add_split(words, i, letter + 1, carried);
        const bool takes_next =
            (letter != std::string::npos && alone) ||
            ((text.starts_with("--u") || text.starts_with("--c") || text.starts_with("--a")) &&
             equals == std::string::npos);
        if (takes_next) ++i;
        const bool before = text == "-" || text.starts_with('-') || equals != std::string::npos;
        if (before) continue;
        carried.push_back({Kind::Words, i, words.size()});
        return;
    }
}

void add_parallel(const std::vector<Word>& words, std::vector<Carried>& carried) {
    const InnerStarts found = inner_starts(words, *wrapper_named("parallel"));
    if (found.places.empty()) return;
    const size_t start = found.places.front();
    size_t end = start;
    while (end < words.size() && !words[end].known_start().starts_with(":::")) ++end;
    if (end > start) {
        carried.push_back({.kind = Kind::Code,
                           .first = start,
                           .last = end,
                           .more_words = true,
                           .unsure = !found.certain});
        return;
    }
    for (size_t i = end + 1; i < words.size(); ++i) carried.push_back({Kind::Code, i, i + 1});
}

void add_eval(const std::vector<Word>& words, std::vector<Carried>& carried) {
    const size_t first = words[1].is("--") ? 2 : 1;
    if (first < words.size()) carried.push_back({Kind::Code, first, words.size()});
}

void add_runuser(const std::vector<Word>& words, std::vector<Carried>& carried) {
    if (carried.empty()) add_wrapped(words, *wrapper_named("runuser"), carried);
}

// ip netns exec NAME command, ip vrf exec NAME command
void add_ip(const std::vector<Word>& words, std::vector<Carried>& carried) {
    for (size_t i = 1; i + 3 < words.size(); ++i)
        if ((words[i].is("netns") || words[i].is("vrf")) && words[i + 1].is("exec"))
            carried.push_back({Kind::Words, i + 3, words.size()});
}

// cmake -E env X=1 command, cmake -E time command
void add_cmake(const std::vector<Word>& words, std::vector<Carried>& carried) {
    if (words.size() < 4 || !words[1].is("-E") || !(words[2].is("env") || words[2].is("time")))
        return;
    for (size_t i = 3; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        if (text.starts_with("--") || text.contains('=')) continue;
        carried.push_back({Kind::Words, i, words.size()});
        return;
    }
}

// gdb --args command, gdb -ex run program
void add_gdb(const std::vector<Word>& words, std::vector<Carried>& carried) {
    for (size_t i = 1; i < words.size(); ++i) {
        if ((words[i].is("--args") || words[i].is("-args")) && i + 1 < words.size()) {
            size_t first = i + 1;
            while (first + 1 < words.size() && words[first].known_start().starts_with('-')) ++first;
            carried.push_back({Kind::Words, first, words.size()});
            return;
        }
    }
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
    {"sg", add_sg},
    {"env", add_env},
    {"flock", add_flock},
    {"watch", add_watch},
    {"parallel", add_parallel},
    {"runuser", add_runuser},
    {"git", add_git},
    {"docker", add_docker},
    {"podman", add_docker},
    {"nerdctl", add_docker},
    {"docker-compose", add_docker},
    {"kubectl", add_behind_dashes},
    {"oc", add_behind_dashes},
    {"lxc", add_behind_dashes},
    {"tmux", add_tmux},
    {"screen", add_screen},
    {"npx", add_npx},
    {"npm", add_npx},
    {"awk", add_awk},
    {"gawk", add_awk},
    {"mawk", add_awk},
    {"nawk", add_awk},
    {"sed", add_sed},
    {"gsed", add_sed},
    {"ip", add_ip},
    {"cmake", add_cmake},
    {"gdb", add_gdb},
};

// ld-linux-x86-64.so.2 program: what the kernel starts for every program that is not static.
constexpr Wrapper loader{
    "ld.so", "", " library-path preload argv0 audit inhibit-rpath glibc-hwcaps-prepend ", 0};

bool is_loader(std::string_view program) {
    return program == "ld.so" || program.starts_with("ld-linux") ||
           program.starts_with("ld-musl") || program.starts_with("ld64.so") ||
           (program.starts_with("ld-") && program.ends_with(".so"));
}

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
    add_options(program, words, carried);
    if (const auto* special = std::ranges::find(specials, program, &Special::program);
        special != std::end(specials)) {
        special->add(words, carried);
        std::ranges::stable_sort(carried, {}, &Carried::first);
    } else if (const Wrapper* wrapper = is_loader(program) ? &loader : wrapper_named(program)) {
        add_wrapped(words, *wrapper, carried);
    }
    return carried;
}

bool is_ssh_without_command(const std::vector<Word>& words) {
    const SshCall call = ssh_call(words);
    return call.host < words.size() && call.command == words.size();
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
