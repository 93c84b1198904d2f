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
    {"ssh-agent", "aEOPt", "", 0, false, false, "k"},
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
    {"chrt", "TPD", " sched-runtime sched-period sched-deadline ", 1, false, false, "p"},
    {"taskset", "", "", 1, false, false, "p"},
    {"numactl", "iNCmpl", " interleave cpunodebind physcpubind membind preferred ", 0},
    {"xargs", "adEILnPs", " arg-file delimiter max-args max-procs max-chars process-slot-var ", 0,
     false, true},
    {"parallel", "jaINnLPS",
     " jobs arg-file max-args max-procs sshlogin joblog colsep halt retries timeout delay load "
     "memfree nice tagstring header results workdir tmpdir shellquote env basefile ",
     0, false, true},
    {"strace", "aeIoOpPsSuEbXU",
     " output trace attach env user string-limit signal status trace-path columns abbrev verbose "
     "raw read write decode-fds const-print-style summary-syscall-overhead summary-sort-by "
     "summary-columns inject fault interruptible detach-on kvm ",
     0},
    {"prlimit", "o", "", 0, false, false, "p", false, true},
    {"choom", "np", " adjust pid ", 0},
    {"ltrace", "aeoOpPsSuln", "", 0},
    {"valgrind", "", "", 0, false, false, "", false, true},
    {"fakeroot", "lsbiu", "", 0},
    {"unshare", "RwSGl",
     " root wd setuid setgid map-user map-group map-users map-groups propagation setgroups "
     "monotonic boottime load-interp ",
     0},
    {"nsenter", "tSGN", " target setuid setgid net-socket ", 0},
    {"systemd-run", "uptHMECP",
     " unit property service-type uid gid slice host machine setenv description nice "
     "working-directory on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar "
     "path-property socket-property timer-property background ",
     0},
    {"systemd-inhibit", "", " what who why mode ", 0},
    {"dbus-run-session", "", " config-file dbus-daemon ", 0},
    {"runuser", "ugG", " user group supp-group ", 0},
    {"busybox", "", "", 0},
    {"toybox", "", "", 0},
    {"unbuffer", "", "", 0},
    {"caffeinate", "tw", "", 0},
    {"proxychains", "f", "", 0},
    {"proxychains4", "f", "", 0},
    {"firejail", "", "", 0, false, false, "", false, true},
    {"setpriv", "",
     " ruid euid rgid egid reuid regid groups inh-caps ambient-caps bounding-set securebits "
     "pdeathsig ptracer selinux-label apparmor-profile landlock-access landlock-rule "
     "seccomp-filter ",
     0},
    {"cgexec", "g", "", 0},
    {"torsocks", "", "", 0},
    {"catchsegv", "", "", 0},
    {"linux32", "", "", 0},
    {"linux64", "", "", 0},
    {"x86_64", "", "", 0},
    {"i386", "", "", 0},
    {"i486", "", "", 0},
    {"i586", "", "", 0},
    {"i686", "", "", 0},
    {"uname26", "", "", 0},
    {"setarch", "", "", 0},
    {"faketime", "f", "", 1},
    {"gosu", "", "", 1},
    {"su-exec", "", "", 1},
    {"rlwrap", "bcfHpPqsS", "", 0},
};

// Long options that take no value, or only one in the same word. A wrapper's own list of options
// with a value goes before this one.
constexpr std::string_view long_alone =
    " help version verbose quiet silent null debug all "
    // sudo
    "non-interactive login shell stdin askpass bell preserve-env preserve-groups set-home "
    "reset-timestamp remove-timestamp validate "
    // env, timeout, time, xargs, parallel
    "ignore-environment block-signal default-signal ignore-signal list-signal-handling foreground "
    "preserve-status portability append no-run-if-empty interactive exit open-tty show-limits "
    "replace eof max-lines bar eta progress keep-order dry-run will-cite ungroup line-buffer "
    "linebuffer tag no-notice xargs pipe shuf plain lb "
    // util-linux
    "wait fork ctty mount uts ipc net pid user cgroup time map-root-user map-current-user map-auto "
    "kill-child mount-proc keep-caps no-fork follow-context preserve-credentials root wd nnp "
    "no-new-privs clear-groups keep-groups init-groups reset-env dump batch deadline fifo idle "
    "other rr reset-on-fork all-tasks max cpu-list ignore exclusive nonblock nb shared unlock "
    "close 32bit fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize whole-seconds "
    "sticky-timeouts read-implies-exec mmap-page-zero 3gb 4gb uname-2.6 list "
    // watch, strace, systemd-run
    "differences no-title beep color no-color errexit chgexit precise no-wrap follow-forks "
    "daemonize output-separately output-append-mode successful-only failed-only "
    "instruction-pointer stack-traces syscall-number relative-timestamps absolute-timestamps "
    "syscall-times no-abbrev strings-in-hex decode-pids summary-only summary summary-wall-clock "
    "seccomp-bpf tips scope pty collect same-dir no-block remain-after-exit send-sighup "
    "no-ask-password localalloc hardware show ";

