#include "tool/trust.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/sha256.h"
#include "base/text.h"
#include "os/file.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

constexpr size_t digest_size = 64;
constexpr size_t largest = size_t{1} << 20;
constexpr const char* advice = "remove it, and trust again what you trust";

// The name itself, in a directory without links. If the name is a link, it is trusted under its own
// name: else a link that a command made would borrow the trust in the file that it leads to.
fs::path exact_name(const fs::path& file) {
    std::error_code failed;
    const fs::path absolute = fs::absolute(file, failed);
    const fs::path parent = fs::canonical(absolute.parent_path(), failed);
    return failed ? absolute.lexically_normal() : parent / absolute.filename();
}

// "DIGEST PATH", the path to the end of the line.
Result<std::vector<Trusted>> parse(const std::string& text, const fs::path& from) {
    std::vector<Trusted> all;
    for (const std::string_view line : text::split_lines(text)) {
        const std::string_view digest = line.substr(0, digest_size);
        const bool whole = line.size() > digest_size + 1 && line[digest_size] == ' ' &&
                           digest.find_first_not_of("0123456789abcdef") == digest.npos;
        if (!whole) return failure("trust", 0, from.string() + " is damaged; " + advice);
        all.push_back({std::string(digest), line.substr(digest_size + 1)});
    }
    return all;
}

// Who can write the list can open every cage.
Result<void> check_owner(const os::Fd& file, const fs::path& path) {
    struct stat info{};
    if (::fstat(file.get(), &info) != 0) return failure("fstat", errno, path.string());
    const bool private_file = S_ISREG(info.st_mode) && info.st_uid == ::geteuid() &&
                              (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    if (private_file) return {};
    return failure("trust", 0, path.string() + " could be written by others; " + advice);
}

Result<void> replace_list(const fs::path& state, const std::vector<Trusted>& all) {
    std::string text;
    for (const Trusted& one : all) text += one.digest + " " + one.file.string() + "\n";
    return os::replace_file(trust_list(state), text, 0600);
}

// Changes the list, one process after the other.
template <class Change>
Result<void> change_list(const fs::path& state, Change change) {
    std::error_code failed;
    fs::create_directories(state.parent_path(), failed);
    CHECK(os::make_directory(state));
    const os::Fd dir = TRY(os::open(state, O_RDONLY | O_DIRECTORY));
    if (::flock(dir.get(), LOCK_EX) != 0) return failure("flock", errno, state.string());
    std::vector<Trusted> all = TRY(list_trusted(state));
    change(all);
    return replace_list(state, all);
}

}  // namespace

fs::path trust_list(const fs::path& state) { return state / "trusted"; }

Result<std::vector<Trusted>> list_trusted(const fs::path& state) {
    const fs::path path = trust_list(state);
    const auto file = os::open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!file && file.error().code == ENOENT) return std::vector<Trusted>{};
    if (!file) return std::unexpected(file.error());
    CHECK(check_owner(*file, path));
    return parse(TRY(os::read_at(*file, 0, largest)), path);
}

bool is_trusted(const fs::path& state, const fs::path& file, std::string_view content) {
    const auto all = list_trusted(state);
    if (!all || all->empty()) return false;
    const fs::path exact = exact_name(file);
    const std::string digest = sha256(content);
    return std::ranges::any_of(
        *all, [&](const Trusted& one) { return one.file == exact && one.digest == digest; });
}

Result<void> trust(const fs::path& state, const fs::path& file, std::string_view content) {
    const fs::path exact = exact_name(file);
    if (exact.string().contains('\n'))
        return failure("trust", EINVAL, "the path has a newline in it");
    return change_list(state, [&](std::vector<Trusted>& all) {
        std::erase_if(all, [&](const Trusted& one) { return one.file == exact; });
        all.push_back({sha256(content), exact});
    });
}

Result<bool> revoke(const fs::path& state, const fs::path& file) {
    const fs::path exact = exact_name(file);
    size_t removed = 0;
    CHECK(change_list(state, [&](std::vector<Trusted>& all) {
        removed = std::erase_if(all, [&](const Trusted& one) { return one.file == exact; });
    }));
    return removed > 0;
}

}  // namespace husk::tool
