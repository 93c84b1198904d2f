# Defines YamlCpp::YamlCpp. The CMake package of Debian's yaml-cpp knows only the shared library. The archive
# is preferred, because a program that loads fewer libraries starts faster; a shared library of ours cannot
# take in Debian's archive.

if(BUILD_SHARED_LIBS)
    find_library(YamlCpp_LIBRARY NAMES yaml-cpp)
else()
    find_library(YamlCpp_LIBRARY NAMES libyaml-cpp.a yaml-cpp)
endif()
find_path(YamlCpp_INCLUDE_DIR NAMES yaml-cpp/yaml.h)
mark_as_advanced(YamlCpp_LIBRARY YamlCpp_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(YamlCpp REQUIRED_VARS YamlCpp_LIBRARY YamlCpp_INCLUDE_DIR)

if(YamlCpp_FOUND AND NOT TARGET YamlCpp::YamlCpp)
    add_library(YamlCpp::YamlCpp UNKNOWN IMPORTED)
    set_target_properties(YamlCpp::YamlCpp PROPERTIES
        IMPORTED_LOCATION ${YamlCpp_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${YamlCpp_INCLUDE_DIR})
endif()
