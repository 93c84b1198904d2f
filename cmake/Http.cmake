# husk_http: the server of `husk serve`. It is apart from libhusk, so that whoever embeds the library needs neither
# Boost nor OpenSSL. OpenSSL is linked statically: a program that is started for every command shall not load it.

find_package(Boost 1.81 REQUIRED)
if(NOT BUILD_SHARED_LIBS)
    set(OPENSSL_USE_STATIC_LIBS TRUE)
endif()
find_package(OpenSSL REQUIRED)

# The console: the files that cmake/Web.cmake makes. Without them, / says what this is.
include(Web)
set(console_bytes "    .section .rodata\n")
set(console_names "")
set(console_rows "")
set(number 0)
foreach(file ${HUSK_CONSOLE_FILES})
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${HUSK_CONSOLE_DIR} OUTPUT_VARIABLE name)
    string(APPEND console_bytes
        "    .globl husk_console_${number}\n    .hidden husk_console_${number}\nhusk_console_${number}:\n"
        "    .incbin \"${file}\"\n    .globl husk_console_${number}_end\n    .hidden husk_console_${number}_end\n"
        "husk_console_${number}_end:\n")
    string(APPEND console_names
        "extern const char husk_console_${number}[];\nextern const char husk_console_${number}_end[];\n")
    string(APPEND console_rows "    {\"/${name}\", {husk_console_${number}, husk_console_${number}_end}},\n")
    math(EXPR number "${number} + 1")
endforeach()
string(APPEND console_bytes "    .section .note.GNU-stack, \"\", %progbits\n")
set(console_dir ${CMAKE_CURRENT_BINARY_DIR}/console)
file(CONFIGURE OUTPUT ${console_dir}/console.S CONTENT "@console_bytes@" @ONLY)
file(CONFIGURE OUTPUT ${console_dir}/console.cc @ONLY CONTENT
"// Written by cmake/Http.cmake.
#include \"serve/http_assets_table.h\"

#include <vector>

extern \"C\" {
@console_names@}

namespace husk::serve::http {

std::span<const Asset> embedded_assets() {
    static const std::vector<Asset> all = {
@console_rows@    };
    return all;
}

}  // namespace husk::serve::http
")
set_source_files_properties(${console_dir}/console.S PROPERTIES OBJECT_DEPENDS "${HUSK_CONSOLE_FILES}")

set(openapi ${PROJECT_SOURCE_DIR}/src/serve/openapi.json)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/serve/http_openapi.S PROPERTIES
    COMPILE_DEFINITIONS HUSK_OPENAPI="${openapi}" OBJECT_DEPENDS ${openapi})

file(GLOB http_sources CONFIGURE_DEPENDS src/serve/http_*.cc)
list(FILTER http_sources EXCLUDE REGEX "_test\\.cc$")
add_library(husk_http OBJECT
    ${http_sources} src/serve/http_openapi.S ${console_dir}/console.cc ${console_dir}/console.S ${HUSK_CONSOLE_FILES})
husk_batch_neighbours(husk_http)
target_compile_definitions(husk_http PRIVATE
    HUSK_VERSION="${PROJECT_VERSION}" BOOST_ASIO_NO_DEPRECATED BOOST_ERROR_CODE_HEADER_ONLY)
target_include_directories(husk_http PRIVATE src)
target_link_libraries(husk_http PUBLIC
    libhusk husk_audit Boost::headers OpenSSL::SSL OpenSSL::Crypto nlohmann_json::nlohmann_json husk_options)
