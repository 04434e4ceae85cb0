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

from gpu_session import place as places
from gpu_session import tables

PASSED, FAILED, SKIPPED, LEFT = "passed", "failed", "skipped", "left"
LOG_BYTES = 15 << 20  # of a file, and of what one command may add to it
COMMAND_BYTES = 1 << 20
GRACE_S = 5  # from a request to end until the kill


@dataclasses.dataclass(frozen=True)
class Done:
    """A command that has ended; `cut` by the stage's time, `hung` by its own."""
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
class Job:
    """A step that is to be done: work(session) gives its Result. It is not begun with less time than
    `least_s` left."""
    name: str
    work: object
    least_s: float = 5


def failure(done):
    """The Result of a command that did not end well."""
    if done.cut:
        return Result(LEFT, f"cut off after {done.seconds:.0f} s, at the end of the stage's time")
    if done.hung:
        return Result(FAILED, f"no end after {done.seconds:.0f} s")
    ended = signal.Signals(-done.status).name if done.status < 0 else f"status {done.status}"
    return Result(FAILED, f"{ended}: {done.said()}".rstrip(": "))


class Session:
    """Files in the folder are only added to, but for the summary, which is replaced."""

    def __init__(self, folder, place, smallest=False, machines=None):
        self.folder, self.place, self.smallest = folder, place, smallest
        self.machine_folders = [folder, *([machines] if machines else [])]
        self.environment = places.environment()
        self.stage, self.end = "", time.monotonic()
        self.last = None  # Result of the step before
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

    def perform(self, stage, limit_s, jobs, steps=None):
        """Every job, or of a pattern `steps` those whose names it is found in, in order, within the time;
        `jobs` may be a generator that looks at what was found. What there is no time for is named."""
        self.stage, self.end = stage, time.monotonic() + limit_s
        print(f"{stage}: at most {limit_s:.0f} s", flush=True)
        for job in jobs:
            if steps and not steps.search(job.name):
                self.last = Result(LEFT, "not asked for")
                continue
            if self.left() < job.least_s:
                self.record(job.name, Result(LEFT, "no time"), 0)
                continue
            begin = time.monotonic()
            self.note(f"\n======== {stage}: {job.name}")
            self.record(job.name, job.work(self), time.monotonic() - begin)

    def record(self, name, result, seconds):
        self.last = result
        step = {"stage": self.stage, "step": name, "outcome": result.outcome,
                "seconds": round(seconds, 2), "note": result.note, "values": result.values,
                "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        with open(self.folder / "steps.jsonl", "a") as file:
            file.write(json.dumps(step) + "\n")
        print(tables.line(step), flush=True)
        self.summarize()

    def steps(self):
        """Of all stages in this folder, the last outcome of each step."""
        path = self.folder / "steps.jsonl"
        found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return list({(step["stage"], step["step"]): step for step in found}.values())

    def records(self):
        """The measurements in this folder: a line that was cut short is none."""
        if not self.records_file.exists():
            return []
        return [json.loads(line) for line in self.records_file.read_text().splitlines()
                if line.endswith("}")]

    def summarize(self):
        part = self.folder / "summary.txt.part"
        part.write_text(tables.summary(self.steps(), self.smallest) + "\n")
        os.replace(part, self.folder / "summary.txt")

    def run(self, words, ranks=0, limit_s=None, environment=None):
        """The words under the launcher, ended when the stage's time or the command's own is over."""
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

    def command(self, *words, ranks=0, limit_s=None):
        return self.run(self.place.command(*words), ranks, limit_s)


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
