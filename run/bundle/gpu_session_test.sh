#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Unpacks the gpu-session bundle and runs all its steps elsewhere, at the smallest sizes, on the GPU made
# of CPU in the place of a GPU: gpu_session_test.sh TARBALL FOLDER_OF_HOST_GPU
# Before that it must say that there is no GPU. Python comes from this machine.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/elsewhere.sh"
most_files=8

unpack "$1"
no_strangers

python=$(python3 -I -c 'import os, sys; print(os.path.realpath(sys.executable))')
if can_isolate; then
  library=$("$python" -I -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
  mkdir -p "$root$library"
  tar --create --directory="$library" --exclude=site-packages --exclude=dist-packages --exclude=test \
    --exclude=__pycache__ --exclude='*.a' . | tar --extract --directory="$root$library"
  tools=(cat env head)
  put "$python" "$library"/lib-dynload/*.so "${tools[@]/#//usr/bin/}"
fi

commands='set -eu
status=0
"$3" "$1/gpu-session" all --smallest -o "$2/none" || status=$?
[ "$status" -eq 3 ] || { echo "gpu_session_test: status $status without a GPU" >&2; exit 1; }'
if "$bundle/bellwether" run diffusion --cells 8 8 8 --steps 1 --backend cuda &>/dev/null; then
  echo "gpu_session_test: this machine has a GPU"
else
  elsewhere "$commands" "$python"
fi

for library in "$2"/lib*.so*; do
  cp --dereference "$library" "$bundle/lib/"
  patchelf --force-rpath --set-rpath '$ORIGIN' "$bundle/lib/$(basename "$library")"
done
# Libraries with other knobs: here all the same one.
mkdir "$bundle/knobs"
cp "$bundle/lib/libbellwether_cuda.so" "$bundle/knobs/LBM_THREADS=64.so"
patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$bundle/knobs/LBM_THREADS=64.so"
commands='set -eu
PATH=$PATH:/usr/bin HOST_GPU_SEED=1 HOST_GPU_HOST_ACCESS=1
export PATH HOST_GPU_SEED HOST_GPU_HOST_ACCESS
"$3" "$1/gpu-session" all --smallest -o "$2/session"'
elsewhere "$commands" "$python"
files=$(find "$root/tmp/session" -type f | wc -l)
((files <= most_files)) || { echo "gpu_session_test: $files files, at most $most_files" >&2; exit 1; }
grep -q 'No step failed' "$root/tmp/session/summary.txt"
echo "gpu_session_test: passed"
