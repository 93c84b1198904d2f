# The console: esbuild makes four files of web/, and cmake/Http.cmake puts them into husk.

option(HUSK_CONSOLE "Build the console of husk serve (needs node and npm); without it / is a plain page" ON)
set(HUSK_CONSOLE_DIR ${CMAKE_CURRENT_BINARY_DIR}/web/dist)
set(HUSK_CONSOLE_FILES "")
if(NOT HUSK_CONSOLE)
    return()
endif()

find_program(HUSK_NODE NAMES node nodejs)
find_program(HUSK_NPM npm)
if(NOT HUSK_NODE OR NOT HUSK_NPM)
    message(FATAL_ERROR "The console is built with node and npm (on Debian: apt-get install nodejs npm). "
        "-DHUSK_CONSOLE=OFF builds husk without it.")
endif()

set(web ${PROJECT_SOURCE_DIR}/web)
set(web_modules ${CMAKE_CURRENT_BINARY_DIR}/web)
add_custom_command(
    OUTPUT ${web_modules}/.installed
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/npm_install.sh ${web} ${web_modules} --omit=dev
    DEPENDS ${web}/package.json ${web}/package-lock.json ${web}/.npmrc
    COMMENT "Installing esbuild"
    VERBATIM)

file(GLOB web_sources CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/styles/*.css)
list(FILTER web_sources EXCLUDE REGEX "_test\\.ts$")
foreach(name index.html icon.svg app.js styles.css)
    list(APPEND HUSK_CONSOLE_FILES ${HUSK_CONSOLE_DIR}/${name})
endforeach()
add_custom_command(
    OUTPUT ${HUSK_CONSOLE_FILES}
    COMMAND ${CMAKE_COMMAND} -E env HUSK_WEB_MODULES=${web_modules} ${HUSK_NODE} ${web}/build.mjs ${HUSK_CONSOLE_DIR}
    DEPENDS ${web_modules}/.installed ${web}/build.mjs ${web}/index.html ${web}/icon.svg ${web}/tsconfig.json ${web_sources}
    COMMENT "Building the console"
    VERBATIM)
