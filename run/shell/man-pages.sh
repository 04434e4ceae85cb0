#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# man-pages.sh PROGRAM VERSION FOLDER: a manual page of each subcommand (bellwether-run-lbm.1), made by help2man
# from what --help prints.
set -euo pipefail
program=$1 version=$2 folder=$3
mkdir -p "$folder"

page() {  # the subcommand's words
  local help name summary verb
  help=$("$program" "$@" --help </dev/null)
  name=$(IFS=-; echo "bellwether${*:+-$*}")
  summary=$(sed '/^Usage:/,$d' <<<"$help" | tr '\n' ' ')
  help2man --no-info --version-string="$version" --source="Bellwether $version" --name="${summary%%. *}" \
    --output="$folder/$name.1" "$program${*:+ $*}" </dev/null
  sed -i 's/^\.SH EXAMPLES$/&\n.nf/' "$folder/$name.1"  # lines stay lines
  # shellcheck disable=SC2013
  for verb in $(sed -nE '/^Subcommands:/,/^$/s/^  ([a-z]+).*/\1/p' <<<"$help"); do page "$@" "$verb"; done
}
page
