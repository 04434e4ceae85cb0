# SPDX-License-Identifier: MIT
"""One session in its folder: commands within their time, a line for each step, the log."""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import traceback

from gpu_session import done
from gpu_session import place as places
from gpu_session import tables

# Left out is what this machine or this build cannot do; left, what there was no time for; done, what
# passed before with the same files.
PASSED, FAILED, DONE, SKIPPED, LEFT = "passed", "failed", "done", "left out", "left"
NOT_HERE = 3  # bellwether's exit status where the environment cannot do it
LOG_BYTES = 15 << 20  # of a file, and of what one command may add to it
COMMAND_BYTES = 1 << 20
GRACE_S = 5  # from a request to end until the kill


@dataclasses.dataclass(frozen=True)
class Done:
    """A command that has ended; `cut` by the session's time, `hung` by its own."""
    status: int
    out: str
    error: str
    seconds: float
    cut: bool = False
    hung: bool = False

    def said(self):
        """Its last words, on one line."""
        lines = [line.strip() for line in (self.error or self.out).splitlines()]
        # Not the frames of a crash, nor the rules that the launcher draws.
        lines = [line for line in lines if re.search(r"\w", line) and not re.match(r"\[\S+:\d+\] ", line)]
        return ([line for line in lines if line.startswith("bellwether: ")] or lines or [""])[-1]


@dataclasses.dataclass(frozen=True)
class Result:
    outcome: str
    note: str = ""
    values: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Step:
    """What is to be done: work(session) gives its Result. It is not begun with less time left than the
    `seconds` that it takes: as estimated here, until it has been measured."""
    name: str
    work: object
    seconds: float = 5
    needs: tuple = ()  # functions of the session: why it cannot be done here, or None
    depends: tuple = ()  # files and folders of the source tree: what it says may change with them
    vital: bool = False  # where it fails nothing else is worth its time


def failure(ended):
    """The Result of a command that did not end well."""
    if ended.cut:
        return Result(LEFT, f"cut off after {ended.seconds:.0f} s, at the end of the time")
    if ended.hung:
        return Result(FAILED, f"no end after {ended.seconds:.0f} s")
    if ended.status == NOT_HERE:
        return Result(SKIPPED, ended.said())
    by = signal.Signals(-ended.status).name if ended.status < 0 else f"status {ended.status}"
    return Result(FAILED, f"{by}: {ended.said()}".rstrip(": "))


