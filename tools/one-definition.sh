#!/usr/bin/env bash
# Builds without optimization, linked so that two classes of one name are an error (the preset `odr`), and runs a few
# commands with what comes of it, on which no test program stands. Run by .ci/weekly.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/packages.sh build
cmake --preset odr -DLOCKSTEP_WERROR=ON >/dev/null
cmake --build --preset odr
lockstep=build-odr/lockstep
$lockstep list >/dev/null
$lockstep test fencing-pause
$lockstep eval protocols/set-token-lua/release.lua lock , A.1 --set lock=A.1
$lockstep conform --seed 1 --commands 2000
$lockstep live set-token-lua --seconds 1
