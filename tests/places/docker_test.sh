#!/usr/bin/env bash
# docker_test.sh TESTS: the tests of containers again, on Docker's engine. It is not installed for them:
# its package starts a service for the whole machine.
set -euo pipefail

skip() {
    echo "skipped: $*"
    exit 77
}

((EUID == 0)) || skip "only root can start dockerd"
command -v dockerd >/dev/null || skip "there is no dockerd here"
HUSK_TEST_ENGINE=docker exec "$1"
