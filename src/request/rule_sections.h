// The sections of husk.yaml that hold rules.
#pragma once

#include <span>

#include "request/document_fields.h"
#include "request/rule_texts.h"

namespace husk {

std::span<const Field<RuleTexts>> rule_sections();

}  // namespace husk
