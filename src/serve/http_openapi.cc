#include "serve/http_v1.h"

extern "C" {
// Of http_openapi.S.
extern const char husk_openapi_begin[];
extern const char husk_openapi_end[];
}

namespace husk::serve::http {

std::string_view openapi_document() { return {husk_openapi_begin, husk_openapi_end}; }

}  // namespace husk::serve::http
