#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Gathers a program and everything it needs but glibc and CUDA's libraries into a tree that runs
# from any folder: bundle.sh PROGRAM VERSION MPIEXEC DIRECTORY [TESTS]
# Writes DIRECTORY/NAME-VERSION-ARCH/ and the same as .tar.gz. Open MPI 4 is the MPI it knows.
# With TESTS, a build's gpu_tests.txt, it is run/lab/gpu-session that is bundled: with it the test programs,
# without symbols, and the sources that its steps depend on (run/lab/gpu_session/done.py).
set -euo pipefail

program=$1 version=$2 mpiexec=$3 directory=$4 tests=${5:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
name=$([[ $tests ]] && echo gpu-session || basename "$program")-$version-$(uname -m)
tree=$directory/$name
part=$tree.part

fail() { printf 'bundle: %s\n' "$@" >&2; exit 3; }

ompi_info=$(dirname "$mpiexec")/ompi_info
for tool in patchelf ldd "$ompi_info"; do
  command -v "$tool" >/dev/null || fail "needs $tool on PATH"
done
mpi_version=$("$ompi_info" --version 2>/dev/null | sed -n 's/^Open MPI v//p')
[[ $mpi_version == 4.* ]] ||
  fail "knows Open MPI 4 alone, this build's MPI is ${mpi_version:-another}. Build on the cluster."

# What the target machine brings: glibc, and CUDA where the program uses it.
is_glibc() {
  [[ $1 =~ ^(ld-linux.*|linux-vdso.*|lib(c|m|mvec|pthread|dl|rt|util|resolv|anl|nss_.*)\.so.*)$ ]]
}
is_cuda() { [[ $1 =~ ^lib(cuda|cudart|cublas|cusparse|cusolver|cufft|curand|nv).*\.so ]]; }

# add_library NAME PATH: under lib/, with its variants for higher processor levels.
add_library() {
  local file=$1 from folder level
  from=$(dirname "$2")
  [[ -e $part/lib/$file ]] && return
  folder=${from%/glibc-hwcaps/*}
  cp --dereference "$folder/$file" "$part/lib/$file"
  for level in "$folder"/glibc-hwcaps/*/"$file"; do
    [[ -e $level ]] || continue
    level=$(dirname "$level")
    mkdir -p "$part/lib/glibc-hwcaps/$(basename "$level")"
    cp --dereference "$level/$file" "$part/lib/glibc-hwcaps/$(basename "$level")/$file"
  done
  from_path[$file]=$folder
}

# add_libraries_of FILE: all that FILE loads, directly or not; false when one cannot be found.
add_libraries_of() {
  local library arrow path rest found
  found=$(ldd "$1" 2>/dev/null) || return 1
  while read -r library arrow path rest; do
    [[ $arrow == "=>" ]] || continue
    is_glibc "$library" && continue
    is_cuda "$library" && continue
    [[ $path == /* ]] || return 1
    add_library "$library" "$path"
  done <<<"$found"
}

# add_plugins FOLDER GLOB DESTINATION: shared objects that are loaded by name while running. One
# whose own libraries are not on this machine could not be used here either, and stays out.
add_plugins() {
  local plugin
  mkdir -p "$part/$3"
  for plugin in "$1"/$2; do
    if [[ -f $plugin ]] && add_libraries_of "$plugin"; then
      cp --dereference "$plugin" "$part/$3/"
    fi
  done
}

copy_texts() { mkdir -p "$part/$2" && cp -R "$1"/. "$part/$2/"; }

declare -A from_path=()
rm -rf "$part"
mkdir -p "$part"/{bin,lib,share,etc}

cp "$program" "$part/bin/"
add_libraries_of "$program" || fail "a library of $program is not found: see ldd $program"

mpi_path() { "$ompi_info" --parsable --path "$1" | sed -n "s/^path:$1://p"; }
bindir=$(mpi_path bindir)
for tool in mpirun orted; do
  cp --dereference "$bindir/$([[ $tool == mpirun ]] && echo orterun || echo "$tool")" \
    "$part/bin/$tool"
  add_libraries_of "$bindir/$tool" || fail "a library of $bindir/$tool is not found"
done
add_plugins "$(mpi_path pkglibdir)" 'mca_*.so' lib/openmpi
copy_texts "$(mpi_path pkgdatadir)" share/openmpi
cp "$(mpi_path sysconfdir)"/openmpi-*.conf "$part/etc/"
for known in libpmix.so.2:pmix libhwloc.so.15:hwloc libucs.so.0:ucx; do
  folder=${from_path[${known%%:*}]:-}
  [[ -n $folder ]] || continue
  case $known in
    # The plug-ins for displays and XML would pull in a desktop's libraries and are not needed.
    *:hwloc) add_plugins "$(realpath "$folder")/hwloc" 'hwloc_pci.so' lib/hwloc ;;
    *:ucx) add_plugins "$(realpath "$folder")/ucx" '*.so.[0-9]' lib/ucx ;;
    *:pmix)
      folder=$(dirname "$(realpath "$folder/libpmix.so.2")")
      add_plugins "$folder/pmix" '*.so' lib/pmix
      copy_texts "$(dirname "$folder")/share/pmix" share/pmix
      ;;
  esac
done
if [[ -n ${from_path[libibverbs.so.1]:-} ]]; then  # InfiniBand drivers, found through the run path
  add_plugins "$(realpath "${from_path[libibverbs.so.1]}")/libibverbs" '*-rdmav*.so' lib
fi

add_gpu_session() {
  local test ranks
  while read -r test ranks; do
    cp "$(dirname "$tests")/$test" "$part/bin/"
    add_libraries_of "$(dirname "$tests")/$test" || fail "a library of $test is not found"
    launched+=("$(basename "$test")")
    echo "$(basename "$test")${ranks:+ $ranks}"
  done <"$tests" >"$part/gpu_tests.txt"
  find "$part/bin" "$part/lib" -type f -exec strip --strip-unneeded {} +
  mkdir -p "$part/run/lab/validation"
  cp -R "$source"/run/lab/{gpu-session,gpu_session,cuda-library} "$part/run/lab/"
  find "$part/run" -name __pycache__ -prune -exec rm -rf {} +
  cp "$source"/run/lab/validation/{again,report,statistics}.py "$part/run/lab/validation/"
  ln -s run/lab/gpu-session "$part/gpu-session"
  if [[ -f $source/results/gpu/done.jsonl ]]; then
    mkdir -p "$part/results/gpu"
    cp "$source/results/gpu/done.jsonl" "$part/results/gpu/"
  fi
  (cd "$source" && find kernels miniapps \( -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.hpp' \
    -o -name cuda.cmake \) ! -name '*_test.*' ! -path '*/host_gpu/*' -print0 |
    xargs -0 cp --parents --target-directory="$part")
}
launched=("$(basename "$program")" mpirun orted)
if [[ $tests ]]; then add_gpu_session; fi

# Run paths relative to each file. RPATH and not RUNPATH: a module's LD_LIBRARY_PATH must not mix
# another Open MPI's libraries into this one.
while IFS= read -r -d '' file; do
  to_lib=$(realpath --relative-to="$(dirname "$file")" "$part/lib")
  chmod u+w "$file"
  patchelf --force-rpath --set-rpath "\$ORIGIN/$to_lib" "$file"
done < <(find "$part/bin" "$part/lib" -type f -print0)

for tool in "${launched[@]}"; do
  install -m 755 "$here/launch.sh" "$part/$tool"
done
glibc=$(find "$part/bin" "$part/lib" -type f -exec grep -aohE 'GLIBC_2\.[0-9]+' {} + |
  sort -Vu | tail -n 1)
cp "$here/../../LICENSE" "$part/LICENSE"
[[ $tests ]] || copy_texts "$here/../batch" batch
session_text=
if [[ $tests ]]; then
  session_text="
On a machine with a GPU:  ./gpu-session all -o results
run/lab/gpu-session is that command, and ./gpu-session --help says what it does.
"
fi
cat >"$part/README" <<TEXT
Bellwether $version for $(uname -m) Linux with glibc ${glibc#GLIBC_} or later; Open MPI $mpi_version.
${session_text}
Move this folder anywhere all nodes can see, under a path without spaces, and start

    ./mpirun -n 2 ./bellwether calibrate --quick
    ./mpirun -n 2 ./bellwether run diffusion --cells 256 256 256 --overlap both

or srun --mpi=pmix ./bellwether ... where Slurm has PMIx. batch/ has job scripts. For InfiniBand
through UCX set OMPI_MCA_pml=ucx OMPI_MCA_osc=ucx; etc/openmpi-mca-params.conf says what is off.
The libraries in lib/ are other projects' work under their own licences.
TEXT

rm -rf "$tree"
mv "$part" "$tree"
tar --create --gzip --owner=0 --group=0 --directory="$directory" --file="$tree.tar.gz.part" "$name"
mv "$tree.tar.gz.part" "$tree.tar.gz"
echo "bundle: $tree ($(du -sh "$tree" | cut -f1), needs glibc ${glibc#GLIBC_})"
echo "bundle: $tree.tar.gz"
