#include "tool/private_dir.h"

#include <cstdlib>
#include <string>

namespace husk::tool {

namespace fs = std::filesystem;

std::optional<PrivateDir> PrivateDir::make() {
    std::error_code failed;
    std::string name = (fs::temp_directory_path(failed) / "husk-XXXXXX").string();
    if (failed || ::mkdtemp(name.data()) == nullptr) return std::nullopt;
    return PrivateDir(name);
}

PrivateDir::~PrivateDir() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace husk::tool
