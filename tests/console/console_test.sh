#!/usr/bin/env bash
# console_test.sh BUILD_DIR HUSK SCRIPT: a real browser looks at a real husk serve, as SCRIPT says. "types" and "units"
# look at the sources of the console alone.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
web=$here/../../web
modules=$1/web-check

"$here/../../cmake/npm_install.sh" "$web" "$modules"
case $3 in
    types)
        exec "$modules/node_modules/.bin/tsc" --noEmit --project "$web" --typeRoots "$modules/node_modules/@types"
        ;;
    units)
        HUSK_WEB_MODULES=$modules node "$web/build.mjs" --tests "$1/web-units"
        exec node --test "$1/web-units/"
        ;;
    *)
        exec node "$here/$3" "$modules" "$2"
        ;;
esac
