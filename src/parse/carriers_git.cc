// What git runs because its arguments or its settings say so.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "parse/carriers.h"
#include "parse/letters.h"
#include "parse/subcommands.h"

namespace husk::parse {
namespace {

using Kind = Carried::Kind;
using namespace std::string_view_literals;

// The first and the last part of a name such as diff.png.textconv; git ignores their case.
struct Key {
    std::string section;
    std::string name;
};

Key key_of(std::string_view text) {
    return {lowered(text.substr(0, text.find('.'))), lowered(text.substr(text.rfind('.') + 1))};
}

template <size_t N>
bool lists(const std::array<std::string_view, N>& table, const Key& key) {
    const std::string whole = key.section + "." + key.name;
    return std::ranges::any_of(table, [&](std::string_view entry) {
        return entry == whole || (entry.ends_with('.') && entry == key.section + ".");
    });
}

// Settings whose value is a command.
constexpr std::array runs = {"core.fsmonitor"sv,
                             "core.editor"sv,
                             "core.pager"sv,
                             "core.sshcommand"sv,
                             "core.askpass"sv,
                             "core.gitproxy"sv,
                             "sequence.editor"sv,
                             "diff.external"sv,
                             "diff.command"sv,
                             "diff.textconv"sv,
                             "merge.driver"sv,
                             "filter.clean"sv,
                             "filter.smudge"sv,
                             "filter.process"sv,
                             "credential.helper"sv,
                             "gpg.program"sv,
                             "mergetool.cmd"sv,
                             "difftool.cmd"sv,
                             "browser.cmd"sv,
                             "man.cmd"sv,
                             "remote.uploadpack"sv,
                             "remote.receivepack"sv,
                             "trailer.command"sv,
                             "trailer.cmd"sv,
                             "interactive.difffilter"sv,
                             "sendemail.sendmailcmd"sv,
                             "uploadpack.packobjectshook"sv,
                             "core.alternaterefscommand"sv,
                             "tar.command"sv,
                             "gpg.defaultkeycommand"sv,
                             "credential.credentialstore"sv,
                             "sendemail.tocmd"sv,
                             "sendemail.cccmd"sv,
                             "sendemail.headercmd"sv,
                             "imap.tunnel"sv,
                             "instaweb.httpd"sv,
                             "guitool.cmd"sv,
                             "submodule.update"sv,
                             "hook.command"sv,
                             "pager."sv};

// Settings that run nothing and lead git nowhere else. A section that ends with a dot stands for
// all of its settings. Everything that is neither here nor in `runs` is suspect.
constexpr std::array harmless = {"advice."sv,
                                 "apply."sv,
                                 "blame."sv,
                                 "branch.description"sv,
                                 "branch.merge"sv,
                                 "branch.rebase"sv,
                                 "branch.remote"sv,
                                 "branch.autosetupmerge"sv,
                                 "branch.autosetuprebase"sv,
                                 "branch.sort"sv,
                                 "checkout."sv,
                                 "clean.requireforce"sv,
                                 "color."sv,
                                 "column."sv,
                                 "commit.cleanup"sv,
                                 "commit.gpgsign"sv,
                                 "commit.status"sv,
                                 "commit.verbose"sv,
                                 "core.abbrev"sv,
                                 "core.autocrlf"sv,
                                 "core.bare"sv,
                                 "core.bigfilethreshold"sv,
                                 "core.commentchar"sv,
                                 "core.compression"sv,
                                 "core.eol"sv,
                                 "core.filemode"sv,
                                 "core.ignorecase"sv,
                                 "core.logallrefupdates"sv,
                                 "core.longpaths"sv,
                                 "core.precomposeunicode"sv,
                                 "core.preloadindex"sv,
                                 "core.protecthfs"sv,
                                 "core.protectntfs"sv,
                                 "core.quotepath"sv,
                                 "core.repositoryformatversion"sv,
                                 "core.safecrlf"sv,
                                 "core.sharedrepository"sv,
                                 "core.sparsecheckout"sv,
                                 "core.sparsecheckoutcone"sv,
                                 "core.symlinks"sv,
                                 "core.untrackedcache"sv,
                                 "core.whitespace"sv,
                                 "diff.algorithm"sv,
                                 "diff.colormoved"sv,
                                 "diff.colormovedws"sv,
                                 "diff.context"sv,
                                 "diff.indentheuristic"sv,
                                 "diff.mnemonicprefix"sv,
                                 "diff.noprefix"sv,
                                 "diff.renamelimit"sv,
                                 "diff.renames"sv,
                                 "diff.submodule"sv,
                                 "diff.wordregex"sv,
                                 "feature.manyfiles"sv,
                                 "fetch.fsckobjects"sv,
                                 "fetch.parallel"sv,
                                 "fetch.prune"sv,
                                 "fetch.prunetags"sv,
                                 "fetch.recursesubmodules"sv,
                                 "format.pretty"sv,
                                 "gc.auto"sv,
                                 "gc.autodetach"sv,
                                 "grep.extendedregexp"sv,
                                 "grep.linenumber"sv,
                                 "grep.patterntype"sv,
                                 "http.lowspeedlimit"sv,
                                 "http.lowspeedtime"sv,
                                 "http.maxrequests"sv,
                                 "http.postbuffer"sv,
                                 "http.version"sv,
                                 "i18n."sv,
                                 "index.sparse"sv,
                                 "index.threads"sv,
                                 "index.version"sv,
                                 "init.defaultbranch"sv,
                                 "log."sv,
                                 "merge.conflictstyle"sv,
                                 "merge.ff"sv,
                                 "merge.renamelimit"sv,
                                 "merge.renames"sv,
                                 "pack.threads"sv,
                                 "pack.windowmemory"sv,
                                 "protocol.version"sv,
                                 "pull.ff"sv,
                                 "pull.rebase"sv,
                                 "push.autosetupremote"sv,
                                 "push.default"sv,
                                 "push.followtags"sv,
                                 "rebase.autosquash"sv,
                                 "rebase.autostash"sv,
                                 "rebase.updaterefs"sv,
                                 "receive.denycurrentbranch"sv,
                                 "remote.fetch"sv,
                                 "remote.prune"sv,
                                 "remote.push"sv,
                                 "remote.pushdefault"sv,
                                 "remote.pushurl"sv,
                                 "remote.tagopt"sv,
                                 "remote.url"sv,
                                 "rerere.autoupdate"sv,
                                 "rerere.enabled"sv,
                                 "safe.directory"sv,
                                 "stash.showpatch"sv,
                                 "status."sv,
                                 "submodule.active"sv,
                                 "submodule.fetchjobs"sv,
                                 "submodule.recurse"sv,
                                 "submodule.url"sv,
                                 "tag.gpgsign"sv,
                                 "tag.sort"sv,
                                 "transfer.fsckobjects"sv,
                                 "user.email"sv,
                                 "user.name"sv,
                                 "user.useconfigonly"sv,
                                 "versionsort."sv};

// With these values a setting that names a program or a place names none.
bool is_switch(std::string_view value) {
    static constexpr std::array switches = {""sv,   "true"sv, "false"sv, "yes"sv,      "no"sv,
                                            "on"sv, "off"sv,  "0"sv,     "/dev/null"sv};
    return std::ranges::find(switches, value) != switches.end();
}

// The start of an address whose rest is a command.
constexpr std::string_view command_url = "ext::";

// What git runs of the value of a setting.
struct Code {
    size_t skip = 0;               // so many letters are no code
    std::string_view prefix = {};  // what git puts in front of it
};

std::optional<Code> code_in(const std::string& name, const std::string& value) {
    const Key key = key_of(name);
    if (value.starts_with(command_url)) return Code{.skip = command_url.size()};
    const bool for_shell = value.starts_with('!');
    if (key.section == "alias") return for_shell ? Code{.skip = 1} : Code{.prefix = "git "};
    if (!lists(runs, key) || is_switch(value)) return std::nullopt;
    return Code{.skip = for_shell ? 1UZ : 0UZ};
}

size_t subcommand_of(const std::vector<Word>& words) {
    static const Subcommands& table = *subcommands_of("git");
    return subcommand_position(words, table);
}

bool is_any(const Word& word, std::initializer_list<std::string_view> texts) {
    return std::ranges::any_of(texts, [&](std::string_view text) { return word.is(text); });
}

// git config NAME VALUE: the words that are no options.
std::vector<size_t> set_by_config(const std::vector<Word>& words, size_t subcommand) {
    static constexpr std::array with_value = {"--file"sv,  "-f"sv,       "--blob"sv,
                                              "--type"sv,  "-t"sv,       "--default"sv,
                                              "--value"sv, "--comment"sv};
    std::vector<size_t> operands;
    bool is_first = true;
    for (size_t i = subcommand + 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        if (text.starts_with("--get") || text.starts_with("--unset")) return {};
        if (std::ranges::find(with_value, text) != with_value.end()) {
            ++i;
        } else if (!text.starts_with('-')) {
            const bool action = std::exchange(is_first, false);
            if (action && is_any(words[i], {"get", "unset", "list"})) return {};
            if (!action || text != "set") operands.push_back(i);
        }
    }
    operands.resize(operands.size() < 2 ? 0 : 2);
    return operands;
}

// -c name=value, --config name=value, --config=name=value
void add_setting(const std::vector<Word>& words, size_t i, std::vector<Carried>& carried) {
    constexpr std::string_view glued = "--config=";
    const bool is_glued = words[i].known_start().starts_with(glued);
    const size_t at = is_glued ? i : i + 1;
    if (at >= words.size() || !(is_glued || is_any(words[i], {"-c", "--config"}))) return;
    const std::string text = words[at].known_start();
    const size_t begin = is_glued ? glued.size() : 0;
    const size_t equals = text.find('=', begin);
    if (equals == std::string::npos) return;
    if (const auto code = code_in(text.substr(begin, equals - begin), text.substr(equals + 1)))
        carried.push_back({Kind::Code, at, at + 1, false, equals + 1 + code->skip, code->prefix});
}

// --repo=ext::code
void add_command_url(const std::vector<Word>& words, size_t i, std::vector<Carried>& carried) {
    const std::string text = words[i].known_start();
    const size_t equals = text.find('=');
    const bool is_setting = i > 0 && is_any(words[i - 1], {"-c", "--config"});
    if (equals == std::string::npos || is_setting || text.starts_with("--config=")) return;
    if (std::string_view(text).substr(equals + 1).starts_with(command_url))
        carried.push_back({Kind::Code, i, i + 1, false, equals + 1 + command_url.size()});
}

// Subcommands that run a command: git remote-ext NAME code, git merge-index PROGRAM FILES,
// git for-each-repo --config=x SUBCOMMAND.
void add_plumbing(const std::vector<Word>& words, size_t at, const std::string& subcommand,
                  std::vector<Carried>& carried) {
    size_t first = at + 1;
    while (first < words.size() && words[first].known_start().starts_with('-')) ++first;
    if (subcommand == "remote-ext" && at + 2 < words.size())
        carried.push_back({Kind::Code, at + 2, words.size()});
    if (subcommand == "merge-index" && first < words.size())
        carried.push_back({Kind::Code, first, first + 1, true});
    if (subcommand == "for-each-repo" && first < words.size())
        carried.push_back(
            {.kind = Kind::Code, .first = first, .last = words.size(), .prefix = "git "});
}

// git config --rename-section log core: settings that seemed harmless are others now.
bool renames_settings(const std::vector<Word>& words, size_t config) {
    return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(config) + 1, words.end(),
                       [](const Word& word) {
                           const std::string text = word.known_start();
                           return text.starts_with("--ren") || text.starts_with("--cop") ||
                                  text.starts_with("rename-s") || text.starts_with("copy-s");
                       });
}

// git submodule --quiet foreach --recursive code
void add_foreach(const std::vector<Word>& words, size_t subcommand, std::vector<Carried>& carried) {
    const auto behind_options = [&](size_t at) {
        while (at < words.size() && words[at].known_start().starts_with('-')) ++at;
        return at;
    };
    const size_t action = behind_options(subcommand + 1);
    if (action >= words.size() || !words[action].is("foreach")) return;
    const size_t first = behind_options(action + 1);
    if (first < words.size()) carried.push_back({Kind::Code, first, words.size()});
}

// A setting that may make git run something that cannot be seen.
bool is_suspect(const std::string& name, const Word& value, size_t skip) {
    const Key key = key_of(name);
    const std::string text = value.shown().substr(std::min(skip, value.shown().size()));
    if (lists(harmless, key) && !text.contains(command_url)) return false;
    if (value.known() && is_switch(text)) return false;
    // Other values make git run a subcommand with a similar name.
    if (key.section == "help" && key.name == "autocorrect")
        return text != "never" && text != "show" && text != "prompt";
    // What is seen is judged as a command of its own.
    return !code_in(name, text);
}

// The setting of -c in a word: name=value, or a name alone, which means true.
bool is_suspect_setting(const Word& word, size_t begin) {
    const std::string text = word.known_start();
    const size_t equals = text.find('=', begin);
    if (equals == std::string::npos) return !word.known();
    return is_suspect(text.substr(begin, equals - begin), word, equals + 1);
}

}  // namespace

