# husk_bench: all of tests/bench. Built on request, and with the tests so that it does not rot.

file(GLOB bench_sources CONFIGURE_DEPENDS tests/bench/*.cc)
find_package(benchmark QUIET)

if(bench_sources AND benchmark_FOUND)
    add_executable(husk_bench ${bench_sources})
    husk_batch_neighbours(husk_bench)
    target_include_directories(husk_bench PRIVATE src tests)
    target_compile_definitions(husk_bench PRIVATE HUSK_BINARY="$<TARGET_FILE:husk>"
        HUSK_SOURCE_DIR="${PROJECT_SOURCE_DIR}" HUSK_BUILD_DIR="${CMAKE_CURRENT_BINARY_DIR}")
    target_link_options(husk_bench PRIVATE -Wl,--as-needed)
    target_link_libraries(husk_bench PRIVATE
        libhusk nlohmann_json::nlohmann_json benchmark::benchmark husk_options)
    add_dependencies(husk_bench husk)
    if(NOT HUSK_TESTS)
        set_target_properties(husk_bench PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
endif()
