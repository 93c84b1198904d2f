#!/usr/bin/env bash
# npm_install.sh SOURCE TARGET [ARGS...]: installs what the lock file in SOURCE names into TARGET, once for each lock
# file; one at a time, and ARGS go to npm.
set -euo pipefail

source=$1
target=$2
shift 2

mkdir -p "$target"
exec 9>"$target/.lock" </dev/null
flock 9
if cmp -s "$source/package-lock.json" "$target/.installed"; then
    touch "$target/.installed"  # it is as new as the files that it was compared with
    exit
fi
# node has a list of authorities of its own; those that this machine trusts count too.
authorities=/etc/ssl/certs/ca-certificates.crt
[[ -n ${NODE_EXTRA_CA_CERTS:-} || ! -f $authorities ]] || export NODE_EXTRA_CA_CERTS=$authorities
cp "$source"/package.json "$source"/package-lock.json "$source"/.npmrc "$target"
npm ci --prefix "$target" --ignore-scripts --no-audit --no-fund --loglevel=error "$@" 9>&- || {
    echo "npm could not install what $source/package-lock.json names: is there a registry that it can reach?" >&2
    exit 1
}
cp "$source/package-lock.json" "$target/.installed"
