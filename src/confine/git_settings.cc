#include "confine/git_settings.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace husk::confine {
namespace {

constexpr std::string_view spaces = " \t";

// What `git init`, `clone`, `worktree add`, `sparse-checkout` and `branch` write, and what is set
// every day. In lower case; "*" is any name in quotes.
constexpr auto harmless = std::to_array<std::string_view>({
    "advice.detachedhead",
    "branch.*.description",
    "branch.*.merge",
    "branch.*.rebase",
    "branch.*.remote",
    "color.ui",
    "commit.gpgsign",
    "core.abbrev",
    "core.autocrlf",
    "core.bare",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.precomposeunicode",
    "core.preloadindex",
    "core.quotepath",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.sharedrepository",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.untrackedcache",
    "core.whitespace",
    "core.worktree",
    "extensions.objectformat",
    "extensions.worktreeconfig",
    "fetch.prune",
    "fetch.recursesubmodules",
    "gc.auto",
    "index.sparse",
    "index.version",
    "init.defaultbranch",
    "lfs.repositoryformatversion",
    "merge.conflictstyle",
    "merge.ff",
    "pull.ff",
    "pull.rebase",
    "push.autosetupremote",
    "push.default",
    "remote.*.fetch",
    "remote.*.prune",
    "remote.*.push",
    "remote.*.pushurl",
    "remote.*.tagopt",
    "remote.*.url",
    "submodule.*.active",
    "submodule.*.url",
    "submodule.active",
    "tag.gpgsign",
    "user.email",
    "user.name",
});

static_assert(std::ranges::is_sorted(harmless));

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return result;
}

std::string_view trim(std::string_view text) {
    const size_t first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// "[core]" is "core.", `[remote "origin"]` is "remote.*."; nothing for what is written otherwise.
std::optional<std::string> section_of(std::string_view line) {
    if (!line.ends_with(']')) return std::nullopt;
    const std::string_view inner = line.substr(1, line.size() - 2);
    if (inner.contains(']') || inner.contains('[')) return std::nullopt;
    const size_t quote = inner.find('"');
    if (quote == std::string_view::npos) return lower(inner) + ".";
    const bool closed = inner.size() > quote + 1 && inner.find('"', quote + 1) == inner.size() - 1;
    if (!closed) return std::nullopt;
    return lower(trim(inner.substr(0, quote))) + ".*.";
}

// Without quotes, and a comment behind them.
std::string_view plain_value(std::string_view text) {
    text = trim(text);
    if (text.starts_with('"')) return text.substr(1, text.find('"', 1) - 1);
    return trim(text.substr(0, text.find_first_of("#;")));
}

}  // namespace

NamedBySettings named_by(std::string_view text) {
    NamedBySettings result;
    std::string section;
    for (const std::string_view whole : text::split_lines(text)) {
        const std::string_view line = trim(whole);
        if (line.starts_with('[')) section = section_of(line).value_or("");
        const size_t equals = line.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string key = section + lower(trim(line.substr(0, equals)));
        const std::string value(plain_value(line.substr(equals + 1)));
        if (key == "core.hookspath") result.hooks.push_back(value);
        if (key == "include.path" || key == "includeif.*.path") result.includes.push_back(value);
    }
    return result;
}

// Stricter than git: what goes on in the next line, or follows a section in the same one, is not
// taken apart.
std::optional<std::string> risky_setting(std::string_view text) {
    const std::string unclear = "settings in an unusual form";
    if (text.find_first_of(std::string_view("\\\r\0", 3)) != std::string_view::npos) return unclear;
    std::string section;
    for (const std::string_view whole : text::split_lines(text)) {
        const std::string_view line = trim(whole);
        if (line.empty() || line.starts_with('#') || line.starts_with(';')) continue;
        if (line.starts_with('[')) {
            auto found = section_of(line);
            if (!found) return unclear;
            section = *std::move(found);
            continue;
        }
        const std::string key = section + lower(trim(line.substr(0, line.find('='))));
        if (!std::ranges::binary_search(harmless, std::string_view(key))) return key;
    }
    return std::nullopt;
}

}  // namespace husk::confine