void add_git(const std::vector<Word>& words, std::vector<Carried>& carried) {
    const size_t at = subcommand_of(words);
    const std::string subcommand = at < words.size() ? words[at].known_start() : "";
    for (size_t i = 1; i < words.size(); ++i) {
        add_setting(words, i, carried);
        add_command_url(words, i, carried);
    }
    add_plumbing(words, at, subcommand, carried);
    if (subcommand == "config") {
        const std::vector<size_t> set = set_by_config(words, at);
        const auto code = set.empty()
                              ? std::nullopt
                              : code_in(words[set[0]].known_start(), words[set[1]].known_start());
        if (code)
            carried.push_back({Kind::Code, set[1], set[1] + 1, false, code->skip, code->prefix});
    }
    if (subcommand == "bisect" && at + 2 < words.size() && words[at + 1].is("run"))
        carried.push_back({Kind::Words, at + 2, words.size()});
    if (subcommand == "submodule") add_foreach(words, at, carried);
}

bool git_hides_code(const std::vector<Word>& words) {
    const size_t at = subcommand_of(words);
    constexpr std::string_view glued = "--config=";
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        const bool elsewhere =
            text.starts_with("--config-env") || text.starts_with("--exec-path=") ||
            (i > at && text.starts_with("--te") && is_any(words[at], {"init", "clone"}));
        // -ca.b=c and --conf a.b=c
        const bool is_odd =
            i > at && words[at].is("clone") && !text.starts_with("--config") &&
            (text.starts_with("--conf") || (text.starts_with("-c") && text != "-c"));
        if (elsewhere || is_odd) return true;
        // Behind most subcommands -c is another option.
        const bool takes_settings = i < at || (at < words.size() && words[at].is("clone"));
        if (!takes_settings) continue;
        const bool apart = i + 1 < words.size() && is_any(words[i], {"-c", "--config"});
        if (apart && is_suspect_setting(words[i + 1], 0)) return true;
        if (text.starts_with(glued) && is_suspect_setting(words[i], glued.size())) return true;
    }
    if (at >= words.size() || !words[at].is("config")) return false;
    if (renames_settings(words, at)) return true;
    const std::vector<size_t> set = set_by_config(words, at);
    return !set.empty() &&
           (!words[set[0]].known() || is_suspect(words[set[0]].known_start(), words[set[1]], 0));
}

bool git_is_told_elsewhere(std::string_view variable) {
    return variable.starts_with("GIT_CONFIG") || variable == "GIT_EXEC_PATH" ||
           variable == "GIT_TEMPLATE_DIR";
}

}  // namespace husk::parse
