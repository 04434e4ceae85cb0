# SPDX-License-Identifier: MIT
"""Linux namespaces, in a Python that has no os.unshare yet (3.12). What is made in a namespace goes
when its last process ends: nothing here has to be undone."""
import ctypes
import os
import signal

NEW_MOUNTS, NEW_NAMES, NEW_IPC, NEW_PIDS, NEW_NETWORK = (
    0x00020000, 0x04000000, 0x08000000, 0x20000000, 0x40000000)
BIND, PRIVATE, RECURSIVE = 0x1000, 1 << 18, 0x4000

_libc = ctypes.CDLL(None, use_errno=True)


def _check(status, what):
    if status != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


def unshare(flags, what):
    """Puts this process into new namespaces; new process ids: its children."""
    _check(_libc.unshare(flags), what)


def mount(source, target, kind=None, flags=0):
    words = [word.encode() if word else None for word in (source, target, kind)]
    _check(_libc.mount(*words, ctypes.c_ulong(flags), None), f"mounting {target}")


def own_mounts(what):
    """New mounts from here on are this process's and its children's alone."""
    unshare(NEW_MOUNTS, what)
    mount(None, "/", flags=PRIVATE | RECURSIVE)


def die_with_parent():
    _check(_libc.prctl(1, ctypes.c_ulong(signal.SIGKILL)), "prctl")  # PR_SET_PDEATHSIG
