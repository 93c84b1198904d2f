// What is written into the record of a command whose keeper was killed.
#pragma once

#include "record.h"

namespace last_words {

// Lost, for that cause. What its keeper had published stays; so does what it said last, if
// `said_all`: then nothing but the end was missing.
void write(int record, husk::record::Reason cause, bool said_all);

}  // namespace last_words
