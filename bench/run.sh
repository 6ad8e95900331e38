#!/usr/bin/env bash
# The benchmark: builds the release and searches rung 6 of the ladder with 3 clients, 4 rounds and 3 pauses, side by
# side with SPIN on a hand-written model of the same lock; then what one EVAL costs, here and on a redis-server. Options go
# to bench/measure.py.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/packages.sh build
tools/packages.sh bench || echo "bench/run.sh: SPIN or redis-server could not be installed; their rows are left out" >&2
[ -e build/build.ninja ] || cmake --preset release -DLOCKSTEP_TESTS=OFF >/dev/null
cmake --build build --target lockstep bench_eval >/dev/null
python3 bench/measure.py "$@"
echo
build/bench_eval
