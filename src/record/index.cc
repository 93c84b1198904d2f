#include "record/index.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "os/file.h"
#include "record/index_inside.h"
#include "run/state_dir.h"

namespace husk::audit {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_of_index = "index.sqlite";

void remove_index(const fs::path& file) {
    std::error_code ignored;
    for (const char* end : {"", "-wal", "-shm"}) fs::remove(file.string() + end, ignored);
}

ino_t inode_of(const fs::path& file) {
    struct stat info{};
    return ::stat(file.c_str(), &info) == 0 ? info.st_ino : 0;
}

uint64_t size_of(const os::Fd& dir, uint64_t number) {
    struct stat info{};
    if (::fstatat(dir.get(), file_name(number).c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return 0;
    return static_cast<uint64_t>(info.st_size);
}

struct Known {
    uint64_t offset = 0;
    std::string first;
};

Result<std::map<uint64_t, Known>> known_files(Database& database) {
    std::map<uint64_t, Known> known;
    Statement statement = TRY(database.prepare("SELECT file, offset, first FROM files"));
    while (TRY(statement.step()))
        known[static_cast<uint64_t>(statement.whole(0))] = {
            static_cast<uint64_t>(statement.whole(1)), statement.text(2)};
    return known;
}

bool is_up_to_date(const os::Fd& dir, const std::vector<uint64_t>& numbers,
                   const std::map<uint64_t, Known>& known) {
    return numbers.size() == known.size() && std::ranges::all_of(numbers, [&](uint64_t number) {
               const auto found = known.find(number);
               return found != known.end() && found->second.offset == size_of(dir, number);
           });
}

// The journal is the truth: where the index knows other files than there are, it knows nothing.
Result<bool> is_of_another_journal(const os::Fd& dir, const std::vector<uint64_t>& numbers,
                                   const std::map<uint64_t, Known>& known) {
    for (const auto& [number, file] : known) {
        if (std::ranges::find(numbers, number) == numbers.end()) {
            if (!numbers.empty() && number < numbers.front()) continue;  // removed as it should be
            return true;
        }
        if (size_of(dir, number) < file.offset || TRY(first_line(dir, number)) != file.first)
            return true;
    }
    return false;
}

Result<void> forget_files_before(Database& database, uint64_t first) {
    const Value bound = static_cast<int64_t>(first);
    std::vector<Statement> remove;
    for (const char* sql :
         {"DELETE FROM words WHERE rowid IN (SELECT number FROM calls WHERE file < ?1)",
          "DELETE FROM calls WHERE file < ?1", "DELETE FROM files WHERE file < ?1"})
        remove.push_back(TRY(database.prepare(sql)));
    for (Statement& one : remove) CHECK(one.run({bound}));
    return {};
}

Result<void> read_file(Database& database, RowWriter& writer, const os::Fd& dir, uint64_t number,
                       uint64_t offset) {
    Result<void> added;
    const uint64_t end = TRY(read_lines(dir, number, offset, [&](const JournalLine& line) {
        if (added && !line.digest.empty()) added = writer.add(number, line.text);
    }));
    CHECK(added);
    Statement note = TRY(
        database.prepare("INSERT OR REPLACE INTO files(file, offset, first) VALUES(?1, ?2, ?3)"));
    const std::string first = TRY(first_line(dir, number));
    return note.run({static_cast<int64_t>(number), static_cast<int64_t>(end), first});
}

}  // namespace

Index::Index(fs::path state, AskLater later)
    : state_(state.empty() ? run::default_state_path() : std::move(state)),
      later_(std::move(later)) {}

Index::~Index() = default;

Result<void> Index::open() {
    const fs::path file = state_ / folder / file_of_index;
    const auto try_file = [](const fs::path& path) -> Result<Database> {
        Database database = TRY(Database::open(path));
        Transaction all = TRY(Transaction::begin(database));
        if (TRY(database.number("PRAGMA user_version")) != shape)
            CHECK(make_tables(database));  // fails where there are tables of another shape
        CHECK(all.commit());
        return database;
    };
    auto database = try_file(file);
    if (!database && is_damage(database.error())) {
        remove_index(file);
        database = try_file(file);
    }
    const bool has_file = database.has_value();
    // Where nothing may be written it is made for this time alone.
    if (!database) database = try_file("");
    if (!database) return std::unexpected(database.error());
    inside_ = std::make_unique<Inside>(
        Inside{.database = *std::move(database), .file = has_file ? inode_of(file) : 0});
    return {};
}

Result<void> Index::read_journal() {
    Database& database = inside_->database;
    const os::Fd dir = TRY(open_folder(state_));
    const auto numbers = TRY(file_numbers(dir));
    const auto before = TRY(known_files(database));
    const bool is_another = TRY(is_of_another_journal(dir, numbers, before));
    if (!is_another && is_up_to_date(dir, numbers, before)) return {};
    Transaction all = TRY(Transaction::begin(database));
    auto known = TRY(known_files(database));  // somebody may have been faster
    if (TRY(is_of_another_journal(dir, numbers, known))) {
        CHECK(database.run("DELETE FROM words; DELETE FROM calls; DELETE FROM files"));
        known.clear();
    }
    if (!numbers.empty()) CHECK(forget_files_before(database, numbers.front()));
    RowWriter writer = TRY(RowWriter::prepare(database));
    for (const uint64_t number : numbers) {
        const uint64_t offset = known[number].offset;
        if (offset != size_of(dir, number)) CHECK(read_file(database, writer, dir, number, offset));
    }
    return all.commit();
}

Result<bool> Index::ask_later() {
    Database& database = inside_->database;
    std::vector<std::string> open;
    Statement find = TRY(database.prepare(
        "SELECT shell_id FROM calls WHERE (status = 'running' OR provisional = 1) AND shell_id IS "
        "NOT NULL"));
    while (TRY(find.step())) open.push_back(find.text(0));
    if (open.empty() || !later_) return false;
    Journal journal(state_);
    bool has_news = false;
    std::vector<std::string> unrecorded;
    std::vector<std::string> unknown;
    for (const std::string& id : open) {
        const Later later = later_(id);
        if (later.kind == Later::Kind::Unknown) unknown.push_back(id);
        if (later.kind == Later::Kind::JustEnded) unrecorded.push_back(later.record);
        if (later.kind != Later::Kind::Ended) continue;
        if (journal.append(later.record))
            has_news = true;
        else
            unrecorded.push_back(later.record);
    }
    if (unknown.empty() && unrecorded.empty()) return has_news;
    Transaction all = TRY(Transaction::begin(database));
    Statement mark = TRY(
        database.prepare("UPDATE calls SET status = 'unknown', json = json_set(json, '$.status', "
                         "'unknown') WHERE id = ?1 AND status = 'running'"));
    // How it ended is known, and the spool has nothing more to say.
    Statement keep = TRY(database.prepare("UPDATE calls SET provisional = 0 WHERE id = ?1"));
    for (const std::string& id : unknown) {
        CHECK(mark.run({id}));
        CHECK(keep.run({id}));
    }
    RowWriter writer = TRY(RowWriter::prepare(database));
    for (const std::string& record : unrecorded) CHECK(writer.add_provisional(record));
    CHECK(all.commit());
    return has_news;
}

// With the guard. An index that is damaged, or that somebody has deleted, is made again.
Result<void> Index::refresh() {
    const auto bring_up_to_date = [this]() -> Result<void> {
        const fs::path file = state_ / folder / file_of_index;
        const bool is_lost = inside_ && inode_of(file) != inside_->file;
        if (is_lost) inside_.reset();
        if (!inside_) CHECK(open());
        CHECK(read_journal());
        if (TRY(ask_later())) return read_journal();
        return {};
    };
    auto done = bring_up_to_date();
    if (done || !is_damage(done.error())) return done;
    inside_.reset();
    remove_index(state_ / folder / file_of_index);
    return bring_up_to_date();
}

}  // namespace husk::audit
