# Of bellwether fleet: marks that the job began and how it ended. A pair's nodes have results of their own.
if [[ ${PLAN:-} ]]; then
  for node in $ALONE; do [[ -e ${FOLDER%/*}/$node/verdict.json ]] || exit 0; done
  [[ ! -e $FOLDER/verdict.json ]] || exit 0
  rm -f "$FOLDER.ended"
  echo "$PLAN $(date +%s)" >"$FOLDER.started"
  trap 'echo "$? $(date +%s)" >"$FOLDER.ended"' EXIT
fi

