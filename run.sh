#!/usr/bin/env bash
# Installs what is missing (Debian 12), builds lockstep into build/ and shows its main job: why EXISTS + SET is no lock,
# and which rung of the ladder fails under which fault.
set -euo pipefail
cd "$(dirname "$0")"

tools/packages.sh build
if [ ! -e build/build.ninja ]; then
  cmake --preset release -DLOCKSTEP_TESTS=OFF >build.log || { cat build.log; exit 4; }
  rm build.log
fi
echo "Building (the first time takes a few minutes) ..."
cmake --build build --target lockstep | grep -vE 'no work to do|Re-checking' || [ "${PIPESTATUS[0]}" -eq 0 ]

show() {
  printf '\n$ lockstep %s\n\n' "$*"
  ./build/lockstep "$@" || return $?
}

# 1 is the exit code of a verdict `violated`: what we expect to see here.
status=0
show check exists-set --property mutual-exclusion || status=$?
if [ "$status" -ne 1 ]; then
  echo "run.sh: 'lockstep check exists-set' ended with exit code $status; 1 (violated) was expected" >&2
  exit 4
fi
show matrix

cat <<'END'

Where to go on:
  ./build/lockstep list                                     protocols, scenarios, faults, properties
  ./build/lockstep check set-token-lua --fault pause=1      why a lease alone is not enough
  ./build/lockstep replay SCENARIO --interactive            walk through a run, and leave it where you like
  ./build/lockstep check ./my-lock                          your own protocol: README.md has one in ten lines
  ./test.sh                                                 the tests
END
