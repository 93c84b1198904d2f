# The fuzz targets of the lowest readers run with the address and undefined behaviour sanitizers in every test run. The
# other targets need all of the library, which takes minutes to compile: ./dev fuzz and ./dev test --preset asan run those.

set(sanitized_readers parse git_index proxy dns question wire terminal_text)
list(TRANSFORM sanitized_readers PREPEND tests/fuzz/ OUTPUT_VARIABLE reader_targets)
list(TRANSFORM reader_targets APPEND .cc)
file(GLOB reader_sources CONFIGURE_DEPENDS src/base/*.cc src/parse/*.cc)
list(FILTER reader_sources EXCLUDE REGEX "_test\\.cc$")

add_executable(sanitized_fuzz ${reader_targets} ${reader_sources}
    tests/fuzz/target.cc tests/fuzz/driver/mutate.cc
    src/proxy/address.cc src/proxy/allow_list.cc src/proxy/body.cc src/proxy/denials.cc src/proxy/dns.cc src/proxy/head.cc
    src/proxy/target.cc
    src/confine/git_index.cc src/confine/git_settings.cc src/confine/seen_file.cc src/confine/steps.cc
    src/keeper/last_line.cc src/os/file.cc src/os/linux_file.cc src/os/pretend.cc src/os/program.cc src/request/default_limits.cc src/run/plan.cc)
set_target_properties(sanitized_fuzz PROPERTIES
    OUTPUT_NAME mutate_sanitized RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tests
    UNITY_BUILD ${HUSK_BATCHES} UNITY_BUILD_MODE GROUP)  # the batches of libhusk
target_compile_definitions(sanitized_fuzz PRIVATE HUSK_FUZZ_LOW_READERS)
target_compile_options(sanitized_fuzz PRIVATE
    -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
target_link_options(sanitized_fuzz PRIVATE -fsanitize=address,undefined)
target_include_directories(sanitized_fuzz PRIVATE src include tests tests/fuzz)
target_link_libraries(sanitized_fuzz PRIVATE RE2::RE2 simdjson::simdjson Threads::Threads)
