# SPDX-License-Identifier: MIT
"""Slurm in the box: munged and slurmctld at its head, a slurmd on each node. Their files stand in
memory that only the box's mounts hold; the machine's own configuration is neither read nor changed."""
import os
import shutil
import socket
import subprocess
import time

from box import links, nodes

FOLDER = "/dev/shm/slurm"  # the head's, seen on every node; the rest of /dev/shm is each node's own
PACKAGES = "slurmctld slurmd slurm-client munge"
TOOLS = ("munged", "slurmctld", "slurmd", "srun", "sbatch")
START_S = 30
ENTER = os.path.join(os.path.dirname(__file__), "enter")

# No accounting, and no control groups, which few containers may make: Slurm follows a job's processes
# by their parents, and ranks keep the cores of their node's slurmd. A job begins when it is submitted,
# not at the scheduler's next round.
SETTINGS = """\
ClusterName=box
SlurmctldHost=head({network}.{head})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir=/dev/shm/slurmd
SlurmdPidFile=/dev/shm/slurmd.pid
SlurmdLogFile={folder}/%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0
ReturnToService=2
KillWait=5
MailProg=/bin/true
NodeName={names} NodeAddr={network}.{addresses} CPUs={cpus} State=UNKNOWN
PartitionName=box Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def to_path():
    """Daemons are not on every user's PATH."""
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])


def require():
    for tool in TOOLS:
        if not shutil.which(tool):
            raise links.NotHere(f"--slurm needs {tool} (Debian: apt-get install {PACKAGES})")


def numbers(first, count):
    return str(first) if count == 1 else f"[{first}-{first + count - 1}]"


def configuration(count, cpus):
    """The text of slurm.conf, of nodes that take `cpus` ranks each."""
    return SETTINGS.format(folder=FOLDER, network=links.ADDRESSES, head=links.HEAD, cpus=cpus,
                           names="node" + numbers(0, count), addresses=numbers(1, count))


def prepare(count, cpus):
    """The files that the daemons read, before there are nodes."""
    socket.sethostname("head")
    os.makedirs(f"{FOLDER}/state")
    with open(f"{FOLDER}/munge.key", "wb") as key:
        os.fchmod(key.fileno(), 0o600)
        key.write(os.urandom(128))
    for name, text in (("slurm.conf", configuration(count, cpus)),
                       ("mpi.conf", "PMIxCliTmpDirBase=/dev/shm\n")):
        with open(f"{FOLDER}/{name}", "w") as file:
            file.write(text)
    os.environ["SLURM_CONF"] = f"{FOLDER}/slurm.conf"


def start(count):
    """The daemons; returns once every node waits for jobs. They end with the box."""
    log = open(f"{FOLDER}/daemons.log", "wb")

    def begin(*words):
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    daemons = [begin("munged", "--foreground", "--force", f"--key-file={FOLDER}/munge.key",
                     f"--socket={FOLDER}/munge.socket", f"--pid-file={FOLDER}/munged.pid",
                     f"--log-file={FOLDER}/munged.log", f"--seed-file={FOLDER}/munged.seed")]
    deadline = time.monotonic() + START_S
    await_that(lambda: os.path.exists(f"{FOLDER}/munge.socket"), daemons, deadline)
    daemons += [begin("slurmctld", "-D"),
                *(begin(ENTER, nodes.name(number), "mkdir /dev/shm/slurmd && exec slurmd -D")
                  for number in range(count))]
    await_that(lambda: idle_nodes() == count, daemons, deadline)


def idle_nodes():
    told = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%T"], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True)
    return told.stdout.split().count("idle")


def await_that(ready, daemons, deadline):
    while not ready():
        ended = [daemon.args for daemon in daemons if daemon.poll() is not None]
        if ended or time.monotonic() > deadline:
            what = f"{' '.join(ended[0][:3])} ended" if ended else f"not ready after {START_S} s"
            raise links.NotHere(f"Slurm: {what}: {last_errors()}")
        time.sleep(0.1)


def last_errors():
    """What the daemons complained of, the last line of each file."""
    found = []
    for name in sorted(os.listdir(FOLDER)):
        if name.endswith(".log"):
            with open(f"{FOLDER}/{name}", errors="replace") as file:
                lines = [line.strip() for line in file if "error" in line.lower()]
            found += lines[-1:]
    return "; ".join(found) or "no errors in its logs"
