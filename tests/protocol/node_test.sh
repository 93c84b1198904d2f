#!/usr/bin/env bash
# node_test.sh BUILD_DIR HUSK SCRIPT: asks other people's programs about what Husk says. They are installed below
# BUILD_DIR, by the lock file, once.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
modules=$1/protocol
husk=$2

mkdir -p "$modules"
(
    flock 9
    if ! cmp -s "$here/package-lock.json" "$modules/.installed"; then
        cp "$here"/package.json "$here"/package-lock.json "$here"/.npmrc "$modules"
        npm ci --prefix "$modules" --ignore-scripts --no-audit --no-fund --loglevel=error
        cp "$here/package-lock.json" "$modules/.installed"
    fi
) 9>"$modules/.lock" </dev/null

exec node "$here/$3" "$modules" "$husk"
