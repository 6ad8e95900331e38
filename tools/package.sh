#!/usr/bin/env bash
# Makes the Debian packages `lockstep` and `lockstep-dev` in build/package, from the release build.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/packages.sh build package
[ -e build/build.ninja ] || cmake --preset release -DLOCKSTEP_TESTS=OFF >/dev/null
cmake --build build --target lockstep reference
rm -rf build/package
log=$(mktemp)
trap 'rm -f "$log"' EXIT
(cd build && cpack) >"$log" 2>&1 || { cat "$log" && exit 4; }
rm -rf build/package/_CPack_Packages
ls build/package/*.deb
