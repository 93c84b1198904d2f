# Everything comes from the distribution's packages. What the installed library needs as well is
# repeated in HuskConfig.cmake.in and husk.pc.in.

find_package(RE2 REQUIRED)
find_package(simdjson REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(YamlCpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