// Long options may be abbreviated.
bool lists(std::string_view names, const std::string& start) {
    return names.find(" " + start) != std::string_view::npos;
}

Option read_long(const std::string& name, const Wrapper& wrapper) {
    if (wrapper.program == "sudo" && (name == "edit" || name == "list" || name == "version"))
        return Option::Ends;
    if (name.empty() || name.contains('=') || wrapper.only_equals) return Option::Alone;
    if (lists(wrapper.long_with_value, name)) return Option::WithNext;
    return lists(long_alone, name) ? Option::Alone : Option::Unsure;
}

// Words that name a machine in front of the options of setarch.
bool is_architecture(std::string_view text) {
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{
            "linux32", "linux64", "x86_64", "amd64",   "i386",      "i486",    "i586",  "i686",
            "uname26", "arm",     "armv",   "aarch64", "ppc",       "powerpc", "s390",  "sparc",
            "mips",    "ia64",    "alpha",  "riscv",   "loongarch", "parisc",  "athlon"},
        [&](std::string_view name) { return text.starts_with(name); });
}

bool is_assignment(const std::string& text) {
    if (text.empty() || !is_name_start(text[0])) return false;
    const size_t equals = text.find('=');
    if (equals == std::string::npos) return false;
    return std::ranges::all_of(text.substr(0, equals), is_name_letter);
}

// Returns true for a word in front of the command that is neither an option nor an operand.
bool is_passed_over(const std::string& text, size_t index, const Wrapper& wrapper) {
    if (wrapper.assignments && is_assignment(text)) return true;
    if (wrapper.program == "env" && text == "-") return true;
    return wrapper.program == "setarch" && index == 1 && is_architecture(text);
}

// One reading of the words of a wrapper, in which unknown options take no value.
struct Reading {
    std::optional<size_t> inner = {};  // where the command starts
    std::vector<size_t> unsure = {};   // options that may take the next word
};

Reading read_from(size_t start, const std::vector<Word>& words, const Wrapper& wrapper) {
    Reading reading;
    size_t operands = wrapper.operands;
    bool options = true;
    for (size_t i = start; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        if (options && words[i].is("--")) {
            options = false;
            continue;
        }
        const Option option = options ? read_option(text, wrapper) : Option::None;
        if (option == Option::Ends) return reading;
        if (option == Option::Unsure) reading.unsure.push_back(i);
        if (option == Option::WithNext) ++i;
        if (option != Option::None || is_passed_over(text, i, wrapper)) continue;
        options = false;
        if (operands-- > 0) continue;
        reading.inner = i;
        return reading;
    }
    return reading;
}

void add_once(size_t place, std::vector<size_t>& places) {
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
}

}  // namespace

Option read_option(const std::string& text, const Wrapper& wrapper) {
    if (text.size() < 2 || text[0] != '-') return Option::None;
    if (text[1] == '-') return read_long(text.substr(2), wrapper);
    for (size_t i = 1; i < text.size(); ++i) {
        if (wrapper.ends.find(text[i]) != std::string_view::npos) return Option::Ends;
        if (wrapper.with_value.find(text[i]) != std::string_view::npos)
            return i + 1 == text.size() ? Option::WithNext : Option::Alone;
    }
    return Option::Alone;
}

InnerStarts inner_starts(const std::vector<Word>& words, const Wrapper& wrapper) {
    constexpr size_t most_places = 8;
    InnerStarts found;
    std::vector<size_t> todo = {1};  // where options may begin
    for (size_t next = 0; next < todo.size() && found.places.size() < most_places; ++next) {
        const Reading reading = read_from(todo[next], words, wrapper);
        if (reading.inner) add_once(*reading.inner, found.places);
        if (!reading.unsure.empty()) found.certain = false;
        for (const size_t option : reading.unsure)
            if (todo.size() < most_places) add_once(option + 2, todo);
    }
    return found;
}

std::optional<size_t> inner_start(const std::vector<Word>& words, const Wrapper& wrapper) {
    const InnerStarts found = inner_starts(words, wrapper);
    return found.places.empty() ? std::nullopt : std::optional(found.places.front());
}

const Wrapper* wrapper_named(const std::string& program) {
    const auto* found = std::ranges::find(wrappers, program, &Wrapper::program);
    return found == std::end(wrappers) ? nullptr : found;
}

}  // namespace husk::parse
