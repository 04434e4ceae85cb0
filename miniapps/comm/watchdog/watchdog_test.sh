#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# watchdog_test.sh BEHAVIOUR RANKS PROGRAM LAUNCHER...: runs the demo that goes wrong and checks what
# is said, how often, the exit status, and that no process is left. RANKS is a list of counts, "1 2",
# which run side by side, as they wait most of the time; LAUNCHER has the word RANKS for the count.
set -u -o pipefail
behaviour=$1 ranks=$2 program=$3
shift 3
if [[ $ranks == *' '* ]]; then
  running=()
  for count in $ranks; do
    "$0" "$behaviour" "$count" "$program" "${@/#RANKS/$count}" 2>&1 | sed "s/^/[$count ranks] /" &
    running+=($!)
  done
  failures=0
  for one in "${running[@]}"; do wait "$one" || failures=1; done
  exit $failures
fi

case $behaviour in
  stop) limit=3 ;; # above the time after which a silent watcher is replaced
  *) limit=1.5 ;;
esac
victim=$((ranks > 1 ? 1 : 0))
named="rank $victim \(host [^)]+\)"
where='in phase compute\.interior, step 10'
end='; the run ends here, finished records are on disk'
signalled="$where \(rank [0-9]+, host [^)]+\); finished records are on disk"
case $behaviour in
  healthy | slow) status='0' line='' ;;
  sleep) status='5' line="$named stopped answering for [1-9][0-9]* s $where$end" ;;
  stop) status='5' line="$named stopped answering for ([3-9]|[1-9][0-9]+) s $where$end" ;;
  deadlock) status='5' line="rank [0-9]+ \(host [^)]+\) has waited ([4-9]|[1-9][0-9]+) s for other ranks in phase network, step 10$end" ;;
  # The launcher reports a killed rank by its signal, whatever the others do.
  kill) status='5|137' line="$named died $where$end" ;;
  throw) status='6' line='' ;;
  refuse | all_refuse | agree) status='2' line='' ;;
  terminate) status='5' line="ended by SIGTERM $signalled" ;;
  interrupt) status='5' line="ended by SIGINT $signalled" ;;
  stop_before) status='5' line="$named stopped answering for [1-9][0-9]* s in phase MPI_Init, step 0$end" ;;
  stop_after) status='5' line="$named stopped answering for [1-9][0-9]* s in phase MPI_Finalize, step 20$end" ;;
  # Open MPI's launcher says 1 of itself, whatever its ranks say; SIGUSR1 it passes on to them.
  launcher) status='1|5' line="ended by SIGTERM in phase [a-z.]+, step [0-9]+ \(rank [0-9]+, host [^)]+\); finished records are on disk" ;;
  launcher_usr1) status='5' line="ended by SIGUSR1 in phase [a-z.]+, step [0-9]+ \(rank [0-9]+, host [^)]+\); finished records are on disk" ;;
  *) echo "unknown behaviour $behaviour"; exit 1 ;;
esac

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [[ $behaviour =~ ^launcher ]]; then # a signal to the launcher while a rank sleeps
  "$@" "$program" 60 sleep >"$folder/out" 2>"$folder/err" &
  launcher=$!
  until [ "$(grep -c '^step 10' "$folder/out" 2>/dev/null)" = "$ranks" ]; do sleep 0.1; done
  if [ "$behaviour" = launcher ]; then kill -TERM "$launcher"; else kill -USR1 "$launcher"; fi
  wait "$launcher"
else
  "$@" "$program" "$limit" "$behaviour" >"$folder/out" 2>"$folder/err"
fi
found=$?

failures=0
fail() { echo "FAILED: $*"; failures=1; }
[[ $found =~ ^($status)$ ]] || fail "exit status $found, expected $status"
lines=$(grep -c '^bellwether: ' "$folder/err")
if [ -z "$line" ]; then
  [ "$lines" = 0 ] || fail "expected no line from a watchdog, found $lines"
else
  [ "$lines" = 1 ] || fail "expected one line from a watchdog, found $lines"
  grep -Eq "^bellwether: $line\$" "$folder/err" || fail "expected: bellwether: $line"
fi
if [[ $behaviour =~ ^(throw|refuse|all_refuse|agree)$ ]]; then
  [ "$(grep -c '^error: fault of one rank$' "$folder/err")" = 1 ] || fail "expected the error once"
fi
[ "$(grep -c '^pid' "$folder/out")" = "$ranks" ] || fail "not all ranks started"
for pid in $(sed -n 's/^pid //p' "$folder/out"); do
  for _ in {1..30}; do
    kill -0 "$pid" 2>/dev/null || continue 2
    sleep 0.1
  done
  fail "process $pid is left running"
done
((failures == 0)) || cat "$folder/err"
exit $failures
