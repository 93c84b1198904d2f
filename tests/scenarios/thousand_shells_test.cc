// A thousand shells at once: what they cost, and that all of them can be seen and stopped.
#include <map>
#include <set>
#include <thread>

#include "harness.h"

namespace husk::test {
namespace {

constexpr size_t shell_count = 1000;

using Ids = std::set<std::string>;

// A share for each of a few threads: 1000 calls one after another take their time.
void for_each_at_once(const Ids& ids, const std::function<void(const std::string&)>& work) {
    const std::vector<std::string> all(ids.begin(), ids.end());
    constexpr size_t thread_count = 8;
    std::vector<std::jthread> threads;
    for (size_t first = 0; first < thread_count; ++first)
        threads.emplace_back([&, first] {
            for (size_t i = first; i < all.size(); i += thread_count) work(all[i]);
        });
}

// In KiB; what a process shares with others counts in parts. That of a keeper only root can see:
// of what cannot be seen all that is resident counts, which is more.
uint64_t memory_of(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    for (const auto& [file, name] :
         {std::pair{"/smaps_rollup", "Pss:"}, std::pair{"/status", "VmRSS:"}})
        for (const std::string& line : lines_of(read_text(folder + file)))
            if (line.starts_with(name)) return std::stoull(line.substr(std::string(name).size()));
    return 0;
}

// A process and all that descend from it.
std::vector<pid_t> tree_of(pid_t root) {
    std::multimap<pid_t, pid_t> children;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        const pid_t pid = std::stoi(name);
        children.emplace(parent_of(pid), pid);
    }
    std::vector<pid_t> tree = {root};
    for (size_t i = 0; i < tree.size(); ++i) {
        const auto [first, last] = children.equal_range(tree[i]);
        for (auto child = first; child != last; ++child) tree.push_back(child->second);
    }
    return tree;
}

class AloneThousandShells : public testing::Test {
public:
    AloneThousandShells() : settings(husk.settings()) {
        settings.early_end = 0ms;
        Bash bash(settings);
        const ToolContext context{.session = "many"};
        for (size_t i = 0; i < shell_count; ++i) {
            const Report report =
                bash.run({.command = "exec sleep " + mark.word(), .background = true}, context);
            if (!report.ended()) started.insert(report.shell_id);
        }
    }

    const Husk husk;
    const Mark mark;
    husk::Settings settings;
    Ids started;
};

TEST_F(AloneThousandShells, AreListedCostLittleAndEndWhenAsked) {
    ASSERT_EQ(started.size(), shell_count);
    ASSERT_TRUE(eventually([&] { return mark.bearers().size() == shell_count; }));
    const Shells shells(settings);

    Ids from_library;
    for (const Report& shell : listed(shells))
        if (!shell.ended()) from_library.insert(shell.shell_id);
    EXPECT_EQ(from_library, started);

    const Ran ran = husk({"shells", "--json"});
    const auto printed = ran.json();
    Ids from_program;
    for (const auto& shell : printed["shells"])
        if (shell["status"] == "running") from_program.insert(shell["shell_id"]);
    EXPECT_EQ(from_program, started);
    EXPECT_LT(ran.took, patient(10s));

    // The nursery, its keepers, their commands. A keeper gives memory back when it has been idle.
    uint64_t each = 0;
    EXPECT_TRUE(eventually([&] {
        uint64_t all = 0;
        for (const pid_t pid : tree_of(nursery_of(husk, "many"))) all += memory_of(pid);
        each = all / shell_count;
        return each > 0 && each < 1024;
    })) << each
        << " KiB for each";
    RecordProperty("KiB_for_each", std::to_string(each));

    for_each_at_once(started, [&](const std::string& id) {
        const auto killed = shells.kill(id, {}, 0);
        ASSERT_TRUE(std::holds_alternative<Report>(killed)) << id;
        EXPECT_TRUE(std::get<Report>(killed).ended()) << id;
    });
    EXPECT_TRUE(mark.bearers().empty());
    for (const Report& shell : listed(shells)) EXPECT_TRUE(shell.ended()) << shell.shell_id;
}

}  // namespace
}  // namespace husk::test
