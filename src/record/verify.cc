#include "record/verify.h"

#include "record/journal.h"
#include "request/schema.h"

namespace husk::audit {
namespace {

class Verifier {
public:
    void begin_file(uint64_t number) {
        if (proof_.files > 0 && number != file_ + 1)
            complain("the file before it, " + file_name(number - 1) + ", is missing", number, 1);
        is_gap_ = proof_.files > 0 && number != file_ + 1;
        if (proof_.files == 0) first_ = number;
        file_ = number;
        line_ = 0;
        ++proof_.files;
    }

    void see(const JournalLine& line) {
        ++line_;
        if (line.digest.empty()) {
            ++proof_.torn;
            return;
        }
        if (line_ == 1) check_header(line);
        if (digest_of(previous_, line.record) != line.digest)
            complain("it was changed, or what stood before it was", file_, line_);
        // What follows is judged by what is there: one change is told once.
        previous_ = line.digest;
        if (line_ > 1) ++proof_.records;
    }

    Proof done() {
        if (first_ > proof_.removed.files + 1)
            complain("files before it are missing that the audit has not removed", first_, 1);
        proof_.last = previous_;
        return std::move(proof_);
    }

private:
    void check_header(const JournalLine& line) {
        const auto header = schema::Json::parse(line.text, nullptr, false);
        if (schema::member(header, "what") != "journal" || !header.contains("previous"))
            return complain("it is not the first line of a file of the audit", file_, line_);
        proof_.removed = removed_in(line.text);
        const auto& previous = header["previous"];
        const std::string said = previous.is_string() ? previous.get<std::string>() : "";
        if (proof_.files == 1) {
            proof_.from_the_start = said.empty();
        } else if (!is_gap_ && said != previous_) {
            complain("it does not go on where the file before it ends", file_, line_);
        }
        previous_ = said;
    }

    void complain(const std::string& what, uint64_t file, uint64_t line) {
        constexpr size_t most = 100;
        ++proof_.broken_total;
        if (proof_.broken.size() < most)
            proof_.broken.push_back(file_name(file) + ":" + std::to_string(line) + ": " + what);
    }

    Proof proof_;
    uint64_t file_ = 0;
    uint64_t line_ = 0;
    uint64_t first_ = 0;  // the number of the oldest file
    bool is_gap_ = false;
    std::string previous_;
};

}  // namespace

Result<Proof> verify(const std::filesystem::path& state) {
    const os::Fd dir = TRY(open_folder(state));
    Verifier verifier;
    for (const uint64_t number : TRY(file_numbers(dir))) {
        verifier.begin_file(number);
        CHECK(read_lines(dir, number, 0, [&](const JournalLine& line) { verifier.see(line); }));
    }
    return verifier.done();
}

}  // namespace husk::audit
