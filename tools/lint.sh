#!/usr/bin/env bash
# clang-tidy, and the warnings of Clang 14 with it, over everything that is not a test; prints only what is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset tidy >/dev/null
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! run-clang-tidy-14 -quiet -p build-tidy '/Unity/|/cli/main|/bench/' >"$log" 2>&1; then
  grep -v -E '^(clang-tidy-14|[0-9]+ warnings?) ' "$log"
  exit 1
fi
