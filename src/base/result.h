// A value, or the call that failed and on what. Errors are made where they happen, passed up
// by TRY, and told once, at the top.
#pragma once

#include <husk/report.h>

#include <expected>
#include <string>
#include <utility>

namespace husk {

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> failure(std::string step, int code, std::string detail) {
    return std::unexpected(Error{std::move(step), code, std::move(detail)});
}

}  // namespace husk

// The value of a Result, or return its error. Not after another element of an initializer list, and
// not in the arguments of `new`: returning from there leaks what exists by then (a test looks).
#define TRY(expression)                                                           \
    __extension__({                                                               \
        auto husk_result = (expression);                                          \
        if (!husk_result) return std::unexpected(std::move(husk_result).error()); \
        *std::move(husk_result);                                                  \
    })

// The same where there is no value.
#define CHECK(expression)                                           \
    do {                                                            \
        if (auto husk_result = (expression); !husk_result)          \
            return std::unexpected(std::move(husk_result).error()); \
    } while (false)
