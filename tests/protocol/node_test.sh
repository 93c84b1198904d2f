#!/usr/bin/env bash
# node_test.sh BUILD_DIR HUSK SCRIPT [ARGS...]: asks other people's programs about what Husk says. They are installed
# below BUILD_DIR, by the lock file, once.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
modules=$1/protocol

"$here/../../cmake/npm_install.sh" "$here" "$modules" --include=dev
exec node "$here/$3" "$modules" "$2" "${@:4}"
