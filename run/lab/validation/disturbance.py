# SPDX-License-Identifier: MIT
"""A process of known bandwidth beside what is measured: copies blocks far beyond the caches, as many a
second as make the rate, and says what it moved."""
import contextlib
import os
import subprocess
import sys
import time

BLOCK = 32 << 20


def copy(bytes_per_s, end_s=float("inf"), parent=None):
    """Read and written bytes together; never faster than asked, slower where memory or the processor
    does not allow it, and no longer than its parent process lives, if one is named. Returns the rate
    that it had."""
    source, target = memoryview(bytearray(4 * BLOCK)), memoryview(bytearray(4 * BLOCK))
    begin, moved, block = time.monotonic(), 0, 0
    while time.monotonic() - begin < end_s and parent in (None, os.getppid()):
        at = block % 4 * BLOCK
        target[at:at + BLOCK] = source[at:at + BLOCK]
        block += 1
        moved += 2 * BLOCK
        time.sleep(max(0.0, moved / bytes_per_s - (time.monotonic() - begin)))
    return moved / (time.monotonic() - begin)


@contextlib.contextmanager
def beside(gigabytes_per_s):
    """While the block runs; 0: nothing."""
    if not gigabytes_per_s:
        yield
        return
    process = subprocess.Popen([sys.executable, __file__, str(gigabytes_per_s), str(os.getpid())])
    try:
        yield
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    copy(1e9 * float(sys.argv[1]), parent=int(sys.argv[2]))
