# husk-proxy: a static program. It is linked here and becomes part of libhusk as an array of bytes. Its
# parts are also in libhusk, for the tests and for whoever wants to understand a list of hosts.

file(GLOB proxy_sources CONFIGURE_DEPENDS src/proxy/*.cc)
list(FILTER proxy_sources EXCLUDE REGEX "_test\\.cc$|/proxy\\.cc$")

add_executable(husk-proxy ${proxy_sources} src/os/socket.cc)
set_target_properties(husk-proxy PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_include_directories(husk-proxy PRIVATE src include)
target_link_libraries(husk-proxy PRIVATE husk_warnings)
target_compile_options(husk-proxy PRIVATE
    -O2 -fno-exceptions -fno-rtti -fstack-protector-strong -fno-pie -ffunction-sections -fdata-sections)
# No sanitizers: they do not go together with -static.
target_link_options(husk-proxy PRIVATE
    -static -no-pie -Wl,--gc-sections -Wl,-z,noexecstack -Wl,-z,relro,-z,now -Wl,--build-id=none -s)

set(HUSK_PROXY_IMAGE_SOURCE ${PROJECT_SOURCE_DIR}/src/proxy/proxy_image.S)
set(proxy_image ${CMAKE_CURRENT_BINARY_DIR}/husk-proxy)
set_source_files_properties(${HUSK_PROXY_IMAGE_SOURCE} PROPERTIES
    COMPILE_DEFINITIONS HUSK_PROXY_IMAGE="${proxy_image}"
    OBJECT_DEPENDS ${proxy_image})
