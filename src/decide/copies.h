// What scp, rsync and the programs of clouds copy to other machines.
#pragma once

#include "decide/network.h"

namespace husk::decide {

// scp a b host:c, rsync -a a host:b
Sending sent_by_copy(const parse::Command& command);
// aws s3 cp a s3://b, gsutil cp a gs://b, rclone copy a remote:b
Sending sent_to_cloud(const parse::Command& command);

}  // namespace husk::decide
