#!/usr/bin/env bash
# Builds the image of Containerfile upon a Debian 12 that debootstrap makes, and checks a protocol
# of a mounted folder in it. Needs root, buildah and debootstrap; some ten minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."

place=$(mktemp -d -t lockstep-image-XXXXXX)
trap 'rm -rf "$place"' EXIT
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$place/images" --runroot "$place/run" "$@"; }

debootstrap --variant=minbase bookworm "$place/base" http://deb.debian.org/debian >/dev/null
base=$(buildah from scratch)
buildah copy --quiet "$base" "$place/base" / >/dev/null
buildah commit --quiet "$base" localhost/debian12 >/dev/null
buildah bud --quiet --build-arg BASE=localhost/debian12 -t lockstep -f Containerfile . >/dev/null

image=$(buildah from lockstep)
mkdir "$place/work"
in_image() { buildah run -v "$place/work:/work" "$image" -- lockstep "$@"; }
in_image new my-lock
in_image check ./my-lock --fault pause=1 >"$place/out" && found=0 || found=$?
cat "$place/out"
[ "$found" -eq 1 ] && grep -q '^VIOLATED' "$place/out"
