# SPDX-License-Identifier: MIT
"""The box's nodes: each a process that holds a network, a host name, shared memory and mounts of its
own, and the cores that its ranks may use."""
import os
import signal
import socket
import time

from box import links, namespaces as ns


def shares(cores, nodes):
    """Cores for each node: as many for each, or one that nodes share where there are too few."""
    each = len(cores) // nodes
    if each == 0:
        return [[cores[node % len(cores)]] for node in range(nodes)]
    return [cores[node * each:(node + 1) * each] for node in range(nodes)]


def name(number):
    return f"node{number}"


def write_hosts(count):
    """Names for the nodes, seen within the box alone."""
    lines = ["127.0.0.1 localhost", f"{links.ADDRESSES}.{links.HEAD} head"]
    lines += [f"{links.ADDRESSES}.{node + 1} {name(node)}" for node in range(count)]
    with open("/dev/shm/hosts", "w") as file:
        file.write("\n".join(lines) + "\n")
    if os.path.exists("/etc/hosts"):
        ns.mount("/dev/shm/hosts", "/etc/hosts", flags=ns.BIND)


def hold(number, shared=None):
    """Starts a node's process and returns its id once the namespaces are there. Of the head's /dev/shm
    it sees the folder `shared` alone."""
    ready, done = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(ready)
            ns.unshare(ns.NEW_NETWORK | ns.NEW_NAMES | ns.NEW_IPC, "a node's namespaces")
            ns.own_mounts("a node's mounts")
            seen = os.open(shared, os.O_PATH) if shared else None
            ns.mount("tmpfs", "/dev/shm", "tmpfs")
            if shared:
                os.mkdir(shared)
                ns.mount(f"/proc/self/fd/{seen}", shared, flags=ns.BIND)
                os.close(seen)
            socket.sethostname(name(number))
            os.write(done, b"1")
            os.close(done)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            while True:
                signal.pause()
        finally:
            os._exit(1)
    os.close(done)
    held = os.read(ready, 1)
    os.close(ready)
    if not held:
        raise links.NotHere("a node's namespaces could not be made")
    return pid


def compete(cores, share):
    """Starts a process on each core that takes this share of its time, before others."""
    for core in cores:
        if os.fork() == 0:
            try:
                ns.die_with_parent()
                os.sched_setaffinity(0, {core})
                os.nice(-10)
                begin = time.monotonic()
                while True:
                    if time.process_time() < share * (time.monotonic() - begin):
                        until = time.process_time() + 5e-4
                        while time.process_time() < until:
                            pass
                    else:
                        time.sleep(5e-4)
            finally:
                os._exit(1)
