# Defines RE2::RE2. Debian's RE2 has no CMake package. The archive is preferred, because a program that
# loads fewer libraries starts faster; a shared library of ours cannot take in Debian's archive.

if(BUILD_SHARED_LIBS)
    find_library(RE2_LIBRARY NAMES re2)
else()
    find_library(RE2_LIBRARY NAMES libre2.a re2)
endif()
find_path(RE2_INCLUDE_DIR NAMES re2/re2.h)
mark_as_advanced(RE2_LIBRARY RE2_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RE2 REQUIRED_VARS RE2_LIBRARY RE2_INCLUDE_DIR)

if(RE2_FOUND AND NOT TARGET RE2::RE2)
    find_package(Threads REQUIRED)
    add_library(RE2::RE2 UNKNOWN IMPORTED)
    set_target_properties(RE2::RE2 PROPERTIES
        IMPORTED_LOCATION ${RE2_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${RE2_INCLUDE_DIR}
        INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
