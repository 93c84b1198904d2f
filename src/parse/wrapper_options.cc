#include "parse/wrapper_options.h"

#include <algorithm>

#include "parse/letters.h"

namespace husk::parse {
namespace {

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

bool is_assignment(const std::string& text) {
    if (text.empty() || !is_name_start(text[0])) return false;
    const size_t equals = text.find('=');
    if (equals == std::string::npos) return false;
    return std::ranges::all_of(text.substr(0, equals), is_name_letter);
}

}  // namespace

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

const Wrapper* wrapper_named(const std::string& program) {
    const auto* found = std::ranges::find(wrappers, program, &Wrapper::program);
    return found == std::end(wrappers) ? nullptr : found;
}

}  // namespace husk::parse
