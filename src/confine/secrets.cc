#include "confine/secrets.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "confine/located.h"
#include "confine/secret_names.h"
#include "os/file.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;
using namespace secret_names;

std::string_view value_of(const char* variable) {
    const char* const value = ::getenv(variable);  // NOLINT(concurrency-mt-unsafe): only read
    return value != nullptr ? value : "";
}

// The rest of a secret's name below a directory of the home; nothing if it lies elsewhere.
std::optional<std::string_view> rest_below(std::string_view secret, std::string_view directory) {
    if (directory.empty()) return secret;
    if (secret == directory) return "";
    if (!secret.starts_with(directory) || secret[directory.size()] != '/') return std::nullopt;
    return secret.substr(directory.size() + 1);
}

// Where the value of a variable leads: without slashes at its end, "." and "..". A ".." behind a
// link leads elsewhere than its text says, so both places count. Nothing for a relative path.
std::vector<fs::path> places_in(std::string_view value) {
    if (!value.starts_with('/')) return {};
    fs::path plain = fs::path(value).lexically_normal();
    if (!plain.has_filename() && plain.has_relative_path()) plain = plain.parent_path();
    std::vector<fs::path> places = {plain};
    if (value.contains(".."))
        if (const auto found = locate(value); found && found->path != plain)
            places.push_back(found->path);
    return places;
}

void add_moved(const Moved& moved, std::vector<fs::path>& all) {
    for (const fs::path& place : places_in(value_of(moved.variable)))
        for (const char* secret : in_home)
            if (const auto rest = rest_below(secret, moved.usual);
                rest && (moved.only.empty() || moved.only == secret))
                all.push_back(rest->empty() ? place : place / *rest);
}

struct User {
    std::string uid;
    fs::path home;
    std::string shell;
};

std::string passwd_of_system() { return os::read_file("/etc/passwd", 64 << 20).value_or(""); }

// Those with an absolute home in the text of an /etc/passwd.
std::vector<User> users_in(std::string_view passwd) {
    std::vector<User> found;
    std::istringstream users{std::string(passwd)};
    for (std::string line; std::getline(users, line);) {
        std::istringstream text(line);
        std::array<std::string, 7> fields;
        for (std::string& field : fields) std::getline(text, field, ':');
        if (fields[5].starts_with("/")) found.push_back({fields[2], fields[5], fields[6]});
    }
    return found;
}

bool is_a_person(const User& user) {
    constexpr unsigned long first_uid = 1000;
    const std::string_view shell = user.shell;  // an empty one is /bin/sh
    if (shell.ends_with("nologin") || shell.ends_with("/false")) return false;
    return user.uid == "0" || std::strtoul(user.uid.c_str(), nullptr, 10) >= first_uid;
}

std::vector<fs::path> below_home() {
    std::vector<fs::path> homes;
    std::error_code failed;
    for (fs::directory_iterator entry("/home", failed);
         !failed && entry != fs::directory_iterator(); entry.increment(failed))
        homes.push_back(entry->path());
    return homes;
}

bool exists_in(const os::Fd& home, const std::string& name) {
    struct stat info{};
    return ::fstatat(home.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

// Programs live in the home of some users of the system: only one with a secret in it counts. Most
// of these homes hold not even the first part of a name, which many names share.
bool holds_a_secret(const fs::path& home) {
    const auto opened = os::open(home, O_PATH | O_DIRECTORY);
    if (!opened) return false;
    std::map<std::string, bool> first_parts;
    return std::ranges::any_of(in_home, [&](const std::string& name) {
        const auto [first, is_new] = first_parts.try_emplace(name.substr(0, name.find('/')));
        if (is_new) first->second = exists_in(*opened, first->first);
        return first->second && exists_in(*opened, name);
    });
}

std::set<fs::path> all_homes() {
    const std::vector<fs::path> usual = below_home();
    std::set<fs::path> homes(usual.begin(), usual.end());
    homes.insert("/root");
    for (const User& user : users_in(passwd_of_system()))
        if (!homes.contains(user.home) && holds_a_secret(user.home)) homes.insert(user.home);
    return homes;
}

std::set<fs::path> homes_of(uid_t user) {
    std::set<fs::path> homes;
    for (const User& one : users_in(passwd_of_system()))
        if (one.uid == std::to_string(user)) homes.insert(one.home);
    struct stat info{};
    for (const fs::path& home : below_home())
        if (::stat(home.c_str(), &info) == 0 && info.st_uid == user) homes.insert(home);
    homes.erase("/");
    return homes;
}

std::vector<fs::path> secrets_of(const std::set<fs::path>& homes) {
    std::vector<fs::path> all;
    for (const fs::path& home : homes) std::ranges::move(secrets_in(home), std::back_inserter(all));
    return all;
}

}  // namespace

std::span<const char* const> secrets_of_home() { return in_home; }

std::vector<fs::path> secrets_in(const fs::path& home) {
    std::vector<fs::path> all;
    for (const char* secret : in_home) all.push_back(home / secret);
    std::error_code failed;
    for (fs::directory_iterator entry(home, failed); !failed && entry != fs::directory_iterator();
         entry.increment(failed)) {
        const std::string name = entry->path().filename();
        if (std::ranges::any_of(starts_in_home,
                                [&](auto start) { return name.starts_with(start); }))
            all.push_back(entry->path());
    }
    return all;
}

std::vector<fs::path> homes_of_people(std::string_view passwd) {
    std::vector<fs::path> homes;
    for (User& user : users_in(passwd))
        if (is_a_person(user) && user.home != "/") homes.push_back(std::move(user.home));
    return homes;
}

std::vector<fs::path> homes_of_people() {
    std::vector<fs::path> homes = homes_of_people(passwd_of_system());
    for (fs::path& home : homes)
        if (const auto found = locate(home); found) home = found->path;
    return homes;
}

std::vector<fs::path> secrets_named_by_variables() {
    std::vector<fs::path> all;
    for (const Moved& moved : moved_directories) add_moved(moved, all);
    for (const char* variable : named_files) {
        std::istringstream files{std::string(value_of(variable))};
        for (std::string file; std::getline(files, file, ':');)
            std::ranges::move(places_in(file), std::back_inserter(all));
    }
    return all;
}

std::vector<fs::path> secrets_of_user(uid_t user) { return secrets_of(homes_of(user)); }

std::vector<fs::path> secrets_of_system() {
    std::vector<fs::path> all = secrets_of(all_homes());
    all.insert(all.end(), in_system.begin(), in_system.end());
    return all;
}

}  // namespace husk::confine
