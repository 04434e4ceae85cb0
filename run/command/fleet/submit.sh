# Submits each of the fleet's jobs that has no verdict yet, and may do so again: a job that was cut short
# goes on. job.sh is the site's to edit. No batch system lets the tasks of one job array ask for nodes of
# their own: each job is submitted by itself.
set -uo pipefail
cd "$(dirname "$0")" || exit 1
mkdir -p jobs
export TASK=accept
minutes=$(((limit_s + 59) / 60))
# What job.sh asks for on each node, of the directives of PBS and of LSF.
chunk=$(sed -n 's/^#PBS -l select=[0-9]*:\([^ ]*\).*/\1/p' job.sh)
ranks=$(sed -n 's/^#BSUB -R "span\[ptile=\([0-9]*\)\].*/\1/p' job.sh)

joined() { # SEPARATOR WORD...
  local IFS=$1
  shift
  echo "$*"
}

submit() { # LOG NODE...
  local log=$1
  shift
  case $scheduler in
    slurm) sbatch --nodes=$# --nodelist="$(joined , "$@")" --time=$minutes --output="$log" job.sh ;;
    pbs) qsub -V -l select="$(joined + "${@/#/1:$chunk:host=}")" \
      -l walltime="$(printf '%02d:%02d:00' $((minutes / 60)) $((minutes % 60)))" -j oe -o "$log" job.sh ;;
    lsf) bsub -n $((ranks * $#)) -m "$*" -W $minutes -o "$log" <job.sh ;;
    flux) flux batch --nodes=$# --requires="host:$(joined , "$@")" --time-limit="${minutes}m" \
      --output="$log" job.sh ;;
  esac
}

failed=0
while read -r -u 3 name suite nodes; do
  if [[ -e jobs/$name/verdict.json ]]; then continue; fi
  read -ra on <<<"$nodes"
  export SUITE=$PWD/$suite FOLDER=$PWD/jobs/$name ALONE=
  if ((${#on[@]} > 1)); then ALONE=$nodes; fi
  if ! submit "jobs/$name.log" "${on[@]}"; then
    echo "not submitted: $name" >&2
    failed=3
  fi
done 3<jobs.txt
exit $failed
