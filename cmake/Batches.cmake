# Sources are compiled several at a time: the compiler spends most of its time on the headers of libraries and on what
# they instantiate, which a batch has only once. The preset `dev` does not, so that each source is seen to stand alone.

option(HUSK_BATCHES "Compile several sources at a time" ON)

# One source of each module makes a batch: what two files name alike is then in different namespaces.
function(husk_batch_across_modules target)
    if(NOT HUSK_BATCHES)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cc$")
    foreach(source ${sources})
        cmake_path(GET source PARENT_PATH folder)
        cmake_path(GET folder FILENAME module)
        math(EXPR number_${module} "0${number_${module}} + 1")
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP batch_${number_${module}})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Neighbours make a batch: of a module whose files name nothing alike.
function(husk_batch_neighbours target)
    if(HUSK_BATCHES)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    endif()
endfunction()
