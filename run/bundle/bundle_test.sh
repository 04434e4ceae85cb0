#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Unpacks a bundle and runs it elsewhere, on one node and as on two: bundle_test.sh TARBALL
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/elsewhere.sh"

unpack "$1"
no_strangers
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
elsewhere "$commands"
[[ $(wc -l <"$root/tmp/results.jsonl") -ge 2 ]] ||
  { echo "bundle_test: the runs left too few records" >&2; exit 1; }
echo "bundle_test: passed"
