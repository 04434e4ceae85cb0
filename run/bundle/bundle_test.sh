#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Unpacks a bundle under a new prefix and runs it with an empty environment: bundle_test.sh TARBALL
# As root, where the kernel allows it, in a root folder that holds nothing but the bundle, glibc, a
# shell, /proc, /sys and /dev (and CUDA's libraries for a program that is linked to them).
set -euo pipefail

root=$(mktemp -d "${TMPDIR:-/tmp}/bundle-XXXXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
mkdir -p "$root"/{moved,tmp,proc,sys,dev,bin}
tar --extract --gzip --file="$1" --directory="$root/moved"
bundle=$(echo "$root"/moved/*)
[[ -x $bundle/bellwether ]] || { echo "bundle_test: no launcher in $1" >&2; exit 1; }

# Every library comes from the bundle, glibc or CUDA.
outside=$(find "$bundle/bin" "$bundle/lib" -type f -exec env -i ldd {} + 2>/dev/null |
  awk -v bundle="$bundle/" '/=>/ && index($3, bundle) != 1 {print $1, $3}' | sort -u)
strangers=$(grep -vE '^(ld-linux|lib(c|m|mvec|pthread|dl|rt|util|resolv|anl)\.so)|^lib(cu|nv)' \
  <<<"$outside" || true)
if [[ -n $strangers ]]; then
  printf 'bundle_test: libraries from outside the bundle:\n%s\n' "$strangers" >&2
  exit 1
fi

commands='set -eu
"$1/bellwether" --version
"$1/bellwether" --help >/dev/null
mpirun="$1/mpirun --allow-run-as-root --oversubscribe --bind-to none --timeout 60"
run="$1/bellwether run diffusion --cells 32 32 32 --steps 10 -o $2/results.jsonl"
$mpirun -n 2 $run
echo "bundle_test: as on two nodes, behind a remote shell that knows nothing of the bundle"
export OMPI_MCA_plm_rsh_agent="$2/remote_shell"
$mpirun -H 127.0.0.2,127.0.0.3 -n 2 $run'
# Each "node" has a folder for temporary files of its own, as real ones do: Open MPI's daemons of one
# job would else write their topology into one shared file at once, and crash.
printf '%s\n' '#!/bin/sh' 'unset OPAL_PREFIX PMIX_PREFIX' \
  'export TMPDIR="${0%/*}/$1"' 'mkdir -p "$TMPDIR"' 'shift' 'exec /bin/sh -c "$*"' \
  >"$root/tmp/remote_shell"
chmod +x "$root/tmp/remote_shell"

can_isolate() { ((EUID == 0)) && unshare --mount chroot / true 2>/dev/null; }
if can_isolate; then
  shell_and_glibc=$( { echo /bin/sh; ldd /bin/sh; env -i ldd "$bundle/bin/bellwether"; } |
    grep -oE '/[^ ]+' | grep -vF "$bundle/" | sort -u)
  libc_folder=$(dirname "$(grep -E '/libc\.so' <<<"$shell_and_glibc" | head -n 1)")
  for file in $shell_and_glibc "$libc_folder"/lib{m,mvec,pthread,dl,rt,util,resolv,anl}.so.*; do
    [[ -e $file ]] && mkdir -p "$root$(dirname "$file")" && cp --dereference "$file" "$root$file"
  done
  mkdir -p "$root/etc" && echo 'root:x:0:0::/tmp:/bin/sh' >"$root/etc/passwd"
  echo "bundle_test: in a root folder of its own"
  unshare --mount bash -euc '
    PATH=/usr/sbin:/usr/bin:/sbin:/bin
    mount --make-rprivate /
    for i in proc sys dev; do mount --rbind "/$i" "$1/$i"; done
    exec env -i PATH=/bin HOME=/tmp "$(command -v chroot)" "$1" \
      /bin/sh -c "$2" sh "${3#"$1"}" /tmp' bash "$root" "$commands" "$bundle"
else
  echo "bundle_test: with an empty environment (a root folder of its own needs root)"
  env -i PATH=/usr/bin:/bin HOME="$root/tmp" /bin/sh -c "$commands" sh "$bundle" "$root/tmp"
fi
[[ $(wc -l <"$root/tmp/results.jsonl") -ge 2 ]] ||
  { echo "bundle_test: the runs left too few records" >&2; exit 1; }
echo "bundle_test: passed"
