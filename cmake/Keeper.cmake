# husk-keeper: a freestanding static program. It is linked here and becomes part of libhusk as an array of bytes.

file(GLOB keeper_sources CONFIGURE_DEPENDS src/keeper/*.cc)
list(FILTER keeper_sources EXCLUDE REGEX "_test\\.cc$")

add_executable(husk-keeper ${keeper_sources})
set_target_properties(husk-keeper PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_include_directories(husk-keeper PRIVATE src)
target_link_libraries(husk-keeper PRIVATE husk_warnings)
target_compile_options(husk-keeper PRIVATE
    -O2 -ffreestanding -fno-exceptions -fno-rtti -fno-stack-protector -fno-asynchronous-unwind-tables
    -fno-threadsafe-statics -fno-pie -ffunction-sections -fdata-sections -U_FORTIFY_SOURCE)
# Keepers race against fork bombs, so they are compiled for speed. The mason of a session waits for the kernel most of
# the time, and every caller copies it into memory.
foreach(source allowed_sockets binding caller_path connecting connects datagrams foresight forwarding git_config gitlink
        group_bit home_copy inside_sockets mason mounts network process_files resolver sentry socket_owner sockets sweep
        tracing waiting_thread walk walls witness)
    set_property(SOURCE src/keeper/${source}.cc APPEND PROPERTY COMPILE_OPTIONS -Os)
endforeach()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    target_compile_options(husk-keeper PRIVATE -fcf-protection=none)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    # Out-of-line atomics are functions of libgcc, which is not linked.
    target_compile_options(husk-keeper PRIVATE -mno-outline-atomics)
else()
    message(FATAL_ERROR "The keeper has no system calls for ${CMAKE_SYSTEM_PROCESSOR} yet")
endif()
target_link_options(husk-keeper PRIVATE
    -nostdlib -static -no-pie -Wl,--gc-sections -Wl,-z,noexecstack -Wl,-z,noseparate-code -Wl,--build-id=none -Wl,--strip-debug)

# The image has no symbols: each caller copies it into memory, which counts against the user's limit for the size of a file.
set(HUSK_KEEPER_IMAGE_SOURCE ${PROJECT_SOURCE_DIR}/src/run/keeper_image.S)
set(keeper_image ${CMAKE_CURRENT_BINARY_DIR}/husk-keeper.image)
add_custom_command(
    OUTPUT ${keeper_image}
    COMMAND ${CMAKE_STRIP} --strip-all -o ${keeper_image} $<TARGET_FILE:husk-keeper>
    DEPENDS husk-keeper
    VERBATIM)
set_source_files_properties(${HUSK_KEEPER_IMAGE_SOURCE} PROPERTIES
    COMPILE_DEFINITIONS HUSK_KEEPER_IMAGE="${keeper_image}"
    OBJECT_DEPENDS ${keeper_image})
