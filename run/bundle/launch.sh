#!/bin/sh
# SPDX-License-Identifier: MIT
# Starts the program of the same name in this bundle's bin/, wherever the bundle stands: tells Open
# MPI and PMIx where their parts are now. The libraries are found by the programs' own run paths, but for
# CUDA's, which a hypre for CUDA needs: where nothing else names them, the toolkit's.
set -eu
self=$0
if [ -L "$self" ]; then self=$(readlink -f "$self"); fi
case $self in */*) here=${self%/*} ;; *) here=. ;; esac
here=$(cd -P "$here" && pwd -P)

export OPAL_PREFIX="$here" OPAL_BINDIR="$here/bin" OPAL_LIBDIR="$here/lib"
export OPAL_PKGLIBDIR="$here/lib/openmpi" OPAL_PKGDATADIR="$here/share/openmpi"
export OPAL_SYSCONFDIR="$here/etc"
export PMIX_PREFIX="$here" PMIX_LIBDIR="$here/lib" PMIX_PKGLIBDIR="$here/lib/pmix"
export PMIX_PKGDATADIR="$here/share/pmix" PMIX_SYSCONFDIR="$here/etc"
export HWLOC_PLUGINS_PATH="$here/lib/hwloc" UCX_MODULE_DIR="$here/lib/ucx"
# Daemons on other nodes start through this launcher too.
export OMPI_MCA_orte_launch_agent="$here/orted"
# Without a remote shell Open MPI would give up even on one node.
if [ -z "${OMPI_MCA_plm_rsh_agent:-}" ] && ! command -v ssh >/dev/null &&
  ! command -v rsh >/dev/null; then
  export OMPI_MCA_plm="${OMPI_MCA_plm:-^rsh}"
fi
cuda=${CUDA_HOME:-/usr/local/cuda}/lib64
if [ -d "$cuda" ]; then export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$cuda"; fi

exec "$here/bin/${self##*/}" "$@"
