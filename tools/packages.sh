#!/usr/bin/env bash
# Installs the Debian packages that a job needs and that are missing:
# tools/packages.sh build|test|sanitize|lint|package|formats|bench ...
# With nothing missing it takes no time and needs neither network nor rights. It leaves no Redis service behind: the
# tests start their own servers.
set -euo pipefail

readonly jobs="build test sanitize lint package formats bench"
packages_of() {
  case $1 in
    build)
      echo g++ cmake ninja-build pkg-config
      echo liblua5.4-dev libboost-dev nlohmann-json3-dev libcli11-dev libfmt-dev libhiredis-dev
      echo libjemalloc-dev libedit-dev
      ;;
    test) echo catch2 git redis-server python3-jsonschema python3-yaml liblua5.1-0-dev ;;
    sanitize) echo clang-14 libclang-rt-14-dev ;;
    lint) echo clang-14 clang-tidy-14 clang-format-14 ;;
    package) echo dpkg-dev file lintian man-db zsh fish bash-completion ;;
    formats)
      command -v npm >/dev/null || echo nodejs npm # Node from elsewhere brings its own, and keeps Debian's out
      command -v chromium >/dev/null || echo chromium
      ;;
    bench) echo gcc python3 redis-server spin ;;
    *) echo "tools/packages.sh: no job '$1'; there are: $jobs" >&2 && return 3 ;;
  esac
}

missing_of() {
  local package
  for package in $(packages_of "$1"); do
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q ' installed$' || echo "$package"
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Debian starts a service as soon as its package is installed, unless this file says no.
readonly policy=/usr/sbin/policy-rc.d
forbid_services() {
  [ -e "$policy" ] && return
  trap 'as_root rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
  as_root chmod 755 "$policy"
}

missing=()
for job in "$@"; do
  packages_of "$job" >/dev/null
  command -v dpkg-query >/dev/null || continue
  mapfile -t -O "${#missing[@]}" missing < <(missing_of "$job")
done

if ! command -v dpkg-query >/dev/null; then
  echo "This is no Debian: the equivalents of these packages must be there already:"
  for job in "$@"; do packages_of "$job"; done
  exit 0
fi
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing: ${missing[*]}"
if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
  echo "tools/packages.sh: installing needs root or sudo; as root: apt-get install ${missing[*]}" >&2
  exit 3
fi
case " ${missing[*]} " in *" redis-server "*) forbid_services ;; esac

readonly quiet=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
as_root "${quiet[@]}" update </dev/null
as_root "${quiet[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null

# Nor at the next boot, whichever init there is.
case " ${missing[*]} " in
  *" redis-server "*) as_root update-rc.d redis-server disable >/dev/null 2>&1 || true ;;
esac
