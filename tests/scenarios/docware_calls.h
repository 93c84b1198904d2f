// Calls of the contract `docware`, as root and as an ordinary user.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "contract/docware_cases.h"
#include "harness.h"

namespace husk::test::docware_calls {

using contract::Json;

class Docware : public testing::TestWithParam<Who> {
protected:
    Docware() : husk_(GetParam()) {
        for (const std::filesystem::path& dir : {work_, bin_, home_, locked_}) {
            std::filesystem::create_directory(dir);
            own(dir);
        }
        std::filesystem::permissions(locked_, std::filesystem::perms::none);
    }
    ~Docware() override {
        std::filesystem::permissions(locked_, std::filesystem::perms::owner_all);
    }

    void own(const std::filesystem::path& path) const {
        const bool given = GetParam() == Who::OrdinaryUser && ::geteuid() == 0;
        EXPECT_EQ(given ? ::lchown(path.c_str(), ordinary_uid, ordinary_uid) : 0, 0);
    }

    // The whole result. A stand-in of a dangerous program is first in PATH.
    Json call(const Json& arguments, const std::vector<std::string>& options = {}) const {
        std::vector<std::string> words =
            husk_.argv({"call", "--contract", "docware", "--cwd", work_.string()});
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"Bash", "-"});
        const auto program = std::find(words.begin(), words.end(), HUSK_BINARY);
        const std::string path =
            bin_.string() + ":" + locked_.string() + ":/usr/local/bin:/usr/bin:/bin";
        words.insert(program, {"PATH=" + path, "CALLERS_SECRET=hidden", "HOME=" + home_.string()});
        const Ran ran = run_program(words, arguments.dump());
        EXPECT_EQ(ran.code, 0) << ran.err;
        Json result = Json::parse(ran.out, nullptr, false);
        if (!result.contains("structuredContent")) {
            ADD_FAILURE() << ran.out << ran.err;
            return {{"structuredContent", Json::object()}};
        }
        const Json& output = result["structuredContent"];
        EXPECT_EQ(contract::mismatch(output, contract::docware_output_schema()), "");
        EXPECT_EQ(Json::parse(result["content"][0]["text"].get<std::string>()), output);
        EXPECT_EQ(result["isError"], !output["success"].get<bool>());
        return result;
    }
    Json output(const Json& arguments, const std::vector<std::string>& options = {}) const {
        return call(arguments, options)["structuredContent"];
    }
    Json shell(const std::string& command, Json more = Json::object(),
               const std::vector<std::string>& options = {}) const {
        more["command"] = command;
        more["enable_shell_features"] = true;
        return output(more, options);
    }
    std::string error_type(const Json& arguments) const {
        return output(arguments).value("/error/type"_json_pointer, "");
    }

    Husk husk_;
    std::filesystem::path work_ = husk_.dir() / "work";
    std::filesystem::path bin_ = husk_.dir() / "bin";
    std::filesystem::path locked_ = husk_.dir() / "locked";  // may not be searched
    std::filesystem::path home_ = husk_.dir() / "home";
};

}  // namespace husk::test::docware_calls
