#include "decide/verdict.h"

namespace husk::decide {

const char* word(Decision decision) {
    switch (decision) {
        case Decision::Allow: return "allow";
        case Decision::Ask: return "ask";
        case Decision::Deny: return "deny";
    }
    return "";
}

const char* word(Severity severity) {
    switch (severity) {
        case Severity::Low: return "low";
        case Severity::Medium: return "medium";
        case Severity::High: return "high";
        case Severity::Critical: return "critical";
    }
    return "";
}

}  // namespace husk::decide
