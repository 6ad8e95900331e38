#!/usr/bin/env bash
# The Debian packages that tools/package.sh has made, as a user meets them: tests/package/check.sh [FOLDER]. Without a
# folder they are unpacked into one of their own; with / they must be installed.
set -euo pipefail
cd "$(dirname "$0")/../.."

tools/packages.sh build package >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=${1:-$work/root}
failed=0
check() { # what is checked, and a command that says whether it is so
  local what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    echo "passed  $what"
  else
    echo "FAILED  $what: $*"
    tail -n 5 "$work/log"
    failed=1
  fi
}
ends_with_1() { # violated
  local status=0
  "$@" >"$work/shown" 2>&1 || status=$?
  cat "$work/shown"
  [ "$status" -eq 1 ] && grep -q 'pauses' "$work/shown"
}

if [ $# -eq 0 ]; then
  mkdir "$root"
  for package in build/package/*.deb; do dpkg-deb -x "$package" "$root"; done
fi
lockstep=${root%/}/usr/bin/lockstep
PATH=${lockstep%/*}:$PATH
shared=${root%/}/usr/share
cd "$work" # nothing is found because the sources lie around

check "lintian has nothing to say" lintian --allow-root --fail-on error,warning "$OLDPWD"/build/package/*.deb
check "the first counterexample" ends_with_1 "$lockstep" check set-token-lua --fault pause=1
check "a shipped scenario" "$lockstep" test redlock-pause
check "the lessons" sh -c "'$lockstep' learn --list | grep -q exists-set"
check "the lessons in Chinese" sh -c "'$lockstep' learn --list --language zh | grep -q exists-set"
check "a new lock" "$lockstep" new my-lock
check "and its scenarios" "$lockstep" test my-lock/scenarios
check "man shows the page" sh -c "man -l '$shared/man/man1/lockstep.1.gz' | grep -q 'lockstep check'"

# What a shell offers behind `lockstep check set-token-l` and `lockstep che`.
cat >bash_offers <<'END'
source "$1"
COMP_WORDS=(lockstep check set-token-l) COMP_CWORD=2 COMP_LINE="lockstep check set-token-l" COMP_POINT=26
"$(complete -p lockstep | sed 's/.*-F \([^ ]*\).*/\1/')" lockstep set-token-l check
printf '%s\n' "${COMPREPLY[@]}" | grep -qx 'set-token-lua *'
END
check "bash completes" bash bash_offers "$shared/bash-completion/completions/lockstep"
fish_offers() { fish -c "source '$1'; complete -C '$2'" | cut -f1 | grep -qx "$3"; }
check "fish completes a command" fish_offers "$shared/fish/vendor_completions.d/lockstep.fish" "lockstep che" check
check "fish completes a protocol" fish_offers "$shared/fish/vendor_completions.d/lockstep.fish" \
  "lockstep check set-token-l" set-token-lua
cat >zsh_offers <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='> '; stty -echo; fpath=('$1' \$fpath)"
zpty -w shell "autoload -Uz compinit; compinit -u -d '$2/zcompdump'; print ready"
shown=""; while [[ $shown != *ready$'\r'* ]]; do zpty -r shell line; shown+=$line; done
zpty -w -n shell $'lockstep check set-token-lu\t'
for _ in {1..50}; do zpty -r -t shell line && shown+=$line; [[ $shown == *set-token-lua* ]] && exit 0; sleep 0.1; done
print -r -- "$shown"; exit 1
END
check "zsh completes" timeout 60 zsh zsh_offers "$shared/zsh/vendor-completions" "$work"

cat >embed.sh <<'END'
cmake -S "$1" -B embed -DCMAKE_PREFIX_PATH="$2" && cmake --build embed
END
check "the example program is built from lockstep-dev" sh embed.sh "$OLDPWD/examples/embed" "${root%/}/usr"
check "and finds a run" ends_with_1 embed/embed "$shared/lockstep/protocols/set-token-lua"
exit $failed
