# What does not depend on Linux: the modules and sources that src/PORTABLE lists. They are compiled without the headers
# of Linux, for libhusk as well, so each is compiled once. husk_portable is a library of them alone, and husk-portable a
# program that has what `husk` can do without the engine. Their unit tests link nothing else.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/PORTABLE)

# The words behind `kind` in src/PORTABLE.
function(husk_portable kind result)
    file(STRINGS src/PORTABLE lines REGEX "^${kind} ")
    list(TRANSFORM lines REPLACE "^${kind} +" "")
    set(${result} ${lines} PARENT_SCOPE)
endfunction()

husk_portable(module HUSK_PORTABLE_MODULES)
husk_portable(source portable_files)
husk_portable(program portable_cli_files)
husk_portable(instead portable_replacements)

set(portable_sources ${portable_files})
list(TRANSFORM portable_sources PREPEND ${PROJECT_SOURCE_DIR}/src/)
foreach(module ${HUSK_PORTABLE_MODULES})
    file(GLOB sources CONFIGURE_DEPENDS src/${module}/*.cc)
    list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
    list(APPEND portable_sources ${sources})
endforeach()
set(portable_cli_sources ${portable_cli_files})
list(TRANSFORM portable_cli_sources PREPEND ${PROJECT_SOURCE_DIR}/src/)
list(TRANSFORM portable_replacements PREPEND ${PROJECT_SOURCE_DIR}/src/)

# Headers of the kernel, and those of the C library that other systems do not have. A file of the same name that comes
# first in the path says that it is refused. The C library includes some of them itself: cmake/portable_prelude.h has
# it do so before the source begins.
set(refused_headers "")
foreach(folder ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
    file(GLOB_RECURSE found RELATIVE ${folder}
        ${folder}/linux/*.h ${folder}/asm/*.h ${folder}/asm-generic/*.h ${folder}/drm/*.h ${folder}/misc/*.h
        ${folder}/mtd/*.h ${folder}/rdma/*.h ${folder}/scsi/*.h ${folder}/sound/*.h ${folder}/video/*.h ${folder}/xen/*.h
        ${folder}/netpacket/*.h ${folder}/sys/*.h)
    list(APPEND refused_headers ${found})
endforeach()
# Of sys/, those of POSIX, those that every UNIX has, and the C library's own.
list(FILTER refused_headers EXCLUDE REGEX
    "^sys/(ipc|mman|msg|resource|select|sem|shm|socket|stat|statvfs|time|times|types|uio|un|utsname|wait|\
errno|fcntl|file|ioctl|param|poll|signal|syslog|termios|cdefs|single_threaded|ttydefaults|ucontext|unistd)\\.h$")
list(APPEND refused_headers syscall.h seccomp.h elf.h link.h mntent.h pty.h malloc.h error.h argp.h libaio.h liburing.h)
list(REMOVE_DUPLICATES refused_headers)

set(HUSK_REFUSED_HEADERS_DIR ${CMAKE_CURRENT_BINARY_DIR}/refused_headers)
foreach(header ${refused_headers})
    file(CONFIGURE OUTPUT ${HUSK_REFUSED_HEADERS_DIR}/${header} @ONLY CONTENT
"#ifdef HUSK_C_LIBRARY_INCLUDES
#include_next <@header@>
#else
#error \"<@header@> is refused: src/PORTABLE lists this source as one that does not depend on Linux\"
#endif
")
endforeach()

set(HUSK_PORTABLE_FLAGS
    "-isystem ${HUSK_REFUSED_HEADERS_DIR} -include ${PROJECT_SOURCE_DIR}/cmake/portable_prelude.h")

function(husk_refuse_linux_headers target)
    target_compile_options(${target} PRIVATE "SHELL:${HUSK_PORTABLE_FLAGS}")
endfunction()

set(portable_libraries
    RE2::RE2 simdjson::simdjson YamlCpp::YamlCpp nlohmann_json::nlohmann_json husk_options)

add_library(husk_portable_objects OBJECT ${portable_sources})
set_target_properties(husk_portable_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
husk_batch_across_modules(husk_portable_objects)
husk_refuse_linux_headers(husk_portable_objects)
target_include_directories(husk_portable_objects PRIVATE src include)
target_link_libraries(husk_portable_objects PRIVATE ${portable_libraries})

add_library(husk_portable STATIC EXCLUDE_FROM_ALL
    $<TARGET_OBJECTS:husk_portable_objects> ${PROJECT_SOURCE_DIR}/src/run/no_bash.cc)
husk_refuse_linux_headers(husk_portable)
target_include_directories(husk_portable PUBLIC src include)
target_link_libraries(husk_portable PUBLIC ${portable_libraries})

# What the command line has in both programs.
add_library(husk_check OBJECT ${portable_cli_sources})
husk_batch_neighbours(husk_check)
add_library(husk_main OBJECT src/cli/main.cc)
foreach(part husk_check husk_main)
    husk_refuse_linux_headers(${part})
    target_compile_definitions(${part} PRIVATE HUSK_VERSION="${PROJECT_VERSION}")
    target_include_directories(${part} PRIVATE src include)
    target_link_libraries(${part} PRIVATE CLI11::CLI11 nlohmann_json::nlohmann_json husk_options)
endforeach()

add_executable(husk-portable src/cli/portable_subcommands.cc)
husk_refuse_linux_headers(husk-portable)
target_link_libraries(husk-portable PRIVATE husk_main husk_check husk_portable CLI11::CLI11)
set_target_properties(husk-portable PROPERTIES OUTPUT_NAME husk)
if(HUSK_ENGINE)
    set_target_properties(husk-portable PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/portable EXCLUDE_FROM_ALL ON)
else()
    install(TARGETS husk-portable)
endif()