class Session:
    """Files in the folder are only added to, but for the summary, which is replaced."""

    def __init__(self, folder, place, smallest=False, known=None):
        """`known`: a file of steps that passed before (done.py), which the folder's own is added to."""
        self.folder, self.place, self.smallest = folder, place, smallest
        self.passed = done.read(known, folder / done.NAME)
        self.environment = places.environment()
        self.end = time.monotonic()
        self.running = set()
        self.log_lock, self.log_full = threading.Lock(), False
        self.log = open(folder / "log.txt", "a", errors="replace", buffering=1)
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="gpu-session-"))

    def close(self):
        for process in list(self.running):
            end(process)
        with self.log_lock:
            self.log_full = True
            self.log.close()
        shutil.rmtree(self.work, ignore_errors=True)

    @property
    def records_file(self):
        return self.folder / "records.jsonl"

    def left(self):
        return self.end - time.monotonic()

    def note(self, text):
        with self.log_lock:
            if not self.log_full:
                self.log_full = self.log.tell() + len(text) > LOG_BYTES
                print("The log is full." if self.log_full else text, file=self.log, flush=True)

    def perform(self, limit_s, steps, pattern=None):
        """The steps in their order within the time, or those whose names `pattern` is found in: these even
        if they passed before. Where there is no time for one there may be for a later one."""
        self.end = time.monotonic() + limit_s
        print(f"At most {limit_s:.0f} s", flush=True)
        broken = None
        for step in steps:
            if pattern and not pattern.search(step.name):
                continue
            digest = self.digest(step)
            result, begin = self.why_not(step, digest if pattern is None else None, broken), time.monotonic()
            if result is None:
                self.note(f"\n======== {step.name}")
                result = self.result_of(step)
            if step.vital and result.outcome == FAILED:
                broken = step.name
            self.record(step.name, result, time.monotonic() - begin, digest)

    def result_of(self, step):
        """A fault of this command itself is one step's: the time with a GPU goes on."""
        try:
            return step.work(self)
        except Exception as error:
            self.note(traceback.format_exc())
            return Result(FAILED, f"a fault of gpu-session itself: {error!r}")

    def digest(self, step):
        """What it depends on; None of a step that is always done anew. At the smallest sizes another."""
        return ("smallest " if self.smallest else "") + done.digest(step.depends) if step.depends else None

    def why_not(self, step, digest, broken):
        """The Result of a step that is not begun; None if it is to be done."""
        before = self.passed.get(step.name)
        if before and digest and before["hash"] == digest:
            return Result(DONE, f"passed at {before['time']} with the same files")
        if broken:
            return Result(LEFT, f"not begun, as {broken} failed")
        reason = next(filter(None, (need(self) for need in step.needs)), None)
        if reason:
            return Result(SKIPPED, reason)
        seconds = before["seconds"] if before else step.seconds
        return Result(LEFT, f"no time: it takes {seconds:.0f} s") if self.left() < seconds else None

    def record(self, name, result, seconds, digest):
        step = {"step": name, "outcome": result.outcome, "seconds": round(seconds, 2), "note": result.note,
                "values": result.values, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        with open(self.folder / "steps.jsonl", "a") as file:
            file.write(json.dumps(step) + "\n")
        if result.outcome == PASSED:
            done.add(self.folder / done.NAME, step, digest)
        print(tables.line(step), flush=True)
        self.summarize()

    def steps(self):
        """The last outcome of each step in this folder; one that had passed here keeps its values."""
        path = self.folder / "steps.jsonl"
        found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        last = {}
        for step in found:
            if step["outcome"] != DONE or step["step"] not in last:
                last[step["step"]] = step
        return list(last.values())

    def summarize(self):
        part = self.folder / "summary.txt.part"
        part.write_text(tables.summary(self.steps()) + "\n")
        os.replace(part, self.folder / "summary.txt")

    def run(self, words, ranks=0, limit_s=None, environment=None):
        """The words under the launcher, ended when the session's time or the command's own is over."""
        left = max(1.0, self.left())
        limit = left if limit_s is None else min(limit_s, left)
        words = self.place.launcher(ranks, limit) + [str(word) for word in words]
        self.note(f"---- {' '.join(words)}")
        begin = time.monotonic()
        try:
            process = subprocess.Popen(
                words, cwd=self.work, env={**self.environment, **(environment or {})}, text=True,
                errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, start_new_session=True)
        except OSError as error:
            self.note(str(error))
            return Done(127, "", str(error), 0)
        self.running.add(process)
        kept = [[], []]
        readers = [threading.Thread(target=self.keep, args=(stream, lines), daemon=True)
                   for stream, lines in zip((process.stdout, process.stderr), kept)]
        for reader in readers:
            reader.start()
        over = False
        try:
            process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            over = True
        finally:
            end(process)
            self.running.discard(process)
        for reader in readers:
            reader.join(GRACE_S)  # what a grandchild holds open is not waited for
        seconds = time.monotonic() - begin
        # mpirun's own time ends a little before; its status is then 124 or 1.
        over = over or (ranks > 0 and process.returncode != 0 and seconds >= limit - places.LAST)
        self.note(f"---- status {process.returncode} after {seconds:.1f} s")
        return Done(process.returncode, *map("".join, kept), seconds,
                    cut=over and limit >= left, hung=over and limit < left)

    def keep(self, stream, lines):
        size = 0
        with stream:
            for line in stream:
                lines.append(line)
                size += len(line)
                if size < COMMAND_BYTES:
                    self.note(line.rstrip("\n"))
                elif size - len(line) < COMMAND_BYTES:
                    self.note("(more of it is not kept here)")

    def command(self, *words, ranks=0, limit_s=None, place=None):
        return self.run((place or self.place).command(*words), ranks, limit_s)


def end(process):
    """The process and its group, at first asked and then killed."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=GRACE_S)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
