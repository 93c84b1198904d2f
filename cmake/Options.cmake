# How our own code is compiled. `husk_options` goes to every hosted target, never to the keeper.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

# In a batch, a name is not hidden that stands in another file; and GCC 12 sees what is not there.
set(shadow $<IF:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,-Wshadow=local,-Wshadow>)
set(uninitialized $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-maybe-uninitialized>)
set(HUSK_WARNINGS
    -Wall -Wextra -Wpedantic ${shadow} ${uninitialized} -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wredundant-decls -Wzero-as-null-pointer-constant)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ 12 thinks that ~expected may delete what lies in a moved-from value's place.
    list(APPEND HUSK_WARNINGS -Wno-free-nonheap-object)
endif()

add_library(husk_warnings INTERFACE)
target_compile_options(husk_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${HUSK_WARNINGS}>)

add_library(husk_options INTERFACE)
target_link_libraries(husk_options INTERFACE husk_warnings)
if(HUSK_SANITIZE)
    # The check of vptr opens a pipe to look at memory: where no descriptor is free, it takes every object for broken.
    set(sanitize -fsanitize=${HUSK_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(husk_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${sanitize}>)
    target_link_options(husk_options INTERFACE ${sanitize})
endif()

# A program is started for every command: loading libstdc++ would double the time that takes.
function(husk_start_fast program)
    if(NOT HUSK_SANITIZE AND NOT BUILD_SHARED_LIBS)
        target_link_options(${program} PRIVATE -static-libstdc++ -static-libgcc -Wl,--as-needed)
    endif()
endfunction()

# LD_LIBRARY_PATH often has an empty part, which means the working directory, and a command can write libraries there.
# Only DT_RPATH, the old form of a search path, comes before that variable.
function(husk_load_from_system program)
    set(folders /lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /lib64 /usr/lib64)
    target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
    set_target_properties(${program} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${folders}")
endfunction()
