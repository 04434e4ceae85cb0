# SPDX-License-Identifier: MIT
# Completes bellwether's subcommands, options and their choices in bash, as its --help lists them.
_bellwether() {
  local program=$1 word=$2 before=$3 verbs=() other help choices
  for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $other == -* ]] && break
    verbs+=("$other")
  done
  help=$("$program" "${verbs[@]}" --help 2>/dev/null) || return
  if [[ $before == --* ]]; then
    choices=$(sed -nE "s/^  (-.,)?$before ([a-z0-9]+\|[^ =]*).*/\2/p" <<<"$help")
  elif [[ $word == -* ]]; then
    choices=$(sed -nE 's/^  (-.,)?(--[-a-z]+).*/\2/p' <<<"$help")
  else
    choices=$(sed -nE '/^Subcommands:/,/^$/s/^  ([a-z]+).*/\1/p' <<<"$help")
  fi
  mapfile -t COMPREPLY < <(compgen -W "${choices//|/ }" -- "$word")
}
complete -o bashdefault -o default -F _bellwether bellwether
