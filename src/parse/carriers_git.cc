// What git runs because its arguments or its settings say so.
#include <algorithm>
#include <array>
#include <string_view>

#include "parse/carriers.h"
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
    Key key{std::string(text.substr(0, text.find('.'))),
            std::string(text.substr(text.rfind('.') + 1))};
    for (std::string* part : {&key.section, &key.name})
        for (char& letter : *part)
            if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return key;
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
                             "pager."sv};

// Settings that name a place where git finds programs, or settings.
constexpr std::array hides = {"core.hookspath"sv,   "include.path"sv,  "includeif.path"sv,
                              "init.templatedir"sv, "url.insteadof"sv, "url.pushinsteadof"sv};

// What stands behind `name=` of a setting, if that is run: how many letters are no code.
std::optional<size_t> code_in(const std::string& name, const std::string& value) {
    const Key key = key_of(name);
    if (key.section == "alias")
        return value.starts_with('!') ? std::optional<size_t>(1) : std::nullopt;
    return lists(runs, key) ? std::optional<size_t>(0) : std::nullopt;
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
    std::vector<size_t> operands;
    for (size_t i = subcommand + 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        if (text.starts_with("--get") || text.starts_with("--unset") || text == "get" ||
            text == "unset")
            return {};
        if (text == "--file" || text == "-f" || text == "--blob" || text == "--type")
            ++i;
        else if (!text.starts_with('-') && !(operands.empty() && text == "set"))
            operands.push_back(i);
    }
    operands.resize(operands.size() < 2 ? 0 : 2);
    return operands;
}

// Options whose value is a command, glued to them or not.
bool add_option(const std::vector<Word>& words, size_t i, const std::string& subcommand,
                std::vector<Carried>& carried) {
    static constexpr std::array names = {
        "--upload-pack"sv,   "--receive-pack"sv,       "--exec"sv,
        "--extcmd"sv,        "--tree-filter"sv,        "--index-filter"sv,
        "--msg-filter"sv,    "--env-filter"sv,         "--parent-filter"sv,
        "--commit-filter"sv, "--tag-name-filter"sv,    "--setup"sv,
        "--sendmail-cmd"sv,  "--open-files-in-pager"sv};
    const std::string text = words[i].known_start();
    const size_t equals = text.find('=');
    if (std::ranges::find(names, text.substr(0, equals)) != names.end()) {
        if (equals != std::string::npos)
            carried.push_back({Kind::Code, i, i + 1, false, equals + 1});
        else if (i + 1 < words.size())
            carried.push_back({Kind::Code, i + 1, i + 2});
        return true;
    }
    const char letter = subcommand == "clone"                                ? 'u'
                        : subcommand == "rebase" || subcommand == "difftool" ? 'x'
                        : subcommand == "grep"                               ? 'O'
                                                                             : '\0';
    if (letter == '\0' || text.size() < 2 || text[0] != '-' || text[1] != letter) return false;
    if (text.size() > 2)
        carried.push_back({Kind::Code, i, i + 1, false, 2});
    else if (i + 1 < words.size() && letter != 'O')
        carried.push_back({Kind::Code, i + 1, i + 2});
    return true;
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
    if (const auto skip = code_in(text.substr(begin, equals - begin), text.substr(equals + 1)))
        carried.push_back({Kind::Code, at, at + 1, false, equals + 1 + *skip});
}

bool is_hidden_setting(const std::string& text) {
    const size_t equals = text.find('=');
    const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    return !value.empty() && value != "/dev/null" && lists(hides, key_of(text.substr(0, equals)));
}

}  // namespace

void add_git(const std::vector<Word>& words, std::vector<Carried>& carried) {
    const size_t at = subcommand_of(words);
    const std::string subcommand = at < words.size() ? words[at].known_start() : "";
    for (size_t i = 1; i < words.size(); ++i) {
        constexpr std::string_view transport = "ext::";  // a url that is a command
        add_setting(words, i, carried);
        if (words[i].known_start().starts_with(transport))
            carried.push_back({Kind::Code, i, i + 1, false, transport.size()});
        else if (i > at)
            add_option(words, i, subcommand, carried);
    }
    if (subcommand == "config") {
        const std::vector<size_t> set = set_by_config(words, at);
        const auto skip = set.empty()
                              ? std::nullopt
                              : code_in(words[set[0]].known_start(), words[set[1]].known_start());
        if (skip) carried.push_back({Kind::Code, set[1], set[1] + 1, false, *skip});
    }
    if (at + 2 >= words.size()) return;
    if (subcommand == "bisect" && words[at + 1].is("run"))
        carried.push_back({Kind::Words, at + 2, words.size()});
    if (subcommand == "submodule" && words[at + 1].is("foreach")) {
        const size_t first = words[at + 2].is("--recursive") ? at + 3 : at + 2;
        if (first < words.size()) carried.push_back({Kind::Code, first, words.size()});
    }
}

bool git_hides_code(const std::vector<Word>& words) {
    const size_t at = subcommand_of(words);
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        const bool elsewhere = text.starts_with("--config-env") ||
                               text.starts_with("--exec-path=") ||
                               (i > at && text.starts_with("--template="));
        if (elsewhere) return true;
        const bool setting = is_any(words[i - 1], {"-c", "--config"});
        if (setting && is_hidden_setting(text)) return true;
    }
    if (at >= words.size() || !words[at].is("config")) return false;
    const std::vector<size_t> set = set_by_config(words, at);
    return !set.empty() &&
           is_hidden_setting(words[set[0]].known_start() + "=" + words[set[1]].shown());
}

}  // namespace husk::parse
