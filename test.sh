#!/usr/bin/env bash
# Installs what is missing (Debian 12), builds with tests and runs everything. With CI=true or LOCKSTEP_CI=1 also: warnings
# are errors, the tests under the address and undefined-behaviour sanitizers, each header alone, clang-tidy with the
# warnings of Clang, clang-format, the Debian packages, pages in Chromium. (What takes longer runs once a week: .ci/weekly.)
set -euo pipefail
cd "$(dirname "$0")"

full=no
if [ "${LOCKSTEP_CI:-}" = 1 ] || [ "${CI:-}" = true ]; then full=yes; fi
passed=0
failed=0
started=$SECONDS

stage() { printf '\n== %s (after %d s)\n' "$1" $((SECONDS - started)); }

# Configures and builds a preset, all of it unless targets are named: build PRESET "[TARGET ...]" [cmake option ...]
build() {
  local preset=$1 targets=$2
  shift 2
  cmake --preset "$preset" "$@" >/dev/null
  # shellcheck disable=SC2086  # they are words
  cmake --build --preset "$preset" ${targets:+--target $targets} -- -k 0
}

# Runs the tests of a preset and counts Catch2's test cases and ctest's other tests: run_tests PRESET [ctest option ...]
run_tests() {
  local log
  log=$(mktemp)
  ctest --preset "$@" --verbose >"$log" 2>&1 </dev/null || true
  if ! grep -q '^100% tests passed' "$log"; then
    cat "$log"
  else
    grep -E '^ *[0-9]+/[0-9]+ Test|^100% tests|: seeds of ' "$log"
  fi
  read -r good bad < <(awk -f tools/count-tests.awk "$log")
  rm "$log"
  passed=$((passed + good))
  failed=$((failed + bad))
}

# Runs a command that says itself what is wrong, as one test.
try_out() {
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# Redis 8.0, Valkey 8.1 and Valkey 9 from Debian's other suites, which the tests compare with what imitates them.
fetch_servers() {
  if tools/fetch-servers build/servers >/dev/null; then
    export LOCKSTEP_SERVERS=$PWD/build/servers
  else
    echo "SKIPPED: real servers of other versions cannot be fetched here: Redis 8.0, Valkey 8.1 and 9 are not compared"
  fi
}

tools/packages.sh build test
[ $full = no ] || fetch_servers
if [ $full = yes ]; then
  tools/packages.sh sanitize lint
  stage "clang-format"
  try_out tools/format.sh --check
fi

stage "release build and tests"
if [ $full = yes ]; then
  # What the sanitizers run as it is need not run twice. And of 137 bugs that were planted, the mistakes and the audit of
  # what is shipped found none that nothing else found.
  build release "lockstep test_checker test_dialect test_cli test_project" -DLOCKSTEP_TESTS=ON -DLOCKSTEP_WERROR=ON
  run_tests release --label-exclude 'shipped|sanitized'
else
  build release "" -DLOCKSTEP_TESTS=ON
  run_tests release
fi

if [ $full = yes ]; then
  stage "tests under the address and undefined-behaviour sanitizers"
  build asan "lockstep test_sim test_dialect test_checker test_scenarios test_live test_conform toy fuzz_script \
    fuzz_scenario fuzz_trace fuzz_protocol fuzz_reply fuzz_glob" -DLOCKSTEP_TESTS=ON
  run_tests asan --label-exclude plain
  stage "each header compiles alone"
  try_out cmake --build --preset release --target headers -- -k 0
  stage "clang-tidy, with Clang's warnings"
  try_out tools/lint.sh
  stage "the Debian packages, as a user meets them"
  try_out tools/package.sh
  try_out tests/package/check.sh
  stage "runs as pages, with what reads them"
  if tools/packages.sh formats; then
    try_out tools/formats.py build/lockstep exists-set-race redlock-failover rw-hash-times-late-writer queue-lock-stays
  else
    echo "SKIPPED: Chromium or npm cannot be installed here"
  fi
fi

printf '\n%d passed, %d failed (%d s)\n' "$passed" "$failed" $((SECONDS - started))
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
