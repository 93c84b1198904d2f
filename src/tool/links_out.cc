#include "tool/links_out.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <memory>
#include <string>

#include "base/terminal_text.h"
#include "confine/reading.h"
#include "confine/seen_file.h"
#include "os/events.h"
#include "tool/denials.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_entries = 50'000;
constexpr auto most_time = std::chrono::milliseconds(200);
constexpr size_t most_listed = 20;

struct LinkOut {
    fs::path path;
    fs::path target;
};

struct Closing {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

class Search {
public:
    Search(const std::vector<fs::path>& roots, uint64_t since)
        : roots_(roots), since_(since), end_(os::Clock::now() + most_time) {}

    // False when not everything was seen.
    bool run(std::vector<LinkOut>& found) {
        std::deque<fs::path> waiting(roots_.begin(), roots_.end());
        bool complete = true;
        for (; !waiting.empty(); waiting.pop_front()) {
            complete = visit(waiting.front(), waiting, found) && complete;
            const bool is_over = entries_ > most_entries || os::Clock::now() > end_;
            if (is_over || found.size() > most_listed) return false;
        }
        return complete;
    }

private:
    // Entry by entry: a directory may hold more of them than there is time or memory for.
    bool visit(const fs::path& path, std::deque<fs::path>& waiting, std::vector<LinkOut>& found) {
        const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        const std::unique_ptr<DIR, Closing> directory(fd < 0 ? nullptr : ::fdopendir(fd));
        if (!directory) return confine::is_gone(errno) || errno == ELOOP;
        // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this thread's own
        while (const dirent* entry = ::readdir(directory.get())) {
            if (++entries_ > most_entries) return false;
            const std::string name = entry->d_name;
            if (name == "." || name == "..") continue;
            struct stat info{};
            const bool is_known = entry->d_type != DT_UNKNOWN;
            const bool matters = !is_known || entry->d_type == DT_DIR || entry->d_type == DT_LNK;
            if (!matters) continue;
            const bool needs_status = entry->d_type != DT_DIR;
            if (needs_status && ::fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
                continue;
            if (!needs_status || S_ISDIR(info.st_mode)) waiting.push_back(path / name);
            if (needs_status && S_ISLNK(info.st_mode) && is_new(info)) look_at(path / name, found);
        }
        return true;
    }

    bool is_new(const struct stat& info) const {
        // The kernel keeps times of files in steps of a few milliseconds.
        constexpr uint64_t step = 10'000'000;
        constexpr uint64_t second = 1'000'000'000;
        const uint64_t changed = static_cast<uint64_t>(info.st_ctim.tv_sec) * second +
                                 static_cast<uint64_t>(info.st_ctim.tv_nsec);
        return changed + step >= since_;
    }

    bool is_inside(const fs::path& path) const {
        return std::ranges::any_of(
            roots_, [&](const fs::path& root) { return confine::is_within(path, root); });
    }

    // By its text alone, and by where it leads through other links.
    void look_at(const fs::path& link, std::vector<LinkOut>& found) const {
        std::error_code failed;
        const fs::path target = fs::read_symlink(link, failed);
        const fs::path written = (link.parent_path() / target).lexically_normal();
        const bool leads_out = !is_inside(written) || !is_inside(confine::without_links(written));
        if (!failed && leads_out) found.push_back({link, target});
    }

    const std::vector<fs::path>& roots_;
    uint64_t since_;
    os::Clock::time_point end_;
    size_t entries_ = 0;
};

}  // namespace

void tell_links_out(Report& report, const std::vector<fs::path>& roots, uint64_t since) {
    if (std::erase(report.notes, links_note) == 0) return;
    std::vector<LinkOut> found;
    const bool is_complete = Search(roots, since).run(found);
    for (size_t i = 0; i < std::min(found.size(), most_listed); ++i)
        report.notes.push_back(text::one_line(found[i].path.string()) +
                               " is a link that leads out of the workspace, to " +
                               text::one_line(found[i].target.string()) +
                               "; programs outside follow it");
    if (!is_complete)
        report.notes.emplace_back(
            "symbolic links were made, and not all of the workspace was searched for those that "
            "lead out of it");
}

}  // namespace husk::tool
