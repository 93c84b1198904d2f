// Everyday work behaves behind the walls as it does bare: see README.md.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "differences.h"
#include "place.h"

namespace husk::everyday {
namespace {

namespace fs = std::filesystem;

const fs::path folder = HUSK_SOURCE_DIR "/tests/everyday";

// `./dev test everyday` runs all cases and installs what they need.
bool all_are_wanted() {
    const char* wanted = std::getenv("HUSK_EVERYDAY");
    return wanted != nullptr && std::string(wanted) == "all";
}

bool is_installed(const std::string& package) {
    const fs::path lists = "/var/lib/dpkg/info";
    return fs::exists(lists / (package + ".list")) ||
           fs::exists(lists / (package + ":amd64.list")) ||
           fs::exists(lists / (package + ":arm64.list"));
}

// The first thing that the case needs and this machine does not have.
std::string missing_for(const Case& one) {
    for (const std::string& package : one.needs)
        if (!is_installed(package)) return "the package " + package;
    for (const std::string& package : one.npm)
        if (!fs::exists(tools_folder() / "node_modules" / package / "package.json"))
            return "the npm package " + package;
    return "";
}

// One line for each case, for the summary of `./dev test everyday`.
void note(const Case& one, User user, const std::string& result, const nlohmann::json& more) {
    const char* path = std::getenv("HUSK_EVERYDAY_RESULTS");
    if (path == nullptr) return;
    nlohmann::json line = {
        {"case", one.name}, {"user", user == User::Root ? "root" : "user"}, {"result", result}};
    line.update(more);
    const std::string text =
        line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    const int fd = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    EXPECT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(fd);
}

std::string joined(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
}

// The script tries this, is refused, and goes on without it.
bool is_expected(const std::string& denial, const Case& one) {
    return std::ranges::any_of(one.refused, [&](const std::string& text) {
        return denial.find(text) != std::string::npos;
    });
}

struct Attempt {
    Case one;
    User user;
};
void PrintTo(const Attempt& attempt, std::ostream* out) { *out << attempt.one.name; }

class Everyday : public testing::TestWithParam<Attempt> {
protected:
    const Case& one() const { return GetParam().one; }
    User user() const { return GetParam().user; }

    void compare(Place& place, const Outcome& bare) const;
    void expect_same(const Outcome& bare, const Outcome& walled, const std::string& found) const;
    void expect_as_listed(Place& place, const Difference& listed, const Outcome& bare,
                          const Outcome& walled, const std::string& found) const;
};

void Everyday::expect_same(const Outcome& bare, const Outcome& walled,
                           const std::string& found) const {
    EXPECT_EQ(found, "") << "differences.txt does not list this difference.\nreported: "
                         << joined(walled.denials) << joined(walled.notes)
                         << "\nerrors, bare: " << bare.errors
                         << "\nerrors, walled: " << walled.errors;
    if (!found.empty() || walled.status != 0) return;
    std::vector<std::string> wrong = walled.denials;
    std::erase_if(wrong, [&](const std::string& denial) { return is_expected(denial, one()); });
    EXPECT_EQ(joined(wrong), "") << "a denial is reported, but nothing failed";
}

void Everyday::expect_as_listed(Place& place, const Difference& listed, const Outcome& bare,
                                const Outcome& walled, const std::string& found) const {
    EXPECT_NE(found, "") << "differences.txt lists a difference that no longer exists: remove it";
    const std::string reported = joined(walled.denials) + joined(walled.notes);
    EXPECT_NE(reported.find(listed.report), std::string::npos)
        << "the difference is not reported. Reported: " << reported;
    if (listed.settings.empty()) return;
    const Outcome allowed = place.run_walled(listed.settings);
    EXPECT_EQ(difference(bare, allowed, one().output), "")
        << "the listed settings do not help. Reported: " << joined(allowed.denials)
        << joined(allowed.notes) << "\nerrors: " << allowed.errors;
}

void Everyday::compare(Place& place, const Outcome& bare) const {
    const Outcome walled = place.run_walled({});
    ASSERT_EQ(place.failure(), "");
    const std::string found = difference(bare, walled, one().output);
    const auto differences = read_differences(folder / "differences.txt");
    const auto known = listed(differences, one(), user());
    if (known)
        expect_as_listed(place, *known, bare, walled, found);
    else
        expect_same(bare, walled, found);
    note(one(), user(),
         found.empty() ? "same"
         : known       ? "differs as listed"
                       : "differs",
         {{"difference", found},
          {"denials", walled.denials},
          {"notes", walled.notes},
          {"status", bare.status},
          {"output", bare.output},
          {"errors bare", bare.errors},
          {"errors", walled.errors}});
}

TEST_P(Everyday, IsAsBare) {
    if (user() == User::Root && ::geteuid() != 0)
        GTEST_SKIP() << "only root can try what root does";
    if (::geteuid() != 0 && one().run.find("/tmp/") != std::string::npos)
        GTEST_SKIP() << "the case names a file in /tmp, and only root gives it a /tmp of its own";
    if (!all_are_wanted() && !one().is_fast())
        GTEST_SKIP() << "slow, or needs more tools: run ./dev test everyday";
    ASSERT_EQ(missing_for(one()), "") << "is missing";
    Place place(one(), user());
    ASSERT_EQ(place.failure(), "");
    const Outcome bare = place.run_bare();
    ASSERT_EQ(place.failure(), "");
    ASSERT_EQ(bare.status != 0, one().fails)
        << "bare, the case proves nothing: " << bare.errors << bare.output;
    compare(place, bare);
}

std::vector<Attempt> cases_of(User user) {
    std::vector<Attempt> all;
    for (const Case& one : read_cases(folder))
        if (one.is_for(user)) all.push_back({one, user});
    return all;
}

std::string name_of(const testing::TestParamInfo<Attempt>& info) { return info.param.one.name; }

INSTANTIATE_TEST_SUITE_P(AsRoot, Everyday, testing::ValuesIn(cases_of(User::Root)), name_of);
INSTANTIATE_TEST_SUITE_P(AsUser, Everyday, testing::ValuesIn(cases_of(User::Ordinary)), name_of);

TEST(EverydayCases, AreAtLeastTwoHundred) { EXPECT_GE(read_cases(folder).size(), 200U); }

TEST(EverydayDifferences, HaveAtMostTenCauses) {
    std::set<std::string> causes;
    for (const Difference& one : read_differences(folder / "differences.txt"))
        causes.insert(one.cause);
    EXPECT_LE(causes.size(), 10U);
}

TEST(EverydayDifferences, BelongToCases) {
    const std::vector<Case> cases = read_cases(folder);
    for (const Difference& one : read_differences(folder / "differences.txt"))
        EXPECT_TRUE(std::ranges::any_of(cases, [&](const Case& c) { return c.name == one.name; }))
            << one.name;
}

}  // namespace
}  // namespace husk::everyday
