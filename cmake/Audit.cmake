# husk_audit: the index of the audit. It is apart from libhusk, so that whoever embeds the library needs no SQLite. The
# archive is preferred, because a program that loads fewer libraries starts faster.

if(BUILD_SHARED_LIBS)
    find_library(SQLite3_LIBRARY NAMES sqlite3)
else()
    find_library(SQLite3_LIBRARY NAMES libsqlite3.a sqlite3)
endif()
find_package(SQLite3 REQUIRED)

file(GLOB audit_sources CONFIGURE_DEPENDS src/record/index*.cc)
list(FILTER audit_sources EXCLUDE REGEX "_test\\.cc$")
add_library(husk_audit STATIC ${audit_sources})
husk_batch_neighbours(husk_audit)
target_include_directories(husk_audit PRIVATE src)
target_link_libraries(husk_audit PUBLIC
    libhusk SQLite::SQLite3 Threads::Threads m nlohmann_json::nlohmann_json husk_options)
