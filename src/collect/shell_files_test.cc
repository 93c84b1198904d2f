#include "collect/shell_files.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "os/procfs.h"

namespace husk::collect {
namespace {

// A shell whose record is this page, and whose session is nowhere.
ShellFiles files_with(const record::Record& page) {
    ShellFiles files;
    files.id = "k3f9-2";
    files.record = os::Fd(::memfd_create("record", MFD_CLOEXEC));
    files.log_path = "/nonexistent/log/2.log";
    EXPECT_EQ(::pwrite(files.record.get(), &page, sizeof page, 0), ssize_t{sizeof page});
    return files;
}

record::Record prepared() {
    record::Record page{};
    page.magic = record::magic;
    page.version = record::version;
    page.state = record::State::Prepared;
    std::strcpy(page.shell_id, "k3f9-2");
    os::boot_id().copy(page.boot_id, sizeof page.boot_id - 1);
    return page;
}

TEST(ShellFiles, ATextThatFillsItsFieldEndsThere) {
    record::Record page = prepared();
    // Without a NUL from the ids to the end of the record.
    std::memset(page.boot_id, 'x', sizeof page - offsetof(record::Record, boot_id));
    ShellFiles files = files_with(page);
    files.id = std::string(sizeof page.shell_id, 'x');
    const auto seen = look(files);
    ASSERT_TRUE(seen) << seen.error().text();
    EXPECT_TRUE(std::holds_alternative<Lost>(seen->ending));
}

TEST(ShellFiles, ARecordFromAnImpossibleTimeIsNotBeingStarted) {
    record::Record page = prepared();
    for (const uint64_t created : {uint64_t{1} << 63, ~uint64_t{0}, uint64_t{0}}) {
        page.created = created;
        const auto seen = look(files_with(page));
        ASSERT_TRUE(seen) << seen.error().text();
        EXPECT_TRUE(std::holds_alternative<Lost>(seen->ending)) << created;
    }
}

}  // namespace
}  // namespace husk::collect
