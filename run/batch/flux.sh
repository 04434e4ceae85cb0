#!/usr/bin/env bash
# flux: --job-name=bellwether
# flux: --nodes=2
# flux: --exclusive
# flux: --time-limit=30m
# flux: --output=bellwether-{{id}}.log
# SPDX-License-Identifier: MIT
# Bellwether under Flux: flux batch flux.sh. Edit the lines marked <-- and the nodes above.
# Written after flux-batch(1), flux-run(1) and flux-job(1) of flux-core; never tried under Flux yet.
# --exclusive: neighbours would change the bandwidth that is measured.

module load openmpi kokkos openblas  # <-- what Bellwether was built with; not for a bundle
set -euo pipefail

bellwether=${BELLWETHER:-$HOME/bellwether/build/release/bellwether}  # <-- or a bundle's launcher
backend=${BACKEND:-kokkos}                                           # <-- or cuda
per_node=64                                                          # <-- ranks: one per core, or per GPU
calibration=() sampling=()              # <-- to try: (--quick) (--time-budget 1)
cells=(1536 1536 1536)                                               # <-- cells of the whole domain
nodes=$(flux resource list -n -o {nnodes})
layout=$nodes-nodes-$((nodes * per_node))-ranks
job=$(flux getattr jobid)
export OMP_PROC_BIND=close OMP_PLACES=cores                          # for a Kokkos with OpenMP

# The limit is the batch job's: what runs in it gets SIGTERM a minute before, and ends in order (status
# 5). An Open MPI 5 needs -o pmi=pmix; GPU ranks want --gpus-per-node too.
launch() {
  flux run --nodes="$nodes" --tasks-per-node="$per_node" --exclusive --setopt=cpu-affinity=per-task \
    --time-limit="$(flux job timeleft)s" --signal=TERM@60s "$@"
}

# TASK=accept: is this allocation as fast as it should be? Calibrates, runs the suite, judges; the
# verdict is at the log's end and in the folder. Give folders of earlier jobs as BASELINES, and the
# folder of a job that was cut short as FOLDER.
if [[ ${TASK:-run} == accept ]]; then
  baselines=() resume=()
  if [[ ${BASELINES:-} ]]; then read -ra baselines <<<"--baseline $BASELINES"; fi
  folder=${FOLDER:-accept-$backend-$layout-$job}
  if [[ -e $folder/accept.json ]]; then resume=(--resume); fi
  launch "$bellwether" accept --suite "${SUITE:-quick}" --backend "$backend" \
    --time-limit "$(flux job timeleft)" "${baselines[@]}" "${resume[@]}" -o "$folder"
  exit
fi

# Calibrate under the layout that will run: nodes, ranks per node and binding are the same below.
machine=machine-$backend-$layout.json
if [[ ! -e $machine ]]; then
  launch "$bellwether" calibrate "${calibration[@]}" --backend "$backend" -o "$machine"
fi

# Each finished case is one line, appended at once: what a killed job had finished is kept.
launch "$bellwether" run diffusion --cells "${cells[@]}" --precision f64 --overlap both \
  "${sampling[@]}" --backend "$backend" --machine "$machine" -o "results-$job.jsonl"

# Larger than this machine: no MPI, one core.
"$bellwether" predict diffusion --cells "${cells[@]}" --precision f64 --machine "$machine" \
  --ranks 1:65536 --overlap both
