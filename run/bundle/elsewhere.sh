# SPDX-License-Identifier: MIT
# For the tests of bundles, to be sourced: unpacks one under a new prefix, $bundle, and runs it with an
# empty environment. As root, where the kernel allows it, in a root folder, $root, that holds nothing but
# the bundle, glibc, a shell, /proc, /sys, /dev and what is put there (and CUDA's libraries for a program
# that is linked to them).

# unpack TARBALL
unpack() {
  root=$(mktemp -d "${TMPDIR:-/tmp}/bundle-XXXXXXXX")
  trap 'rm -rf --one-file-system "$root"' EXIT
  mkdir -p "$root"/{moved,tmp,proc,sys,dev,bin}
  tar --extract --gzip --file="$1" --directory="$root/moved"
  bundle=$(echo "$root"/moved/*)
  [[ -x $bundle/bellwether ]] || { echo "$0: no launcher in $1" >&2; exit 1; }
}

# Every library comes from the bundle, glibc or CUDA, and none from the working directory.
no_strangers() {
  local outside strangers
  python3 -I "$(dirname "${BASH_SOURCE[0]}")/../run_paths_test.py" "$bundle"
  outside=$(find "$bundle/bin" "$bundle/lib" -type f -exec env -i ldd {} + 2>/dev/null |
    awk -v bundle="$bundle/" '/=>/ && index($3, bundle) != 1 {print $1, $3}' | sort -u)
  strangers=$(grep -vE '^(ld-linux|lib(c|m|mvec|pthread|dl|rt|util|resolv|anl)\.so)|^lib(cu|nv)' \
    <<<"$outside" || true)
  if [[ -n $strangers ]]; then
    printf "$0: libraries from outside the bundle:\n%s\n" "$strangers" >&2
    exit 1
  fi
}

can_isolate() { ((EUID == 0)) && unshare --mount chroot / true 2>/dev/null; }

# put FILE...: into the root folder, each with the libraries that it loads; CUDA's where its toolkit is
# installed by default.
put() {
  local file place
  for file in "$@" $(env -i ldd "$@" 2>/dev/null | grep -oE '/[^ :]+' | grep -vF "$bundle/" | sort -u); do
    place=$root$file
    [[ $(basename "$file") =~ ^lib(cu|nv) ]] && place=$root/usr/local/cuda/lib64/$(basename "$file")
    if [[ -f $file && ! -e $place ]]; then
      mkdir -p "$(dirname "$place")"
      cp --dereference "$file" "$place"
    fi
  done
}

# elsewhere COMMANDS WORD...: in a shell of the root folder, with the bundle's path, /tmp and the words.
elsewhere() {
  local commands=$1 libc_folder
  shift
  if can_isolate; then
    put /bin/sh "$bundle/bin/bellwether"
    libc_folder=$(dirname "$(ldd /bin/sh | grep -oE '/[^ ]*/libc\.so[^ ]*')")
    put "$libc_folder"/lib{m,mvec,pthread,dl,rt,util,resolv,anl}.so.*
    mkdir -p "$root/etc" && echo 'root:x:0:0::/tmp:/bin/sh' >"$root/etc/passwd"
    echo "$0: in a root folder of its own"
    unshare --mount bash -euc '
      PATH=/usr/sbin:/usr/bin:/sbin:/bin
      root=$1 commands=$2 bundle=$3
      shift 3
      mount --make-rprivate /
      for i in proc sys dev; do mount --rbind "/$i" "$root/$i"; done
      exec env -i PATH=/bin HOME=/tmp "$(command -v chroot)" "$root" \
        /bin/sh -c "$commands" sh "${bundle#"$root"}" /tmp "$@"' bash "$root" "$commands" "$bundle" "$@"
  else
    echo "$0: with an empty environment (a root folder of its own needs root)"
    env -i PATH=/usr/bin:/bin HOME="$root/tmp" /bin/sh -c "$commands" sh "$bundle" "$root/tmp" "$@"
  fi
}
