#include "walled.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace husk::test {

namespace fs = std::filesystem;

Walled::Walled(Who who) : who_(who), husk_(who) {
    write(work_ / "file", "of the workspace\n");
    write(home_ / ".gitconfig", "[user]\n\tname = Somebody\n\temail = s@example.org\n");
    write(home_ / ".ssh" / "id", "the secret\n");
    write(outside_ / "file", "of somebody else\n");
}

uid_t Walled::uid() const {
    return who_ == Who::OrdinaryUser && ::geteuid() == 0 ? ordinary_uid : ::geteuid();
}

void Walled::write(const fs::path& path, const std::string& text) const {
    fs::create_directories(path.parent_path());
    write_text(path, text);
    const fs::path below = path.lexically_relative(husk_.dir());
    ASSERT_TRUE(!below.empty() && *below.begin() != "..") << path;
    for (fs::path one = path; one != husk_.dir(); one = one.parent_path())
        EXPECT_EQ(::lchown(one.c_str(), uid(), uid()), 0) << one;
}

Ran Walled::in(const std::string& mode, const std::string& command,
               std::vector<std::string> options, const std::string& cwd) const {
    std::vector<std::string> words = husk_.argv(
        {"run", "--mode", mode, "--checks", "off", "--cwd", cwd.empty() ? work_.string() : cwd});
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", command});
    const auto program = std::ranges::find(words, HUSK_BINARY);
    words.insert(program, "HOME=" + home_.string());
    return run_program(words);
}

nlohmann::json Walled::report_in(const std::string& mode, const std::string& command,
                                 std::vector<std::string> options) const {
    options.emplace_back("--json");
    return in(mode, command, std::move(options)).json();
}

Ran Walled::pretending(const std::string& missing, const std::string& mode,
                       const std::string& command, const std::vector<std::string>& options) const {
    ::setenv("HUSK_PRETEND", missing.c_str(), 1);
    Ran ran = in(mode, command, options);
    ::unsetenv("HUSK_PRETEND");
    return ran;
}

}  // namespace husk::test
