#include "decide/variables.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "decide/names.h"

namespace husk::decide {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view names_that_decide =
    // of the shell
    "PATH BASH_ENV ENV SHELLOPTS BASHOPTS PS4 IFS PROMPT_COMMAND SHELL HOME CDPATH XDG_CONFIG_HOME "
    // programs that others start
    "PAGER MANPAGER LESSOPEN LESSCLOSE EDITOR VISUAL BROWSER SSH_ASKPASS CC CXX LD RUSTC "
    "RUSTC_WRAPPER MAKEFLAGS "
    // code that interpreters load
    "PYTHONPATH PYTHONHOME PYTHONSTARTUP PERL5LIB PERL5OPT RUBYLIB RUBYOPT NODE_OPTIONS NODE_PATH "
    "CLASSPATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS GCONV_PATH "
    // of git
    "GIT_DIR GIT_WORK_TREE GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS "
    "GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND";

constexpr std::array prefixes_that_decide = {"LD_"sv, "DYLD_"sv, "GIT_CONFIG"sv, "BASH_FUNC_"sv};

bool decides(std::string_view name) {
    return is_one_of(name, names_that_decide) ||
           std::ranges::any_of(prefixes_that_decide,
                               [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

bool decides_what_runs(const parse::Assignment& assignment) { return decides(assignment.name); }

bool sets_what_runs(const parse::Command& command) {
    if (std::ranges::any_of(command.assignments, decides_what_runs)) return true;
    if (!is_one_of(command.program(), "export declare typeset local readonly env")) return false;
    return std::ranges::any_of(command.words, [](const parse::Word& word) {
        const std::string text = word.known_start();
        const size_t equals = text.find('=');
        return equals != std::string::npos && decides(std::string_view(text).substr(0, equals));
    });
}

void set_before_all(parse::Script& script, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (!decides(name)) continue;
        for (parse::Command& command : script.commands) {
            parse::Assignment set;
            set.name = name;
            command.assignments.push_back(std::move(set));
        }
    }
}

}  // namespace husk::decide
