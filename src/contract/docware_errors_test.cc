#include "contract/docware_errors.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "contract/docware_cases.h"

namespace husk::contract::docware_errors_test {
namespace {

using enum BashErrorType;
using schema::Json;

TEST(Docware, Errors_AreSeventeen) {
    struct Row {
        BashErrorType type;
        const char* word;
        const char* level;
        const char* user_message;
    };
    const Row rows[] = {
        {SecurityValidationFailed, "security_validation_failed", "HIGH", "the message"},
        {CommandNotAllowed, "command_not_allowed", "HIGH",
         "Command 'ls' is not allowed by security policy"},
        {PermissionDenied, "permission_denied", "MEDIUM", "Permission denied: Cannot execute 'ls'"},
        {SandboxCreationFailed, "sandbox_creation_failed", "LOW", "the message"},
        {CommandNotFound, "command_not_found", "NONE", "Command not found: 'ls'"},
        {ExecutionTimeout, "execution_timeout", "NONE", "Command execution timed out after 1000ms"},
        {ResourceLimitExceeded, "resource_limit_exceeded", "NONE",
         "Resource limit exceeded: memory (12 > 10)"},
        {ProcessTerminated, "process_terminated", "NONE", "the message"},
        {WorkingDirectoryInvalid, "working_directory_invalid", "NONE", "the message"},
        {EnvironmentSetupFailed, "environment_setup_failed", "NONE", "the message"},
        {PathNotAccessible, "path_not_accessible", "NONE", "the message"},
        {InsufficientResources, "insufficient_resources", "NONE", "the message"},
        {SystemError, "system_error", "NONE", "the message"},
        {IoError, "io_error", "NONE", "the message"},
        {NetworkError, "network_error", "NONE", "the message"},
        {InvalidConfiguration, "invalid_configuration", "NONE", "the message"},
        {MissingDependencies, "missing_dependencies", "NONE", "the message"},
    };
    static_assert(std::size(rows) == bash_error_types);
    for (const Row& row : rows) {
        const Json json = error_json({row.type,
                                      "the message",
                                      {{"command", "ls"},
                                       {"timeout", 1000},
                                       {"resource", "memory"},
                                       {"current", 12},
                                       {"limit", 10}}});
        EXPECT_EQ(json["type"], row.word);
        EXPECT_EQ(json["message"], "the message");
        EXPECT_EQ(json["securityLevel"], row.level) << row.word;
        EXPECT_EQ(json["securityRelated"], std::string_view(row.level) != "NONE") << row.word;
        EXPECT_EQ(json["userMessage"], row.user_message) << row.word;
        EXPECT_TRUE(json["recoverable"].is_boolean()) << row.word;
        EXPECT_FALSE(json["recovery_suggestions"].empty()) << row.word;
    }
}

TEST(Docware, Errors_TellWhyACommandWasNotStarted) {
    struct Row {
        Error cause;
        BashErrorType type;
    };
    const Row rows[] = {
        {{"program", ENOENT, "x"}, CommandNotFound},
        {{"program", EACCES, "x"}, PermissionDenied},
        {{"execute", ENOENT, ""}, CommandNotFound},
        {{"execute", EPERM, ""}, PermissionDenied},
        {{"execute", ENOEXEC, ""}, SystemError},
        {{"bash", ENOENT, "not found in PATH"}, MissingDependencies},
        {{"working directory", ENOENT, "/x"}, WorkingDirectoryInvalid},
        {{"working directory", ENOTDIR, "/x"}, WorkingDirectoryInvalid},
        {{"working directory", EACCES, "/x"}, PathNotAccessible},
        {{"enter the working directory", ENOENT, ""}, WorkingDirectoryInvalid},
        {{"plan", E2BIG, ""}, EnvironmentSetupFailed},
        {{"command", 0, "it contains a NUL byte"}, EnvironmentSetupFailed},
        {{"mode", 0, "the closed modes need Landlock"}, SandboxCreationFailed},
        {{"workspace", 0, "/ would give everything away"}, SandboxCreationFailed},
        {{"walls: mount", EPERM, ""}, SandboxCreationFailed},
        {{"set the limits", EINVAL, ""}, SandboxCreationFailed},
        {{"network", 0, "no host"}, NetworkError},
        {{"connect", ENETUNREACH, ""}, NetworkError},
        {{"fork", EAGAIN, ""}, InsufficientResources},
        {{"openat", ENOSPC, ""}, InsufficientResources},
        {{"start", 0, "no keeper took the command"}, InsufficientResources},
        {{"read", EIO, ""}, IoError},
        {{"mkdir", EROFS, ""}, IoError},
        {{"mkdir", EACCES, ""}, PathNotAccessible},
        {{"session", 0, "other walls"}, SystemError},
    };
    for (const Row& row : rows)
        EXPECT_EQ(word(type_of(row.cause)), word(row.type)) << row.cause.text();
}

TEST(Docware, Errors_AMissingDirectoryHasAdviceThatFits) {
    const NotStarted removed{{"enter the working directory", ENOENT,
                              "/w; name another one with `working_directory` (--cwd)"}};
    const Json json = *docware_answer_to(R"({"command": "ls"})", {.ending = removed}).structured;
    EXPECT_EQ(json["error"]["message"],
              "enter the working directory: No such file or directory: /w; name another one with "
              "`cwd`");
}

}  // namespace
}  // namespace husk::contract::docware_errors_test
