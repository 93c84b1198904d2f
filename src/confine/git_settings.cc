#include "confine/git_settings.h"

#include <pwd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "confine/git_index.h"
#include "confine/seen_file.h"
#include "keeper/git_harmless.h"
#include "keeper/git_syntax.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

char lower(char c) { return git_syntax::lower(c); }

// Memory for one of the texts of a file, which is as long as the file at most.
class Room {
public:
    explicit Room(size_t size) : memory_(size + 1) {}
    git_syntax::Text text() {
        return {.text = memory_.data(), .room = static_cast<unsigned>(memory_.size())};
    }

private:
    std::vector<char> memory_;
};

// "remote.*.url" if the section has a name in quotes.
std::string usual_key(const git_syntax::Text& key) {
    const std::string_view text(key.text, key.length);
    const git_harmless::Parts parts = git_harmless::parts_of(key);
    if (!parts.has_middle) return std::string(text);
    return std::string(text.substr(0, parts.section)) + ".*." +
           std::string(text.substr(parts.name));
}

// Calls `visit` with each setting up to the first mistake. Returns what is known of the whole.
template <class Visit>
ParsedSettings read_settings(std::string_view text, const Visit& visit) {
    Room section(text.size());
    Room key(text.size());
    Room shown(text.size());
    Room value(text.size());
    git_syntax::Reader reader(text.data(), text.size(), section.text());
    git_syntax::Setting setting{.key = key.text(), .shown = shown.text(), .value = value.text()};
    git_syntax::Next next = reader.next(setting);
    for (; next == git_syntax::Next::Setting; next = reader.next(setting)) visit(setting);
    return {.all = {}, .is_whole = next == git_syntax::Next::End, .is_usual = reader.is_usual()};
}

constexpr size_t most_files = 64;
constexpr size_t most_directories = 64;

fs::path home_of(const std::string& user) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> texts{};
    ::getpwnam_r(user.c_str(), &entry, texts.data(), texts.size(), &found);
    return found == nullptr ? "" : found->pw_dir;
}

// "~/x", "~user/x" and "%(prefix)/x", as git reads paths.
fs::path expanded(const std::string& value, const fs::path& home) {
    constexpr std::string_view installed = "%(prefix)/";
    if (value.starts_with(installed)) return "/usr" / fs::path(value.substr(installed.size()));
    if (!value.starts_with('~')) return value;
    const size_t end = std::min(value.find('/'), value.size());
    const fs::path start = end == 1 ? home : home_of(value.substr(1, end - 1));
    return start / value.substr(std::min(end + 1, value.size()));
}

std::string variable(const std::string& name) {
    const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
}

// As a file has it: "includeIf.gitdir:/x.path" is "includeif.*.path".
std::string usual_key(const std::string& key) {
    std::string section = key.substr(0, key.find('.'));
    std::string name = key.substr(std::min(key.rfind('.') + 1, key.size()));
    for (char& c : section) c = lower(c);
    for (char& c : name) c = lower(c);
    const bool has_middle = section.size() + 1 + name.size() < key.size();
    return section + (has_middle ? ".*." : ".") + name;
}

// Settings in GIT_CONFIG_KEY_0 and the like. (GIT_CONFIG_PARAMETERS is for what one git starts.)
std::vector<GitSetting> settings_in_variables() {
    constexpr int most = 1000;
    const int count = std::min(std::atoi(variable("GIT_CONFIG_COUNT").c_str()), most);
    std::vector<GitSetting> settings;
    for (int i = 0; i < count; ++i)
        settings.push_back({usual_key(variable("GIT_CONFIG_KEY_" + std::to_string(i))),
                            variable("GIT_CONFIG_VALUE_" + std::to_string(i))});
    return settings;
}

// The path that git takes the address of a repository for, if it is one.
std::optional<std::string> path_of_address(const std::string& address) {
    constexpr std::string_view scheme = "file://";
    if (address.starts_with(scheme)) return address.substr(scheme.size());
    const bool is_path = address.find(':') >= address.find('/');
    return is_path && !address.empty() ? std::optional(address) : std::nullopt;
}

