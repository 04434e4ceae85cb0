# SPDX-License-Identifier: MIT
"""What run/lab/validate measures: networks, and on each of them every mini-app at three sizes."""
import dataclasses

from box import links

# Options of each mini-app's three sizes: whole, and thin, with messages as large and so little
# computation that ranks which share a core hardly wait for one another.
EDGES = (128, 192, 288)


def cells(*counts):
    return ("--cells", *map(str, counts))


STENCIL = {
    "total": [cells(edge, edge, edge) for edge in EDGES],
    "network": [(*cells(edge, edge, 16), "--decomposition", "1x1x4") for edge in EDGES]}
# Airfoil's network term is what is left of a message when the wait for its sender is over: where ranks
# take turns on a core most of it has arrived by then, and no mesh is thin.
AIRFOIL = {"total": [cells(100, 100), cells(200, 200), cells(400, 600)], "network": []}
# Of hpl's messages what is not hidden waits for the processor that others share.
HPL = {"total": [("--size", str(size)) for size in (2000, 4000, 7000)], "network": []}
CHOLESKY = {"total": [("--size", str(size)) for size in (1000, 2000, 4000)], "network": []}  # likewise
AMG = {"total": [cells(edge, edge, edge) for edge in (24, 40, 64)], "network": []}  # likewise
APPS = {"diffusion": STENCIL, "lbm": STENCIL, "airfoil": AIRFOIL, "hpl": HPL, "cholesky": CHOLESKY,
        "amg": AMG}
# Each case is run so often, the others in between: a neighbour's load on a shared machine comes and
# goes, and the middle one of three runs forgives it once.
ROUNDS = 3
VALUE_BYTES = 4  # of the stencils' default precision, f32; the others' is f64
LARGEST_MESSAGES_S = 0.3  # on a link: long against what its bucket lets through at full speed


@dataclasses.dataclass(frozen=True)
class Network:
    name: str
    nodes: int  # 0: this machine as it is, without a box
    ranks_per_node: int
    rate: int = 0  # bits per second; 0: not shaped
    what: str = "total"  # held against the prediction: the total, the network term, or links alone

    @property
    def ranks(self):
        return max(1, self.nodes) * self.ranks_per_node

    @property
    def payload_bytes_per_s(self):
        return links.payload_bytes_per_s(self.rate) if self.rate else None


def networks(cores):
    """Nodes that share cores compute at each other's expense: there only the network term is held
    against the prediction. The links alone at 0.2 Gbit/s, and shared by two pairs at 1."""
    def box(nodes, rate, ranks_per_node=1, what=None):
        enough = nodes * ranks_per_node <= cores
        layout = f"{nodes}" if ranks_per_node == 1 else f"{nodes}x{ranks_per_node}"
        return Network(f"box-{layout}-{rate}", nodes, ranks_per_node, links.bits_per_s(rate),
                       what or ("total" if enough else "network"))
    return [Network("local", 0, cores), box(2, "1gbit"), box(2, "5gbit"), box(4, "200mbit"),
            box(4, "1gbit"), box(2, "200mbit", what="links"),
            box(2, "1gbit", ranks_per_node=2, what="links")]


def cases(network, apps=tuple(APPS)):
    """Words of `bellwether run` for each case: the mini-app, its size's number, and its options."""
    if network.what == "links":
        return []
    overlap = "both" if network.what == "total" else "off"
    return [(app, size, (*words, "--overlap", overlap))
            for app in apps for size, words in enumerate(APPS[app][network.what])]


def largest_message(network):
    """A power of two as the sweep's sizes are; what calibrate does where no rate is set."""
    if not network.rate:
        return 64 << 20
    wanted = int(network.payload_bytes_per_s * LARGEST_MESSAGES_S)
    return min(1 << wanted.bit_length() - 1, 64 << 20)


def calibration(network, held_out):
    """Options that bound what a calibration sees. Held out: nothing of the last size, neither cubes
    of a rank's cells nor messages as large as its faces."""
    messages = ("--largest-message", str(largest_message(network)))
    if network.what == "links":
        return (*messages, "--largest-edge", "16")
    if not held_out:
        return messages
    seen = EDGES[-2]
    edge = int((seen ** 3 / network.ranks) ** (1 / 3) + 1e-9)
    message = 1 << (seen * seen * VALUE_BYTES).bit_length() - 1
    return ("--largest-message", str(message), "--largest-edge", str(edge))
