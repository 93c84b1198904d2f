#include "project.h"

#include <fstream>

#include "tool/measure.h"

namespace husk::bench {

namespace fs = std::filesystem;

void run_bare(const std::string& command) { tool::run_bare(command.c_str()); }

Project::Project(size_t files) {
    fs::create_directories(work());
    std::ofstream make(work() / "Makefile");
    make << "all: $(patsubst %.c,%.o,$(wildcard *.c))\n";
    for (size_t i = 0; i < files; ++i)
        std::ofstream(work() / ("f" + std::to_string(i) + ".c"))
            << "int f" << i << "(void) {return 0;}\n";
    run_bare(
        in_work("git init -q && git add -- *.c Makefile && "
                "git -c user.name=x -c user.email=x commit -qm x"));
}

}  // namespace husk::bench
