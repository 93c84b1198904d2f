# husk-warden: a static program. It is linked here and becomes part of libhusk as an array of bytes, which Husk puts
# into containers.

add_executable(husk-warden
    src/place/warden.cc src/place/warden_mounts.cc src/place/warden_processes.cc)
set_target_properties(husk-warden PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_include_directories(husk-warden PRIVATE src)
target_link_libraries(husk-warden PRIVATE husk_warnings)
target_compile_options(husk-warden PRIVATE
    -O2 -fno-exceptions -fno-rtti -fstack-protector-strong -fno-pie -ffunction-sections -fdata-sections)
# No sanitizers: they do not go together with -static.
target_link_options(husk-warden PRIVATE
    -static -no-pie -Wl,--gc-sections -Wl,-z,noexecstack -Wl,-z,relro,-z,now -Wl,--build-id=none -Wl,-e,husk_warden_entry -s)

set(HUSK_WARDEN_IMAGE_SOURCE ${PROJECT_SOURCE_DIR}/src/place/warden_image.S)
set(warden_image ${CMAKE_CURRENT_BINARY_DIR}/husk-warden)
set_source_files_properties(${HUSK_WARDEN_IMAGE_SOURCE} PROPERTIES
    COMPILE_DEFINITIONS HUSK_WARDEN_IMAGE="${warden_image}"
    OBJECT_DEPENDS ${warden_image})
