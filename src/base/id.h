#pragma once

#include <string>

namespace husk {

// `letters` random letters and digits, none of which is mistaken for another.
std::string random_id(int letters);

}  // namespace husk
