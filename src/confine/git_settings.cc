#include "confine/git_settings.h"

#include <pwd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "confine/git_index.h"
#include "confine/seen_file.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// What `git init`, `clone`, `worktree add`, `sparse-checkout` and `branch` write, and what is set
// every day. In lower case, between spaces; "*" is any name in quotes.
constexpr std::string_view harmless =
    " advice.detachedhead branch.*.description branch.*.merge branch.*.rebase"
    " branch.*.remote color.ui commit.gpgsign core.abbrev core.autocrlf core.bare core.eol"
    " core.filemode core.ignorecase core.logallrefupdates core.precomposeunicode"
    " core.preloadindex core.quotepath core.repositoryformatversion core.safecrlf"
    " core.sharedrepository core.sparsecheckout core.sparsecheckoutcone core.symlinks"
    " core.untrackedcache core.whitespace core.worktree extensions.objectformat"
    " extensions.worktreeconfig fetch.prune fetch.recursesubmodules gc.auto index.sparse"
    " index.version init.defaultbranch lfs.repositoryformatversion merge.conflictstyle"
    " merge.ff pull.ff pull.rebase push.autosetupremote push.default remote.*.fetch"
    " remote.*.prune remote.*.push remote.*.pushurl remote.*.tagopt remote.*.url"
    " submodule.*.active submodule.*.url submodule.active tag.gpgsign user.email user.name ";

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_key(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Reads a file letter by letter, as git does.
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    ParsedSettings run() {
        result_.is_usual = text_.find_first_of(std::string_view("\\\r\0", 3)) == text_.npos;
        if (text_.starts_with("\xef\xbb\xbf")) {
            result_.is_usual = false;
            at_ = 3;
        }
        result_.is_whole = text_.find('\0') == text_.npos;
        while (result_.is_whole && !at_end()) result_.is_whole = read_one();
        return std::move(result_);
    }

private:
    bool at_end() const { return at_ >= text_.size(); }
    // The end of the file is a newline, and so is "\r\n".
    char peek() const {
        if (at_end()) return '\n';
        const bool is_pair = text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
        return is_pair ? '\n' : text_[at_];
    }
    char next() {
        const char c = peek();
        at_ += !at_end() && text_[at_] == '\r' && c == '\n' ? 2U : 1U;
        return c;
    }

    bool read_one() {
        const char c = next();
        if (c == '\n') is_behind_section_ = false;
        if (is_space(c)) return true;
        if (c == '#' || c == ';') {
            skip_line();
            return true;
        }
        if (c == '[') return read_section();
        if (!is_letter(c)) return false;
        if (is_behind_section_) result_.is_usual = false;
        return read_setting(c);
    }

    // "[core]" is "core.", `[remote "origin"]` is "remote.*.".
    bool read_section() {
        section_.clear();
        is_behind_section_ = true;
        for (;;) {
            const char c = next();
            if (c == ']') break;
            if (c == ' ' || c == '\t') return read_subsection();
            if (!is_key(c) && c != '.') return false;
            section_ += lower(c);
        }
        section_ += '.';
        return true;
    }

    bool read_subsection() {
        while (peek() == ' ' || peek() == '\t') next();
        if (next() != '"') return false;
        for (;;) {
            char c = next();
            if (c == '"') break;
            if (c == '\\') c = next();
            if (c == '\n') return false;
            if (c == '[' || c == ']') result_.is_usual = false;
        }
        section_ += ".*.";
        return next() == ']';
    }

    bool read_setting(char first) {
        GitSetting setting{.key = section_ + lower(first), .value = {}};
        while (is_key(peek())) setting.key += lower(next());
        while (peek() == ' ' || peek() == '\t') next();
        const char c = next();
        if (c == '\n') is_behind_section_ = false;
        if (c != '\n' && (c != '=' || !read_value(setting.value))) return false;
        result_.all.push_back(std::move(setting));
        return true;
    }

    void skip_line() {
        while (peek() != '\n') next();
    }

    // What a letter behind a backslash stands for; nothing where git takes none.
    static std::optional<char> unescaped(char letter) {
        constexpr std::string_view written = "tbn\\\"";
        const size_t which = written.find(letter);
        if (which == written.npos) return std::nullopt;
        return "\t\b\n\\\""[which];
    }

    bool read_value(std::string& value) {
        bool is_quoted = false;
        size_t without_spaces = 0;
        for (;;) {
            char c = next();
            if (c == '\n') break;
            if (!is_quoted && (c == '#' || c == ';')) {
                skip_line();
                continue;
            }
            if (!is_quoted && is_space(c)) {
                if (!value.empty()) value += c;
                continue;
            }
            if (c == '"') {
                is_quoted = !is_quoted;
                without_spaces = value.size();
                continue;
            }
            if (c == '\\') {
                c = next();
                if (c == '\n') continue;
                const auto meant = unescaped(c);
                if (!meant) return false;
                c = *meant;
            }
            value += c;
            without_spaces = value.size();
        }
        is_behind_section_ = false;
        value.resize(std::min(value.size(), without_spaces));
        return !is_quoted;
    }

    std::string_view text_;
    size_t at_ = 0;
    std::string section_;
    bool is_behind_section_ = false;  // in the same line
    ParsedSettings result_;
};

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

NamedBySettings all_named_by(const std::vector<GitSetting>& settings) {
    NamedBySettings result;
    for (const GitSetting& one : settings) {
        if (one.key == "core.hookspath") result.hooks.push_back(one.value);
        if (one.key == "init.templatedir") result.templates.push_back(one.value);
        if (one.key == "core.worktree") result.trees.push_back(one.value);
        if (one.key == "extensions.objectformat") result.uses_sha256 = one.value == "sha256";
        if (one.key == "include.path" || one.key == "includeif.*.path")
            result.includes.push_back(one.value);
    }
    return result;
}

// Adds with absolute paths what these settings name.
void add_named(const NamedBySettings& own, const fs::path& settings, const fs::path& home,
               NamedBySettings& named) {
    if (own.hooks.size() + own.templates.size() + own.trees.size() > most_directories) {
        named.unreadable.push_back({settings, "it names too many directories"});
        return;
    }
    for (const std::string& one : own.hooks) named.hooks.push_back(expanded(one, home));
    for (const std::string& one : own.templates) named.templates.push_back(expanded(one, home));
    named.trees.insert(named.trees.end(), own.trees.begin(), own.trees.end());
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

ParsedSettings parse_settings(std::string_view text) { return Parser(text).run(); }

NamedBySettings named_by(std::string_view text) { return all_named_by(parse_settings(text).all); }

// Stricter than git: forms that nobody writes are not taken for harmless.
std::optional<std::string> risky_setting(std::string_view text) {
    const ParsedSettings settings = parse_settings(text);
    if (!settings.is_whole || !settings.is_usual) return "settings in an unusual form";
    for (const GitSetting& one : settings.all)
        if (!harmless.contains(" " + one.key + " ")) return one.key;
    return std::nullopt;
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
