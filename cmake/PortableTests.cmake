# The unit tests of what does not depend on Linux: no header of Linux, and no library of ours but husk_portable.

include(TestPrograms)

# For tests/architecture/portable_test.cc.
set(portable_objects $<TARGET_OBJECTS:husk_portable_objects> $<TARGET_OBJECTS:husk_check> $<TARGET_OBJECTS:husk_main>)
function(husk_test_portable_parts target)
    target_compile_definitions(${target} PRIVATE
        HUSK_BUILD_DIR="${CMAKE_CURRENT_BINARY_DIR}"
        HUSK_CXX="${CMAKE_CXX_COMPILER}"
        HUSK_NM="${CMAKE_NM}"
        HUSK_PORTABLE_BINARY="$<TARGET_FILE:husk-portable>"
        HUSK_PORTABLE_FLAGS="${HUSK_PORTABLE_FLAGS}"
        HUSK_PORTABLE_OBJECTS="$<JOIN:${portable_objects},:>")
    add_dependencies(${target} husk-portable)
endfunction()

if(NOT HUSK_ENGINE)
    husk_add_gtest_program(tests_architecture tests/architecture/portable_test.cc tests/architecture/symbols.cc)
    husk_test_portable_parts(tests_architecture)
    husk_discover_tests(tests_architecture architecture)
endif()

foreach(module ${HUSK_PORTABLE_MODULES})
    file(GLOB sources CONFIGURE_DEPENDS src/${module}/*_test.cc)
    husk_add_gtest_program(${module}_test ${sources})
    husk_refuse_linux_headers(${module}_test)
    target_link_libraries(${module}_test PRIVATE husk_portable)
    husk_discover_tests(${module}_test ${module})
endforeach()
