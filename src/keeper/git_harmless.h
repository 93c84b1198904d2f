// The settings of a repository that are known to run no program, whatever their value is or with
// the values that are checked here. The list of the others grows with git, so everything that is
// not in this list counts as one of them.
#pragma once

#include <stdint.h>

#include "git_syntax.h"

namespace git_harmless {

using git_syntax::Setting;
using git_syntax::Text;

// What the value has to be.
enum class Value : uint8_t {
    Any,
    Address,   // of a repository, or the name of a remote
    Update,    // of a submodule: how git updates it, but not a command
    OnlyInNew  // any, in a repository that a command made: it leads an old one elsewhere
};

struct Known {
    const char* key;  // in lower case; "*" is any name in quotes, or at the end any name
    Value value = Value::Any;
};

// What `git init`, `clone`, `worktree add`, `sparse-checkout`, `branch`, `push -u`, `remote` and
// `submodule` write, and what is set every day.
inline constexpr Known known[] = {
    {"advice.*"},
    {"author.email"},
    {"author.name"},
    {"blame.ignorerevsfile"},
    {"branch.*.description"},
    {"branch.*.merge"},
    {"branch.*.pushremote", Value::Address},
    {"branch.*.rebase"},
    {"branch.*.remote", Value::Address},
    {"branch.autosetupmerge"},
    {"branch.autosetuprebase"},
    {"branch.sort"},
    {"checkout.defaultremote"},
    {"checkout.guess"},
    {"color.*"},
    {"color.*.*"},
    {"column.ui"},
    {"commit.gpgsign"},
    {"commit.template"},
    {"commit.verbose"},
    {"committer.email"},
    {"committer.name"},
    {"core.abbrev"},
    {"core.autocrlf"},
    {"core.bare"},
    {"core.commentchar"},
    {"core.commitgraph"},
    {"core.compression"},
    {"core.eol"},
    {"core.excludesfile"},
    {"core.filemode"},
    {"core.ignorecase"},
    {"core.logallrefupdates"},
    {"core.longpaths"},
    {"core.multipackindex"},
    {"core.precomposeunicode"},
    {"core.preloadindex"},
    {"core.quotepath"},
    {"core.repositoryformatversion"},
    {"core.safecrlf"},
    {"core.sharedrepository"},
    {"core.sparsecheckout"},
    {"core.sparsecheckoutcone"},
    {"core.symlinks"},
    {"core.untrackedcache"},
    {"core.whitespace"},
    {"core.worktree", Value::OnlyInNew},
    {"diff.algorithm"},
    {"diff.colormoved"},
    {"diff.context"},
    {"diff.mnemonicprefix"},
    {"diff.noprefix"},
    {"diff.renames"},
    {"extensions.objectformat"},
    {"extensions.relativeworktrees"},
    {"extensions.worktreeconfig"},
    {"feature.manyfiles"},
    {"fetch.parallel"},
    {"fetch.prune"},
    {"fetch.prunetags"},
    {"fetch.recursesubmodules"},
    {"fetch.writecommitgraph"},
    {"gc.auto"},
    {"gc.autodetach"},
    {"gc.autopacklimit"},
    {"gc.packrefs"},
    {"gc.writecommitgraph"},
    {"index.skiphash"},
    {"index.sparse"},
    {"index.threads"},
    {"index.version"},
    {"http.postbuffer"},
    {"init.defaultbranch"},
    {"lfs.*.access"},
    {"lfs.*.locksverify"},
    {"lfs.repositoryformatversion"},
    {"log.abbrevcommit"},
    {"log.date"},
    {"log.decorate"},
    {"log.follow"},
    {"maintenance.auto"},
    {"maintenance.strategy"},
    {"merge.autostash"},
    {"merge.conflictstyle"},
    {"merge.directoryrenames"},
    {"merge.ff"},
    {"merge.log"},
    {"merge.renamelimit"},
    {"merge.renames"},
    {"merge.stat"},
    {"pull.ff"},
    {"pull.rebase"},
    {"push.autosetupremote"},
    {"push.default"},
    {"push.followtags"},
    {"push.recursesubmodules"},
    {"push.useforceifincludes"},
    {"rebase.abbreviatecommands"},
    {"rebase.autosquash"},
    {"rebase.autostash"},
    {"rebase.missingcommitscheck"},
    {"rebase.stat"},
    {"rebase.updaterefs"},
    {"remote.*.fetch"},
    {"remote.*.mirror"},
    {"remote.*.prune"},
    {"remote.*.prunetags"},
    {"remote.*.push"},
    {"remote.*.pushurl", Value::Address},
    {"remote.*.skipdefaultupdate"},
    {"remote.*.skipfetchall"},
    {"remote.*.tagopt"},
    {"remote.*.url", Value::Address},
    {"remote.pushdefault", Value::Address},
    {"rerere.autoupdate"},
    {"rerere.enabled"},
    {"status.branch"},
    {"status.short"},
    {"status.showuntrackedfiles"},
    {"submodule.*.active"},
    {"submodule.*.branch"},
    {"submodule.*.fetchrecursesubmodules"},
    {"submodule.*.ignore"},
    {"submodule.*.shallow"},
    {"submodule.*.update", Value::Update},
    {"submodule.*.url", Value::Address},
    {"submodule.active"},
    {"submodule.fetchjobs"},
    {"submodule.recurse"},
    {"tag.gpgsign"},
    {"tag.sort"},
    {"user.email"},
    {"user.name"},
    {"user.useconfigonly"},
    {"worktree.guessremote"},
    {"worktree.userelativepaths"},
};

// A key taken apart: "remote.a.b.url" is the section "remote", "a.b" and the name "url".
struct Parts {
    unsigned section = 0;  // its length
    unsigned name = 0;     // where it begins
    bool has_middle = false;
};

inline Parts parts_of(const Text& key) {
    Parts parts{key.length, 0, false};
    for (unsigned i = key.length; i-- > 0;) {
        if (key.text[i] != '.') continue;
        if (parts.name == 0) parts.name = i + 1;
        parts.section = i;
    }
    parts.has_middle = parts.name > parts.section + 1;
    return parts;
}

// Takes `length` letters of the pattern, or "*", which stands for all of them.
inline bool take_part(const char*& pattern, const char* text, unsigned length) {
    if (*pattern == '*') {
        ++pattern;
        return true;
    }
    for (unsigned i = 0; i < length; ++i)
        if (*pattern++ != text[i]) return false;
    return true;
}

inline bool matches(const char* pattern, const Text& key, const Parts& parts) {
    if (parts.name == 0 || parts.name >= key.length) return false;
    if (!take_part(pattern, key.text, parts.section) || *pattern++ != '.') return false;
    if (parts.has_middle && (*pattern++ != '*' || *pattern++ != '.')) return false;
    if (!parts.has_middle && pattern[0] == '*' && pattern[1] == '.') return false;
    return take_part(pattern, key.text + parts.name, key.length - parts.name) && *pattern == 0;
}

inline bool equals(const Text& text, const char* word) {
    unsigned i = 0;
    while (i < text.length && word[i] != 0 && text.text[i] == word[i]) ++i;
    return i == text.length && word[i] == 0;
}

// A part of an address, from `at` up to `end`.
struct Slice {
    const char* text;
    unsigned at;
    unsigned end;

