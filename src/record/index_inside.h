// What the files of the index share.
#pragma once

#include <sys/types.h>

#include "record/index.h"
#include "record/index_rows.h"

namespace husk::audit {

struct Index::Inside {
    Database database;
    ino_t file = 0;  // 0: in memory
};

// The condition that a query means, with its values from ?1 on.
struct Condition {
    std::string sql;
    std::vector<Value> values;
};
Condition condition_of(const Query& query);

}  // namespace husk::audit
