# SPDX-License-Identifier: MIT
"""The box's network: a bridge, and for each node a link of known rate to it."""
import re
import subprocess

ADDRESSES = "10.77.0"  # within the box's own network namespaces only
HEAD = 254
# Of a full packet as the token bucket counts it: Ethernet header 14, IP 20, TCP 20 and its time
# stamps 12. (On a wire 24 more: preamble, check sequence, gap.)
HEADERS, ETHERNET = 66, 14

UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


class NotHere(Exception):
    """This machine cannot do it."""


def bits_per_s(rate):
    """Of tc's notation: a number and bit, kbit, mbit, gbit, tbit."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([kmgt]?)bit", rate.lower())
    bits = float(match[1]) * UNITS[match[2]] if match else 0
    if not 1e6 <= bits <= 1e12:
        raise ValueError(rate)
    return round(bits)


def packet_bytes(bits):
    """The largest packet: what flows in 72 us, at 1 Gbit/s a jumbo frame. The kernel wakes for each
    packet: shorter ones keep a core of a virtual machine so busy that nothing computes beside a
    message."""
    return ETHERNET + (min(max(1500, round(bits / 8 * 72e-6)), 65000) if bits else 65000)


def payload_bytes_per_s(bits):
    """What of a rate is left for messages."""
    packet = packet_bytes(bits)
    return bits / 8 * (packet - HEADERS) / packet


def burst_bytes(bits):
    """The bucket's depth: three full packets, what flows in 216 us. The kernel's timer wakes some tens
    of us late: a shallower bucket then overflows, and the link is slower than its rate. What fits
    into the bucket passes at full speed."""
    return 3 * packet_bytes(bits)


def run(*words, missing):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise NotHere(f"{missing}: {' '.join(str(word) for word in words)}: {done.stdout.strip()}")


def make_bridge():
    run("ip", "link", "set", "lo", "up", missing="no network in a namespace")
    run("ip", "link", "add", "bridge", "type", "bridge", missing="the kernel has no bridges")
    run("ip", "address", "add", f"{ADDRESSES}.{HEAD}/24", "dev", "bridge", missing="no addresses")
    run("ip", "link", "set", "bridge", "up", missing="no bridge")


def shape(inside, device, bits, burst):
    """Limits what leaves through a device. The queue behind the bucket holds what TCP may have in
    flight, so that nothing is dropped."""
    run(*inside, "tc", "qdisc", "add", "dev", device, "root", "handle", "1:", "tbf", "rate",
        f"{bits}bit", "burst", burst, "limit", 64 << 20,
        missing="the kernel has no token bucket (tbf)")


def join(number, pid, bits, burst, delay, packet=None, loss=None):
    """A link between the bridge and the node whose namespaces process `pid` holds, both ways at
    `bits` per second (None: as fast as it goes), `delay` on the way to the node, where a share of
    the packets is lost. The bucket of what comes is deeper, so that it acts, and costs, only where
    several nodes send to one. All nodes have packets of one size."""
    mtu = (packet or packet_bytes(bits)) - ETHERNET
    inside, port = ("nsenter", "--target", pid, "--net"), f"port{number}"
    run("ip", "link", "add", port, "mtu", mtu, "type", "veth", "peer", "name", "eth0", "mtu", mtu,
        "netns", pid, missing="the kernel has no virtual links (veth)")
    run("ip", "link", "set", port, "master", "bridge", "up", missing="no link")
    run(*inside, "ip", "link", "set", "lo", "up", missing="no link")
    run(*inside, "ip", "address", "add", f"{ADDRESSES}.{number + 1}/24", "dev", "eth0",
        missing="no addresses")
    run(*inside, "ip", "link", "set", "eth0", "up", missing="no link")
    if bits:
        shape((), port, bits, 2 * burst)
        shape(inside, "eth0", bits, burst)
    if delay or loss:
        words = (("delay", delay) if delay else ()) + (("loss", loss) if loss else ())
        run("tc", "qdisc", "add", "dev", port, *(("parent", "1:") if bits else ("root",)), "netem",
            *words, "limit", 100000,
            missing="--delay and --loss: the kernel has no delays and losses (netem)")
