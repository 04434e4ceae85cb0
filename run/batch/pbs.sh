#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bellwether under PBS Pro or OpenPBS: qsub pbs.sh. Edit the lines marked <-- for your machine.
# Written after qsub(1B) of OpenPBS; never tried under PBS yet.
#PBS -N bellwether
#PBS -l select=2:ncpus=64:mpiprocs=64
#PBS -l place=scatter:excl
#PBS -l walltime=00:30:00
#PBS -j oe
# <-- select: CPU: one rank (mpiprocs) per core. GPU: one per GPU, as in
#     select=2:ncpus=64:ngpus=4:mpiprocs=4. excl: neighbours would change the bandwidth measured.
# At the walltime PBS sends SIGTERM, and SIGKILL after the server's kill_delay: the run uses the
# time between to end in order. Open MPI's mpirun then ends with 1, whatever its ranks say.

module load openmpi kokkos openblas  # <-- what Bellwether was built with; not for a bundle
set -euo pipefail
cd "$PBS_O_WORKDIR"

bellwether=${BELLWETHER:-$HOME/bellwether/build/release/bellwether}  # <-- or a bundle's launcher
mpirun=${MPIRUN:-mpirun}                                             # <-- or the same bundle's
backend=${BACKEND:-kokkos}                                           # <-- or cuda
calibration=() sampling=()              # <-- to try: (--quick) (--time-budget 1)
cells=(1536 1536 1536)                                               # <-- cells of the whole domain
limit_s=1800                                # <-- walltime above: PBS tells no job its own
ranks=$(wc -l <"$PBS_NODEFILE")                                      # one line per rank
nodes=$(sort -u "$PBS_NODEFILE" | wc -l)
layout=$nodes-nodes-$ranks-ranks

# Open MPI's options; a GPU rank wants --map-by ppr:4:node --bind-to none or the site's own binding.
launch=("$mpirun" -n "$ranks" --hostfile "$PBS_NODEFILE" --map-by core --bind-to core
  -x OMP_PROC_BIND=close -x OMP_PLACES=cores)

# TASK=accept: is this allocation as fast as it should be? Calibrates, runs the suite, judges; the
# verdict is at the log's end and in the folder. Give folders of earlier jobs as BASELINES, and the
# folder of a job that was cut short as FOLDER.
if [[ ${TASK:-run} == accept ]]; then
  baselines=() resume=()
  if [[ ${BASELINES:-} ]]; then read -ra baselines <<<"--baseline $BASELINES"; fi
  folder=${FOLDER:-accept-$backend-$layout-${PBS_JOBID%%.*}}
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
  "${sampling[@]}" --backend "$backend" --machine "$machine" -o "results-${PBS_JOBID%%.*}.jsonl"

# Larger than this machine: no MPI, one core.
"$bellwether" predict diffusion --cells "${cells[@]}" --precision f64 --machine "$machine" \
  --ranks 1:65536 --overlap both
