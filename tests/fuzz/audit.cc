// The files of the audit, as verify and the index read them. A line of "--" begins the next file.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "record/index_rows.h"
#include "record/journal.h"
#include "record/json_line.h"
#include "record/verify.h"
#include "target.h"
#include "temp_dir.h"

namespace husk::fuzz {
namespace of_audit {
namespace {

constexpr std::string_view next_file = "\n--\n";

std::vector<std::string> files_in(std::string_view bytes) {
    std::vector<std::string> files;
    for (size_t end = 0; end != bytes.npos && files.size() < 3;) {
        end = bytes.find(next_file);
        files.emplace_back(bytes.substr(0, end == bytes.npos ? end : end + 1));
        if (end != bytes.npos) bytes.remove_prefix(end + next_file.size());
    }
    return files;
}

// A state directory of this process, with these files and no others.
const std::filesystem::path& state_with(const std::vector<std::string>& files) {
    static const test::TempDir place;
    const auto folder = place.path() / husk::audit::folder;
    std::filesystem::create_directory(folder);
    for (uint64_t number = 1; number <= 3; ++number) {
        const auto path = folder / husk::audit::file_name(number);
        if (number > files.size()) {
            ::unlink(path.c_str());
            continue;
        }
        const std::string& text = files[number - 1];
        const os::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        demand(::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()),
               "a file can be written");
    }
    return place.path();
}

uint64_t count_lines(const std::vector<std::string>& files) {
    uint64_t lines = 0;
    for (const std::string& file : files)
        lines += static_cast<uint64_t>(std::ranges::count(file, '\n'));
    return lines;
}

// A digest vouches for all that stands before it in its line.
void check_that_a_change_shows(std::vector<std::string> files, size_t at) {
    std::string& file = files.back();
    const size_t newline = file.rfind('\n');
    if (newline == file.npos || newline == 0) return;
    const size_t changed = at % newline;
    if (file[changed] == '\n') return;
    file[changed] = static_cast<char>(file[changed] == 'x' ? 'y' : 'x');
    const auto proof = husk::audit::verify(state_with(files));
    demand(!proof || proof->broken_total > 0 || proof->torn > 0, "a changed byte is noticed");
}

void check_index(const std::vector<std::string>& files) {
    static auto database = [] {
        auto made = husk::audit::Database::open("");
        demand(made && husk::audit::make_tables(*made), "there is a database in memory");
        return *std::move(made);
    }();
    static auto rows = husk::audit::RowWriter::prepare(database).value();
    const auto transaction = husk::audit::Transaction::begin(database);  // which is never committed
    for (size_t i = 0; i < files.size(); ++i) {
        std::string_view text = files[i];
        for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
            (void)rows.add(i + 1, text.substr(0, end));
            text.remove_prefix(end + 1);
        }
    }
}

void check_writing(std::string_view bytes) {
    husk::audit::JsonLine line;
    const std::string words[] = {std::string(bytes.substr(0, bytes.size() / 2))};
    line.text("command", bytes).texts("programs", words).word("mode", bytes);
    const std::string text = line.done();
    demand(text.find('\n') == text.npos, "a record is one line");
    const auto json = nlohmann::json::parse(text, nullptr, false);
    demand(json.is_object(), "a record is JSON");
    if (!bytes.empty() && !line.has_cut("command"))
        demand(json["command"] == text::to_utf8(bytes),
               "a record holds the text that it was given");
    const auto inert = nlohmann::json::parse(husk::audit::inert(text), nullptr, false);
    demand(inert == json, "inert JSON means the same");
}

}  // namespace
}  // namespace of_audit

void audit(std::string_view bytes) {
    using namespace of_audit;
    check_writing(bytes);
    const std::vector<std::string> files = files_in(bytes);
    const auto& state = state_with(files);
    const auto proof = husk::audit::verify(state);
    demand(proof.has_value(), "files that can be read are verified");
    demand(proof->files == files.size(), "every file is looked at");
    demand(proof->records + proof->torn <= count_lines(files), "a record is a line");
    demand((proof->broken_total > 0) == !proof->broken.empty(), "what is broken is told");
    (void)husk::audit::removed_so_far(state);
    check_index(files);
    const bool sound = proof->broken_total == 0 && proof->torn == 0 && proof->records > 0;
    if (sound && files.back().ends_with('\n'))
        check_that_a_change_shows(files, std::hash<std::string_view>()(bytes));
}

}  // namespace husk::fuzz
