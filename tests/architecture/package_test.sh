#!/usr/bin/env bash
# package_test.sh BUILD COMPILER: installs the build into a folder of its own and lets a stranger use it,
# once through find_package(Husk) and once through pkg-config.
set -euo pipefail

build=$1 compiler=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

cmake --install "$build" --prefix "$place/prefix" >"$place/install.log"
"$place/prefix/bin/husk" --help >/dev/null

mkdir "$place/consumer"
cat >"$place/consumer/consumer.cc" <<'END'
#include <husk/husk.h>

#include <iostream>

int main(int, char** argv) {
    husk::Bash bash({.state = argv[1], .linger = std::chrono::milliseconds(100)});
    const husk::Report report = bash.run({.command = "echo from a stranger"});
    std::cout << report.output;
    husk::ToolSettings settings{.contract = "phoenix", .state = argv[1]};
    settings.overrides = "mode: open\nsession: {linger: 100ms}\n";
    husk::Tools tools(settings);
    const auto result = tools.call("bash", R"({"command": "echo by a tool"})");
    if (const auto* error = std::get_if<husk::Error>(&result)) std::cout << error->text();
    if (const auto* json = std::get_if<std::string>(&result)) std::cout << *json << "\n";
    return husk::exit_code(report.ending).value_or(1);
}
END
cat >"$place/consumer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(Consumer LANGUAGES CXX)
find_package(Husk REQUIRED)
add_executable(consumer consumer.cc)
target_link_libraries(consumer PRIVATE Husk::husk)
END

check() {
    local said
    said=$("$1" "$place/state" </dev/null)
    [[ $said == "from a stranger"$'\n'*'"text":"by a tool\n"'* ]] || { echo "$1 said: $said"; exit 1; }
}

echo "found by CMake"
cmake -S "$place/consumer" -B "$place/by_cmake" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$place/prefix" >/dev/null
cmake --build "$place/by_cmake"
check "$place/by_cmake/consumer"

echo "found by pkg-config"
pc=$(find "$place/prefix" -name husk.pc)
read -ra flags < <(PKG_CONFIG_PATH=${pc%/*} pkg-config --cflags --libs husk)
"$compiler" -std=c++20 "$place/consumer/consumer.cc" -o "$place/by_pkg_config" "${flags[@]}"
LD_LIBRARY_PATH=${pc%/pkgconfig/*} check "$place/by_pkg_config"