NamedBySettings all_named_by(const std::vector<GitSetting>& settings) {
    NamedBySettings result;
    for (const GitSetting& one : settings) {
        if (one.key == "core.hookspath") result.hooks.push_back(one.value);
        if (one.key == "init.templatedir") result.templates.push_back(one.value);
        if (one.key == "core.worktree") result.trees.push_back(one.value);
        // Git takes the name of a remote that it does not know for a path.
        constexpr std::string_view addresses[] = {"remote.*.url", "remote.*.pushurl",
                                                  "branch.*.remote", "branch.*.pushremote",
                                                  "remote.pushdefault"};
        if (std::ranges::find(addresses, one.key) != std::end(addresses))
            if (auto path = path_of_address(one.value); path)
                result.remotes.push_back(*std::move(path));
        if (one.key == "extensions.objectformat") result.uses_sha256 = one.value == "sha256";
        if (one.key == "include.path" || one.key == "includeif.*.path")
            result.includes.push_back(one.value);
    }
    return result;
}

// Adds with absolute paths what these settings name.
void add_named(const NamedBySettings& own, const fs::path& settings, const fs::path& home,
               NamedBySettings& named) {
    const size_t directories =
        own.hooks.size() + own.templates.size() + own.trees.size() + own.remotes.size();
    if (directories > most_directories) {
        named.unreadable.push_back({settings, "it names too many directories"});
        return;
    }
    for (const std::string& one : own.hooks) named.hooks.push_back(expanded(one, home));
    for (const std::string& one : own.templates) named.templates.push_back(expanded(one, home));
    named.trees.insert(named.trees.end(), own.trees.begin(), own.trees.end());
    named.remotes.insert(named.remotes.end(), own.remotes.begin(), own.remotes.end());
    for (const std::string& one : own.includes) {
        const fs::path file = (settings.parent_path() / expanded(one, home)).lexically_normal();
        if (std::ranges::find(named.includes, file.native()) != named.includes.end()) continue;
        if (named.includes.size() >= most_files) {
            named.unreadable.push_back({settings, "it includes too many files"});
            return;
        }
        named.includes.push_back(file);
        const size_t known = named.unreadable.size();
        add_named_by_file(file, home, named);
        if (named.unreadable.size() > known && named.unreadable[known].path == file)
            named.unreadable[known].included_by = settings;
    }
}

}  // namespace

ParsedSettings parse_settings(std::string_view text) {
    std::vector<GitSetting> all;
    ParsedSettings result = read_settings(text, [&](const git_syntax::Setting& one) {
        all.push_back({usual_key(one.key), std::string(one.value.text, one.value.length)});
    });
    result.all = std::move(all);
    return result;
}

NamedBySettings named_by(std::string_view text) { return all_named_by(parse_settings(text).all); }

// Stricter than git: forms that nobody writes are not taken for harmless.
std::optional<std::string> risky_setting(std::string_view text) {
    std::optional<std::string> risk;
    const ParsedSettings whole = read_settings(text, [&](const git_syntax::Setting& one) {
        constexpr auto repository = git_harmless::Repository::OfACommand;
        if (!risk && git_harmless::judge(one, repository) != git_harmless::Verdict::Harmless)
            risk = usual_key(one.key);
    });
    if (!whole.is_whole || !whole.is_usual) return "settings in an unusual form";
    return risk;
}

void add_named_by_file(const fs::path& settings, const fs::path& home, NamedBySettings& named) {
    const auto text = small_file(settings);
    if (!text && !is_gone(text.error().code))
        named.unreadable.push_back({settings, Error{"", text.error().code, ""}.text()});
    const NamedBySettings own = named_by(text.value_or(""));
    add_named(own, settings, home, named);
    named.uses_sha256 = own.uses_sha256;  // git does not ask the files that are included
}

std::vector<fs::path> global_settings(const fs::path& home) {
    std::vector<fs::path> files = {"/etc/gitconfig", variable("GIT_CONFIG_SYSTEM"),
                                   variable("GIT_CONFIG_GLOBAL")};
    if (!home.empty()) files.push_back(home / ".gitconfig");
    const fs::path config = variable("XDG_CONFIG_HOME");
    if (!config.empty() || !home.empty())
        files.push_back((config.empty() ? home / ".config" : config) / "git" / "config");
    std::erase_if(files, [](const fs::path& path) { return !path.is_absolute(); });
    return files;
}

void add_named_globally(const fs::path& home, NamedBySettings& named) {
    for (const fs::path& file : global_settings(home)) add_named_by_file(file, home, named);
    add_named(all_named_by(settings_in_variables()), "/GIT_CONFIG_COUNT", home, named);
    if (const std::string one = variable("GIT_TEMPLATE_DIR"); !one.empty())
        named.templates.push_back(one);
}

}  // namespace husk::confine
