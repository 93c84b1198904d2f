#!/usr/bin/env bash
# install.sh NAME TARGET [MODULE]: installs the server NAME below TARGET, by its lock file; MODULE has to be compiled.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
name=$1
target=$2
module=${3:-}

"$here/../../../cmake/npm_install.sh" "$here/$name" "$target"
[[ -n $module && ! -d $target/node_modules/$module/build/Release ]] || exit 0
npm rebuild "$module" --prefix "$target" --ignore-scripts=false --nodedir=/usr --loglevel=error </dev/null
