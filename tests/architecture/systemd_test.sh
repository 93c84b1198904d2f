#!/usr/bin/env bash
# systemd_test.sh HUSK SERVICE.in SOCKET: whether systemd takes the units, and what they promise.
set -euo pipefail

husk=$1 service=$2 socket=$3
for line in KillMode=process Delegate=yes; do
    grep -qx "$line" "$service" || { echo "the unit does not say $line"; exit 1; }
done
command -v systemd-analyze >/dev/null || { echo "there is no systemd-analyze: apt-get install systemd"; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sed -e "s|@HUSK_SERVICE_PROGRAM@|$husk|" -e '/^Documentation=/d' "$service" >"$dir/husk.service"
cp "$socket" "$dir/husk.socket"
# Of the machine's own units something may be wrong too; only what is said about these counts.
said=$(HOME=$dir XDG_RUNTIME_DIR=$dir systemd-analyze --user verify "$dir/husk.service" "$dir/husk.socket" 2>&1 </dev/null || true)
if grep -F "$dir/husk" <<<"$said"; then exit 1; fi
echo "systemd takes them"
