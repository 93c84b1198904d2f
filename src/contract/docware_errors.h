// The seventeen kinds of errors of the contract `docware`, and what is said about each.
#pragma once

#include <husk/report.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "request/schema.h"

namespace husk::contract {

enum class BashErrorType : uint8_t {
    SecurityValidationFailed,
    CommandNotAllowed,
    PermissionDenied,
    SandboxCreationFailed,
    CommandNotFound,
    ExecutionTimeout,
    ResourceLimitExceeded,
    ProcessTerminated,
    WorkingDirectoryInvalid,
    EnvironmentSetupFailed,
    PathNotAccessible,
    InsufficientResources,
    SystemError,
    IoError,
    NetworkError,
    InvalidConfiguration,
    MissingDependencies,
};
inline constexpr size_t bash_error_types = 17;

std::string_view word(BashErrorType type);  // "command_not_found"

struct BashError {
    BashErrorType type;
    std::string message;
    schema::Json details = schema::Json::object();  // also what the user's message is made of
};

// With recovery_suggestions, recoverable, securityRelated, securityLevel and userMessage.
schema::Json error_json(const BashError& error);

// What it means that a command was not started.
BashErrorType type_of(const Error& cause);

}  // namespace husk::contract
