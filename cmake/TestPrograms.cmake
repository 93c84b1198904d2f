# How a program of tests is built, and how ctest knows its tests.

find_package(GTest REQUIRED)
include(GoogleTest)
enable_testing()

# Tests wait longer where programs are slower (tests/patience.h); ctest waits for them.
if(HUSK_SANITIZE)
    set(slowness 4)
else()
    set(slowness 1)
endif()
function(husk_times_slowness result seconds)
    math(EXPR product "${seconds} * ${slowness}")
    set(${result} ${product} PARENT_SCOPE)
endfunction()

function(husk_add_gtest_program name)
    add_executable(${name} ${ARGN})
    husk_batch_neighbours(${name})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tests)
    target_include_directories(${name} PRIVATE src tests)
    target_link_libraries(${name} PRIVATE
        nlohmann_json::nlohmann_json GTest::gmock GTest::gtest_main husk_options)
    target_compile_definitions(${name} PRIVATE HUSK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    # What is tested is optimised; the tests themselves only take a third longer to compile.
    target_compile_options(${name} PRIVATE -O0)
endfunction()

# gtest_discover_tests gives all tests of a call the same properties: so it is called twice. COST is about how
# many seconds a test takes: the longest are started first, so that no processor waits for the last one.
function(husk_discover_tests name prefix)
    set(alone "Alone*:*/Alone*")
    husk_times_slowness(timeout 300)
    set(properties TIMEOUT ${timeout})
    if(prefix STREQUAL "oracle")  # asks bash and shfmt about every script of the machine
        husk_times_slowness(timeout 600)
        set(properties TIMEOUT ${timeout} COST 50)
    endif()
    gtest_discover_tests(${name} TEST_PREFIX ${prefix}/ TEST_FILTER "-${alone}"
        NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
    gtest_discover_tests(${name} TEST_PREFIX ${prefix}/ TEST_FILTER "${alone}"
        NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES ${properties} RUN_SERIAL TRUE)
endfunction()

function(husk_folders_of result)
    set(folders ${ARGN})
    list(TRANSFORM folders REPLACE "/[^/]*$" "")
    list(TRANSFORM folders REPLACE "^.*/" "")
    list(REMOVE_DUPLICATES folders)
    set(${result} ${folders} PARENT_SCOPE)
endfunction()