    bool is_empty() const { return at >= end; }
    char first() const { return is_empty() ? '\0' : text[at]; }
    unsigned find(char letter) const {
        unsigned i = at;
        while (i < end && text[i] != letter) ++i;
        return i;
    }
    bool starts_with(const char* word) const {
        unsigned i = at;
        for (; *word != 0; ++word, ++i)
            if (i >= end || git_syntax::lower(text[i]) != *word) return false;
        return true;
    }
};

// What a shell could take for more (CVE-2023-51385) is in no name of a host or user.
inline bool may_be_in_host(char one) {
    constexpr const char* others = ".-_:[]%@+~";
    if (git_syntax::is_letter(one) || (one >= '0' && one <= '9')) return true;
    for (const char* at = others; *at != 0; ++at)
        if (*at == one) return true;
    return false;
}

// A name of a host, or an address: what ssh would take for an option begins with a dash, and "%2d"
// is one.
inline bool is_host(Slice host) {
    for (unsigned at = host.at; at < host.end; ++at)
        if (!may_be_in_host(host.text[at])) return false;
    for (unsigned at = host.find('@'); at < host.end; at = host.find('@')) {
        if (host.first() == '-' || host.first() == '%') return false;
        host.at = at + 1;
    }
    const bool is_bracketed = host.first() == '[';
    if (is_bracketed) ++host.at;
    const char first = host.first();
    const bool is_number = first >= '0' && first <= '9';
    return git_syntax::is_letter(first) || is_number || (is_bracketed && first == ':');
}

// True for what no transport of git takes for more than a place: http, https, ssh and git, a path,
// and the name of a remote. "ext::" and its like run a program, and so does a host that ssh takes
// for an option.
inline bool is_address(const Text& value) {
    const Slice all{value.text, 0, value.length};
    // Git's own programs look for a home behind "~".
    if (all.is_empty() || all.first() == '-' || all.first() == '~') return false;
    for (unsigned i = 0; i < value.length; ++i)
        if (static_cast<unsigned char>(value.text[i]) < ' ') return false;
    const unsigned slash = all.find('/');
    const unsigned colon = all.find(':');
    const bool is_bracketed = all.first() == '[';
    if (colon >= slash && !is_bracketed) return true;  // a path, or the name of a remote
    const bool is_url = colon + 2 < all.end && value.text[colon + 1] == '/' &&
                        value.text[colon + 2] == '/' && !is_bracketed;
    if (!is_url) {  // host:path, as scp has it
        const unsigned from = is_bracketed ? all.find(']') : 0;
        const unsigned behind = Slice{value.text, from, value.length}.find(':') + 1;
        const bool is_place =
            behind < all.end && value.text[behind] != '-' && value.text[behind] != ':';
        return is_place && is_host({value.text, 0, behind - 1});
    }
    constexpr const char* schemes[] = {"https://",   "http://",    "ssh://",
                                       "git+ssh://", "ssh+git://", "git://"};
    const Slice rest{value.text, colon + 3, value.length};
    // "%2f" would be a slash.
    if (all.starts_with("file://")) return rest.first() == '/' && rest.find('%') == rest.end;
    bool is_known = false;
    for (const char* scheme : schemes) is_known = is_known || all.starts_with(scheme);
    return is_known && is_host({value.text, rest.at, rest.find('/')});
}

inline bool is_update(const Text& value) {
    constexpr const char* words[] = {"checkout", "rebase", "merge", "none"};
    bool is_one = false;
    for (const char* word : words) is_one = is_one || equals(value, word);
    return is_one;
}

// In whose repository the setting is: one that a command made, or the user's.
enum class Repository : uint8_t { OfACommand, OfTheUser };

enum class Verdict : uint8_t { Harmless, NotKnown, NoPlainAddress, NoKnownUpdate };

inline Verdict judge(const Setting& setting, Repository repository) {
    const Parts parts = parts_of(setting.key);
    for (const Known& one : known) {
        if (!matches(one.key, setting.key, parts)) continue;
        switch (one.value) {
            case Value::Any: return Verdict::Harmless;
            case Value::Address:
                return setting.has_value && is_address(setting.value) ? Verdict::Harmless
                                                                      : Verdict::NoPlainAddress;
            case Value::Update:
                return setting.has_value && is_update(setting.value) ? Verdict::Harmless
                                                                     : Verdict::NoKnownUpdate;
            case Value::OnlyInNew:
                return repository == Repository::OfACommand ? Verdict::Harmless : Verdict::NotKnown;
        }
    }
    return Verdict::NotKnown;
}

}  // namespace git_harmless
