#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bellwether under Slurm: sbatch slurm.sh. Edit the lines marked <-- for your machine.
#SBATCH --job-name=bellwether
#SBATCH --nodes=2                    # <--
#SBATCH --ntasks-per-node=64         # <-- CPU: one rank per core. GPU: one rank per GPU
#SBATCH --cpus-per-task=1            # <-- GPU: the cores of a node / its GPUs
##SBATCH --gpus-per-node=4           # <-- GPU: all of a node's, each rank takes its own
#SBATCH --exclusive                  # neighbours would change the bandwidth that is measured
#SBATCH --time=00:30:00
#SBATCH --signal=TERM@60             # to the ranks, a minute early: the run ends in order, status 5
#SBATCH --output=bellwether-%j.log

module load openmpi kokkos openblas  # <-- what Bellwether was built with; not for a bundle
set -euo pipefail

bellwether=${BELLWETHER:-$HOME/bellwether/build/release/bellwether}  # <-- or a bundle's launcher
backend=${BACKEND:-kokkos}                                           # <-- or cuda
calibration=() sampling=()              # <-- to try: (--quick) (--time-budget 1)
layouts=(64 32 16)                                                   # <-- for sbatch --array=0-2
cells=(1536 1536 1536)                                               # <-- cells of the whole domain
# sbatch --array=0-2: a task of the array for each of the layouts, which are ranks per node: the cores
# that the directives above ask for are shared out among fewer ranks.
per_node=$SLURM_NTASKS_PER_NODE
if [[ ${SLURM_ARRAY_TASK_ID:-} ]]; then per_node=${layouts[SLURM_ARRAY_TASK_ID]}; fi
ranks=$((SLURM_JOB_NUM_NODES * per_node))
layout=$SLURM_JOB_NUM_NODES-nodes-$ranks-ranks
export SRUN_CPUS_PER_TASK=$((SLURM_CPUS_PER_TASK * SLURM_NTASKS_PER_NODE / per_node))
export OMP_PROC_BIND=close OMP_PLACES=cores                          # for a Kokkos with OpenMP

# Older Slurms do not say when the job ends, which accept compares with what its suite takes.
if [[ ! ${SLURM_JOB_END_TIME:-} ]] && end=$(squeue --noheader --jobs="$SLURM_JOB_ID" --format=%e) &&
  end=$(date --date="$end" +%s 2>/dev/null); then
  export SLURM_JOB_END_TIME=$end
fi

# `srun --mpi=list` says what Slurm knows. Where pmix is missing, use mpirun instead of this line:
launch=(srun --mpi=pmix --ntasks="$ranks" --ntasks-per-node="$per_node" --cpu-bind=cores
  --kill-on-bad-exit=1)

# TASK=accept: is this allocation as fast as it should be? Calibrates, runs the suite, judges; the
# verdict is at the log's end and in the folder. Give folders of earlier jobs as BASELINES, and the
# folder of a job that was cut short as FOLDER.
if [[ ${TASK:-run} == accept ]]; then
  baselines=() resume=()
  if [[ ${BASELINES:-} ]]; then read -ra baselines <<<"--baseline $BASELINES"; fi
  folder=${FOLDER:-accept-$backend-$layout-$SLURM_JOB_ID}
  if [[ -e $folder/accept.json ]]; then resume=(--resume); fi
  "${launch[@]}" "$bellwether" accept --suite "${SUITE:-quick}" --backend "$backend" \
    "${baselines[@]}" "${resume[@]}" -o "$folder"
  exit
fi

# Calibrate under the layout that will run: nodes, ranks per node and binding are the same below.
machine=machine-$backend-$layout.json
if [[ ! -e $machine ]]; then
  "${launch[@]}" "$bellwether" calibrate "${calibration[@]}" --backend "$backend" -o "$machine"
fi

# TASK=study: the same over the rank counts of this layout's nodes, and predicted for 16 times as many
# ranks; FOLDER is the folder of a job that was cut short.
if [[ ${TASK:-run} == study ]]; then
  exec "$bellwether" study diffusion --cells "${cells[@]}" --precision f64 --backend "$backend" \
    "${sampling[@]}" --machine "$machine" --slots "$ranks" --launcher "${launch[*]} --ntasks" \
    ${FOLDER:+--resume} -o "${FOLDER:-study-$backend-$layout-$SLURM_JOB_ID}"
fi

# Each finished case is one line, appended at once: what a killed job had finished is kept.
"${launch[@]}" "$bellwether" run diffusion --cells "${cells[@]}" --precision f64 --overlap both \
  "${sampling[@]}" --backend "$backend" --machine "$machine" -o "results-$SLURM_JOB_ID.jsonl"

# Larger than this machine: no MPI, one core.
srun --nodes=1 --ntasks=1 "$bellwether" predict diffusion --cells "${cells[@]}" --precision f64 \
  --machine "$machine" --ranks 1:65536 --overlap both
