// The tools of the library: what each context and the configuration say counts, and what the object
// gives away lasts as long as the object.
#include <gmock/gmock.h>

#include <filesystem>
#include <future>
#include <tuple>

#include "library_calls.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LibraryToolsWithPaths : public LibraryTools {
protected:
    LibraryToolsWithPaths() {
        for (const char* name : {"in", "out"}) {
            fs::create_directory(work_ / name);
            write_text(work_ / name / "file", "text-of-" + std::string(name) + "\n");
        }
    }

    // Commands may open only what is in `in`.
    ToolContext limited() const {
        ToolContext context = here();
        context.mode = Mode::Workspace;
        context.allowed_paths = {work_ / "in"};
        return context;
    }
};

TEST_F(LibraryToolsWithPaths, KeepToTheAllowedPathsOfTheContext) {
    Tools tools(settings());
    const std::string both = command("cat in/file out/file; echo x > in/made; echo x > out/made");
    EXPECT_THAT(text_of(json_of(tools.call("bash", both, limited()))),
                AllOf(HasSubstr("text-of-in"), Not(HasSubstr("text-of-out"))));
    EXPECT_TRUE(fs::exists(work_ / "in/made"));
    EXPECT_FALSE(fs::exists(work_ / "out/made"));
    ToolContext unlimited = limited();
    unlimited.allowed_paths.reset();
    EXPECT_THAT(text_of(json_of(tools.call("bash", both, unlimited))), HasSubstr("text-of-out"))
        << "another context has its own walls";
    EXPECT_THAT(text_of(json_of(tools.call("bash", both, limited()))),
                Not(HasSubstr("text-of-out")));
}

TEST_F(LibraryToolsWithPaths, ACallCannotAddToTheAllowedPathsOfTheContext) {
    fs::create_directory_symlink("../out", work_ / "in/link");
    Tools tools(settings("docware"));
    for (const char* list : {".", "out", "in/link", "in"}) {
        const std::string asked =
            command("cat in/file; cat out/file",
                    {{"enable_shell_features", true},
                     {"allowed_paths", Json::array({(work_ / list).string()})}});
        const std::string answer = json_of(tools.call("Bash", asked, limited())).dump();
        EXPECT_THAT(answer, Not(HasSubstr("text-of-out"))) << list;
    }
    const std::string inside =
        command("cat file", {{"cwd", "out"}, {"allowed_paths", Json::array({"."})}});
    EXPECT_THAT(json_of(tools.call("Bash", inside, limited())).dump(),
                Not(HasSubstr("text-of-out")));
}

// This process runs elsewhere.
TEST_F(LibraryToolsWithPaths, CountFromTheWorkspaceIfTheyAreRelative) {
    const std::string both = command("cat in/file out/file; echo x > in/made; echo x > out/made");
    ToolContext context = here();
    context.mode = Mode::Workspace;
    context.protect = {"in"};
    Tools tools(settings());
    json_of(tools.call("bash", both, context));
    EXPECT_FALSE(fs::exists(work_ / "in/made"));
    EXPECT_TRUE(fs::exists(work_ / "out/made"));
    context.protect.clear();
    context.allowed_paths = {"in"};
    EXPECT_THAT(text_of(json_of(tools.call("bash", both, context))),
                AllOf(HasSubstr("text-of-in"), Not(HasSubstr("text-of-out"))));
    fs::remove(work_ / "in/made");
    Bash bash(husk_.settings());
    ToolContext direct = here();
    direct.mode = Mode::Workspace;
    direct.protect = {"in"};
    std::ignore = bash.run({.command = "echo x > in/made"}, direct);
    EXPECT_FALSE(fs::exists(work_ / "in/made"));
}

TEST_F(LibraryToolsWithPaths, ALinkLeadsNotOutOfTheConfiguredPaths) {
    fs::create_directory_symlink("../out", work_ / "in/link");
    configure("mode: workspace\ndocware: {allowed_paths: [in]}\n");
    Tools tools(settings("docware"));
    const auto said = [&](const char* list) {
        const std::string asked =
            command("cat file", {{"enable_shell_features", true},
                                 {"cwd", (work_ / list).string()},
                                 {"allowed_paths", Json::array({(work_ / list).string()})}});
        return json_of(tools.call("Bash", asked, here())).dump();
    };
    EXPECT_THAT(said("in"), HasSubstr("text-of-in"));
    EXPECT_THAT(said("in/link"), Not(HasSubstr("text-of-out")));
}

TEST_F(LibraryTools, ObeyAChangedConfiguration) {
    Tools tools(settings());
    const Text before = tools.list(here());
    EXPECT_FALSE(is_error(json_of(tools.call("bash", command("touch made"), here()))));
    ASSERT_TRUE(fs::remove(made()));

    configure("mode: open\npermissions: {deny: [\"Bash(touch:*)\"]}\n");
    EXPECT_TRUE(is_error(json_of(tools.call("bash", command("touch made"), here()))));
    EXPECT_FALSE(fs::exists(made()));

    configure("mode: read-only\n");
    EXPECT_NE(json_of(tools.list(here())), json_of(before));
    EXPECT_TRUE(is_error(json_of(tools.call("bash", command("touch made"), here()))));
    EXPECT_FALSE(fs::exists(made()));

    configure("mode: open\n");
    EXPECT_EQ(json_of(tools.list(here())), json_of(before));
    EXPECT_FALSE(is_error(json_of(tools.call("bash", command("touch made"), here()))));
}

// More other places than the object keeps idle tools for.
TEST_F(LibraryTools, FilesWithLongOutputStayWhileTheObjectLives) {
    std::string file;
    {
        Tools tools(settings("yoi"));
        file = between(text_of(json_of(tools.call("Bash", command("seq 200"), here()))), " at ",
                       "]\n");
        EXPECT_TRUE(fs::exists(file)) << file;
        for (int i = 0; i < 20; ++i) {
            const fs::path place = work_ / std::to_string(i);
            fs::create_directory(place);
            json_of(tools.list({.working_dir = place}));
        }
        EXPECT_TRUE(fs::exists(file)) << file;
    }
    EXPECT_FALSE(fs::exists(file)) << file;
}

TEST_F(LibraryTools, AnswerACallThatBeginsWhileTheObjectGoes) {
    std::promise<Text> late;
    std::promise<void> started;
    {
        Tools tools(settings());
        ToolContext context = here();
        context.on_start = [&](const std::string&) { started.set_value(); };
        tools.call("bash", command("sleep 300"), context, [&](const Text&) {
            tools.call("bash", command("sleep 300"), here(),
                       [&](Text result) { late.set_value(std::move(result)); });
        });
        started.get_future().wait();
    }
    auto answer = late.get_future();
    ASSERT_EQ(answer.wait_for(0s), std::future_status::ready);
    EXPECT_THAT(error_of(answer.get()), HasSubstr("cancelled"));
}

}  // namespace
}  // namespace husk::test
