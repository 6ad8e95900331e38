#!/usr/bin/env bash
# The steps of action.yml, on Debian or Ubuntu:
#   tools/action.sh key              what the package is made of: the source, and the system that it is made on
#   tools/action.sh install FOLDER   installs the package that is kept there; made first, if none is
#   tools/action.sh check            as PROTOCOL, SCENARIOS, JUNIT and SARIF say: `diff` and `test`, the worse exit code
set -euo pipefail
home=$(cd "$(dirname "$0")/.." && pwd)

key() {
  local system
  system=$(. /etc/os-release && echo "$ID-$VERSION_ID-$(uname -m)")
  # By content: a checkout has no times to go by. Nothing of what is built here counts.
  (cd "$home" && find . -type f -not -path './.git/*' -not -path './build*/*' -print0 | sort -z |
    xargs -0 sha256sum | sha256sum | cut -c1-16 | sed "s/^/lockstep-$system-/")
}

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

install() {
  if ! ls "$1"/lockstep_*.deb >/dev/null 2>&1; then
    "$home/tools/package.sh"
    mkdir -p "$1"
    cp "$home"/build/package/lockstep_*.deb "$1"
  fi
  as_root apt-get -qq update
  as_root apt-get -qq install -y "$(ls "$1"/lockstep_*.deb)"
}

# What a flag needs is given to it only where it is: neither an empty folder nor a push has anything to compare.
check() {
  local worst=0 status scenarios=${SCENARIOS:-$PROTOCOL/scenarios}
  if [ -n "${GITHUB_BASE_REF:-}" ]; then
    git config --global --add safe.directory "$GITHUB_WORKSPACE"
    status=0
    lockstep diff "origin/$GITHUB_BASE_REF:$PROTOCOL" "$PROTOCOL" || status=$?
    worst=$status
  fi
  status=0
  # shellcheck disable=SC2086 # several folders, parted by blanks
  lockstep test $scenarios --junit "${JUNIT:-lockstep.xml}" --sarif "${SARIF:-lockstep.sarif}" || status=$?
  [ "$worst" -gt "$status" ] || worst=$status
  return "$worst"
}

case ${1:-} in
  key) key ;;
  install) install "$2" ;;
  check) check ;;
  *) echo "tools/action.sh: key, install FOLDER or check" >&2 && exit 3 ;;
esac
