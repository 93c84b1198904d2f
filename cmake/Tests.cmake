# Unit tests: src/<module>/*_test.cc, one program for each module. Other tests: one program for each folder
# under tests/ that has a *_test.cc. Each test runs in a process of its own, and alone if its name starts with "Alone".

include(TestPrograms)

# tests/programs/*.cc are run by tests, as commands. No sanitizers: they would break limits and timings.
set(programs_dir ${CMAKE_CURRENT_BINARY_DIR}/tests/programs)
file(GLOB programs CONFIGURE_DEPENDS tests/programs/*.cc)
add_custom_target(test_programs)
foreach(source ${programs})
    cmake_path(GET source STEM name)
    add_executable(program_${name} ${source})
    set_target_properties(program_${name} PROPERTIES
        OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${programs_dir})
    target_link_libraries(program_${name} PRIVATE husk_warnings Threads::Threads)
    add_dependencies(test_programs program_${name})
endforeach()

# One program for all that the red team tries.
file(GLOB probe_sources CONFIGURE_DEPENDS tests/redteam/programs/*.cc)
add_executable(program_probe ${probe_sources})
set_target_properties(program_probe PROPERTIES OUTPUT_NAME probe RUNTIME_OUTPUT_DIRECTORY ${programs_dir})
target_link_libraries(program_probe PRIVATE husk_warnings)
add_dependencies(test_programs program_probe)

function(husk_add_test_program name)
    husk_add_gtest_program(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE libhusk)
    target_compile_definitions(${name} PRIVATE
        HUSK_BINARY="$<TARGET_FILE:husk>"
        HUSK_TEST_PROGRAMS_DIR="${programs_dir}")
    add_dependencies(${name} husk test_programs)
endfunction()

if(HUSK_TESTS)
    include(PortableTests)

    file(GLOB unit_tests CONFIGURE_DEPENDS src/*/*_test.cc)
    husk_folders_of(modules ${unit_tests})
    list(REMOVE_ITEM modules ${HUSK_PORTABLE_MODULES})
    foreach(module ${modules})
        set(sources ${unit_tests})
        list(FILTER sources INCLUDE REGEX "/src/${module}/")
        husk_add_test_program(${module}_test ${sources})
        husk_discover_tests(${module}_test ${module})
    endforeach()
    if(TARGET cli_test)
        target_link_libraries(cli_test PRIVATE husk_check husk_cli husk_http)
    endif()
    if(TARGET record_test)
        target_link_libraries(record_test PRIVATE husk_audit)
    endif()
    if(TARGET serve_test)
        target_link_libraries(serve_test PRIVATE husk_http)
    endif()

    file(GLOB folder_tests CONFIGURE_DEPENDS tests/*/*_test.cc)
    list(FILTER folder_tests EXCLUDE REGEX "/tests/(programs|bench|fuzz)/")
    husk_folders_of(folders ${folder_tests})
    foreach(folder ${folders})
        file(GLOB sources CONFIGURE_DEPENDS tests/${folder}/*.cc)
        if(folder MATCHES "^(redteam|protocol|places)$")
            list(APPEND sources tests/scenarios/harness.cc tests/scenarios/walled.cc)
        endif()
        if(folder STREQUAL "places")  # tries the red team's probes in containers
            list(APPEND sources tests/redteam/arena.cc tests/redteam/attack.cc tests/redteam/bait.cc tests/redteam/listeners.cc
                tests/redteam/probes.cc tests/redteam/shared.cc tests/redteam/snapshot.cc tests/redteam/victim_process.cc)
        endif()
        if(folder STREQUAL "faults")
            add_library(fault_clock MODULE tests/faults/clock/jump.cc)
            set_target_properties(fault_clock PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${programs_dir})
            target_link_libraries(fault_clock PRIVATE husk_warnings)
            add_dependencies(test_programs fault_clock)
            list(APPEND sources tests/scenarios/harness.cc tests/protocol/http_client.cc)
        endif()
        if(folder STREQUAL "everyday")
            list(APPEND sources tests/scenarios/harness.cc)
        endif()
        husk_add_test_program(tests_${folder} ${sources})
        if(folder STREQUAL "everyday")  # ctest lists its cases again if they changed
            file(GLOB cases CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/everyday/*.txt)
            set_property(TARGET tests_everyday APPEND PROPERTY LINK_DEPENDS ${cases})
        endif()
        # They share an engine, which takes longer to start than most of them to run.
        if(folder STREQUAL "places")
            add_test(NAME places/container COMMAND tests_places)
            add_test(NAME places/docker
                COMMAND ${PROJECT_SOURCE_DIR}/tests/places/docker_test.sh $<TARGET_FILE:tests_places>)
            set_tests_properties(places/container places/docker PROPERTIES TIMEOUT 600 COST 70)
            set_tests_properties(places/docker PROPERTIES SKIP_RETURN_CODE 77)
        else()
            husk_discover_tests(tests_${folder} ${folder})
        endif()
    endforeach()

    # Tests of what the program without the engine can do, with that program. The others need bash, or husk run.
    set(portable_scenarios TheExitCode* APersonSees* AProgramGetsJson SeveralWords* TheScriptCanCome* NothingIsRun Suggests*
        TheUsersFile* AFile* ANamedFile* RulesOfOther* ThePage*)
    list(TRANSFORM portable_scenarios PREPEND Checking.)
    list(JOIN portable_scenarios ":" portable_scenarios)
    string(APPEND portable_scenarios ":Hook.*:-Hook.TheDecisionIsThatOfTheRules")
    husk_times_slowness(timeout 60)
    gtest_discover_tests(tests_scenarios TEST_PREFIX portable/ TEST_FILTER "${portable_scenarios}"
        NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
        PROPERTIES TIMEOUT ${timeout} ENVIRONMENT HUSK_TESTED_PROGRAM=${CMAKE_CURRENT_BINARY_DIR}/portable/husk)
    add_dependencies(tests_scenarios husk-portable)

    if(TARGET tests_architecture)
        target_compile_definitions(tests_architecture PRIVATE
            HUSK_KEEPER_BINARY="$<TARGET_FILE:husk-keeper>"
            HUSK_KEEPER_IMAGE="${CMAKE_CURRENT_BINARY_DIR}/husk-keeper.image"
            HUSK_KEEPER_OBJECTS="$<JOIN:$<TARGET_OBJECTS:husk-keeper>,:>")
        husk_test_portable_parts(tests_architecture)
    endif()

    file(GLOB examples CONFIGURE_DEPENDS examples/*.cc)
    foreach(source ${examples})
        cmake_path(GET source STEM name)
        add_executable(example_${name} ${source})
        set_target_properties(example_${name} PROPERTIES
            OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/examples
            CXX_STANDARD 20)  # as a program may have it that embeds the library
        target_link_libraries(example_${name} PRIVATE Husk::husk husk_options)
    endforeach()

    # The conformance suite's own tools, on Husk's server.
    file(GLOB fixture_sources CONFIGURE_DEPENDS tests/protocol/fixture/*.cc)
    add_executable(conformance_server ${fixture_sources})
    set_target_properties(conformance_server PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${programs_dir})
    target_link_libraries(conformance_server PRIVATE husk_check husk_cli husk_http)

    function(husk_add_node_test script)
        add_test(NAME protocol/${script}
            COMMAND ${PROJECT_SOURCE_DIR}/tests/protocol/node_test.sh
                ${CMAKE_CURRENT_BINARY_DIR} $<TARGET_FILE:husk> ${script}.mjs ${ARGN})
        set_tests_properties(protocol/${script} PROPERTIES
            LABELS protocol TIMEOUT 600 COST 30)  # with what it installs
    endfunction()
    husk_add_node_test(schemas)
    husk_add_node_test(sdk)
    husk_add_node_test(tasks)
    husk_add_node_test(inspector)
    husk_add_node_test(conformance $<TARGET_FILE:conformance_server>)

    add_test(NAME architecture/systemd
        COMMAND ${PROJECT_SOURCE_DIR}/tests/architecture/systemd_test.sh $<TARGET_FILE:husk>
            ${PROJECT_SOURCE_DIR}/packaging/systemd/husk.service.in
            ${PROJECT_SOURCE_DIR}/packaging/systemd/husk.socket)
    set_tests_properties(architecture/systemd PROPERTIES TIMEOUT 60)

    # A browser with husk serve, and the console's sources.
    if(HUSK_CONSOLE)
        foreach(script types units watching.mjs approvals.mjs hostile.mjs keyboard.mjs looks.mjs words.mjs audit.mjs)
            cmake_path(GET script STEM name)
            add_test(NAME console/${name}
                COMMAND ${PROJECT_SOURCE_DIR}/tests/console/console_test.sh
                    ${CMAKE_CURRENT_BINARY_DIR} $<TARGET_FILE:husk> ${script})
            set_tests_properties(console/${name} PROPERTIES TIMEOUT 300 COST 20)
        endforeach()
    endif()

    # A sanitized library cannot be linked by a stranger.
    if(NOT HUSK_SANITIZE)
        add_test(NAME architecture/package
            COMMAND ${PROJECT_SOURCE_DIR}/tests/architecture/package_test.sh
                ${CMAKE_CURRENT_BINARY_DIR} ${CMAKE_CXX_COMPILER})
        set_tests_properties(architecture/package PROPERTIES TIMEOUT 300 COST 10)
    endif()
endif()

# All fuzz targets are one program: with libFuzzer under ./dev fuzz, and with a driver of our own in the tests, where
# each target runs for ten seconds, with the same texts each time.
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/*.cc)
if(HUSK_FUZZ)
    add_executable(husk_fuzz ${fuzz_sources} tests/fuzz/driver/libfuzzer.cc)
    target_link_options(husk_fuzz PRIVATE -fsanitize=fuzzer)
else()
    add_executable(husk_fuzz ${fuzz_sources} tests/fuzz/driver/mutate.cc)
    set_target_properties(husk_fuzz PROPERTIES
        OUTPUT_NAME mutate RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tests)
    if(NOT HUSK_SANITIZE)
        include(SanitizedReaders)
    endif()
    file(GLOB fuzz_corpora CONFIGURE_DEPENDS tests/fuzz/corpus/*)
    foreach(corpus ${fuzz_corpora})
        cmake_path(GET corpus FILENAME name)
        set(program husk_fuzz)
        if(name IN_LIST sanitized_readers)
            set(program sanitized_fuzz)
        endif()
        set(more_seeds $<$<STREQUAL:${name},parse>:${PROJECT_SOURCE_DIR}/tests/oracle/scripts.txt>)
        husk_times_slowness(timeout 120)
        add_test(NAME fuzz/${name} COMMAND ${program} ${name} 10 ${corpus} ${more_seeds} COMMAND_EXPAND_LISTS)
        set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT ${timeout} COST 10)
    endforeach()
endif()
# The keeper's sources have no C library; this one makes no system calls either.
target_sources(husk_fuzz PRIVATE src/keeper/last_line.cc)
set_source_files_properties(src/keeper/last_line.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
husk_batch_neighbours(husk_fuzz)
target_include_directories(husk_fuzz PRIVATE src tests tests/fuzz)
target_link_libraries(husk_fuzz PRIVATE husk_http)
