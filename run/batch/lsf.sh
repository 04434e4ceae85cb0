#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bellwether under LSF: bsub < lsf.sh. Edit the lines marked <-- for your machine.
# Written after the bsub reference of LSF 10.1; never tried under LSF yet.
#BSUB -J bellwether
#BSUB -n 128
#BSUB -R "span[ptile=64]"
#BSUB -x
#BSUB -W 0:30
#BSUB -wa USR2 -wt 1
#BSUB -o bellwether-%J.log
# <-- -n ranks in all, ptile ranks per node. CPU: one rank per core. GPU: one per GPU, as in
#     -n 8, span[ptile=4] and #BSUB -gpu "num=4:mode=shared:j_exclusive=yes".
# -x: neighbours would change the bandwidth that is measured.
# -wa USR2 -wt 1: SIGUSR2 a minute before the end, which mpirun passes on and this script outlives:
# the run ends in order (status 5; Open MPI's mpirun would make SIGTERM a status of 1).

module load openmpi kokkos openblas  # <-- what Bellwether was built with; not for a bundle
set -euo pipefail
trap : USR2

bellwether=${BELLWETHER:-$HOME/bellwether/build/release/bellwether}  # <-- or a bundle's launcher
mpirun=${MPIRUN:-mpirun}                                             # <-- or the same bundle's
backend=${BACKEND:-kokkos}                                           # <-- or cuda
calibration=() sampling=()              # <-- to try: (--quick) (--time-budget 1)
cells=(1536 1536 1536)                                               # <-- cells of the whole domain
limit_s=1800                                # <-- -W above: LSF tells no job its own
ranks=$(wc -l <"$LSB_DJOB_HOSTFILE")                                 # one line per rank
nodes=$(sort -u "$LSB_DJOB_HOSTFILE" | wc -l)
layout=$nodes-nodes-$ranks-ranks

# Open MPI's options; a GPU rank wants --map-by ppr:4:node --bind-to none or the site's own binding.
launch=("$mpirun" -n "$ranks" --hostfile "$LSB_DJOB_HOSTFILE" --map-by core --bind-to core
  -x OMP_PROC_BIND=close -x OMP_PLACES=cores)

# TASK=accept: is this allocation as fast as it should be? Calibrates, runs the suite, judges; the
# verdict is at the log's end and in the folder. Give folders of earlier jobs as BASELINES, and the
# folder of a job that was cut short as FOLDER.
if [[ ${TASK:-run} == accept ]]; then
  baselines=() resume=()
  if [[ ${BASELINES:-} ]]; then read -ra baselines <<<"--baseline $BASELINES"; fi
  folder=${FOLDER:-accept-$backend-$layout-$LSB_JOBID}
  if [[ -e $folder/accept.json ]]; then resume=(--resume); fi
  "${launch[@]}" "$bellwether" accept --suite "${SUITE:-quick}" --backend "$backend" \
    --time-limit $((limit_s - SECONDS)) "${baselines[@]}" "${resume[@]}" -o "$folder"
  exit
fi

# Calibrate under the layout that will run: nodes, ranks per node and binding are the same below.
machine=machine-$backend-$layout.json
if [[ ! -e $machine ]]; then
  "${launch[@]}" "$bellwether" calibrate "${calibration[@]}" --backend "$backend" -o "$machine"
fi

# Each finished case is one line, appended at once: what a killed job had finished is kept.
"${launch[@]}" "$bellwether" run diffusion --cells "${cells[@]}" --precision f64 --overlap both \
  "${sampling[@]}" --backend "$backend" --machine "$machine" -o "results-$LSB_JOBID.jsonl"

# Larger than this machine: no MPI, one core.
"$bellwether" predict diffusion --cells "${cells[@]}" --precision f64 --machine "$machine" \
  --ranks 1:65536 --overlap both
