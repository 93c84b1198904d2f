# husk, libhusk and its headers, found by find_package(Husk) and by pkg-config.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Husk)
install(TARGETS husk)
install(TARGETS libhusk EXPORT HuskTargets FILE_SET HEADERS)
install(EXPORT HuskTargets NAMESPACE Husk:: DESTINATION ${package_dir})

configure_package_config_file(cmake/HuskConfig.cmake.in HuskConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(HuskConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/HuskConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/HuskConfigVersion.cmake
    cmake/FindRE2.cmake
    cmake/FindYamlCpp.cmake
    DESTINATION ${package_dir})

# Whoever links the archive links what it needs; the shared library brings that with it.
set(pc_private "")
if(BUILD_SHARED_LIBS)
    set(pc_private .private)
endif()
file(RELATIVE_PATH pc_to_prefix /usr/${CMAKE_INSTALL_LIBDIR}/pkgconfig /usr)
configure_file(cmake/husk.pc.in husk.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/husk.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Units for systemctl --user.
set(HUSK_SERVICE_PROGRAM ${CMAKE_INSTALL_FULL_BINDIR}/husk)
configure_file(packaging/systemd/husk.service.in systemd/husk.service @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/systemd/husk.service packaging/systemd/husk.socket
    DESTINATION lib/systemd/user)
install(FILES docs/http.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
