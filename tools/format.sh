#!/usr/bin/env bash
# Formats every C++ file in place, or with --check only names those that are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
find . -path './build*' -prune -o -name '*.[ch]pp' -print0 | sort -z | xargs -0 -r clang-format-14 "${mode[@]}"
