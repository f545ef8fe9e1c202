# SPDX-License-Identifier: Apache-2.0
"""Work in chunks on a Slurm cluster: each is a task of a job array that leaves a file in the directory
of the run, and what a node loses is submitted again. scripts/slurm/cosim, explore and check say what a
chunk is."""
import argparse
import hashlib
import json
import os
from pathlib import Path
import shlex
import shutil
import subprocess
import sys
import time

HERE = Path(__file__).resolve().parent
CONTROLLER_SECONDS = 600  # a restart of slurmctld takes less


class Failure(Exception):
    """What to tell the user instead of a report."""


def positive(text: str) -> int:
    if (value := int(text)) < 1:
        raise ValueError
    return value


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of all these scripts, which submit() and complete() read."""
    parser.add_argument("--chunks", default=20, type=positive, help="tasks of the array (default: 20)")
    parser.add_argument("--sbatch", default="", metavar="OPTIONS",
                        help="for sbatch: --sbatch='--partition=long --time=2:00:00 --cpus-per-task=8'")
    parser.add_argument("--attempts", default=3, type=positive, help="at a chunk (default: 3)")
    parser.add_argument("--poll", default=5, type=float, help="seconds between looks (default: 5)")


def designs(mxe: Path) -> list[Path]:
    """The libraries with RTL that the program finds beside itself."""
    return sorted((mxe.parent / "rtl").glob("*.so"))


def digests(mxe: Path, arguments: list[str]) -> dict[str, str]:
    """Of the program, its designs and files that the options name, such as a library with RTL."""
    files = [name for name in [str(mxe), *map(str, designs(mxe)), *arguments] if Path(name).is_file()]
    return {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in files}


def slurm(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Failure(f"{command[0]} not found: this needs a machine that submits to a Slurm cluster") from None
    if done.returncode != 0:
        raise Failure(f"{command[0]}: {' '.join(done.stderr.split())}")
    return done.stdout


class Run:
    """Chunks in a directory."""

    batch = "shard"  # the .sbatch beside this file that runs one

    def __init__(self, what: str, directory: Path, chunks: list[tuple[int, int]]) -> None:
        self.directory = directory
        self.chunks = chunks
        # The tasks of this directory, whoever submitted them.
        self.name = f"mxe-{what}-" + hashlib.sha256(bytes(directory)).hexdigest()[:12]

    def prepare(self, mxe: Path, arguments: list[str]) -> None:
        """Makes the directory, or makes sure that it is one of this very run."""
        if not mxe.is_file():
            raise Failure(f"cannot read '{mxe}'")
        plan = {"arguments": arguments, "chunks": self.chunks, "files": digests(mxe, arguments)}
        file = self.directory / "plan.json"
        if file.exists():
            self.compare(json.loads(file.read_text()), plan)
            for error in self.directory.glob("chunk-*.error"):
                error.unlink()
            return
        if self.directory.exists() and any(self.directory.iterdir()):
            raise Failure(f"'{self.directory}' is not empty and has no run; take another directory")
        self.directory.mkdir(parents=True, exist_ok=True)
        # Copies: whoever builds meanwhile does not change what later chunks run.
        shutil.copy(mxe, self.directory / "mxe")
        (self.directory / "rtl").mkdir()
        for design in designs(mxe):
            shutil.copy(design, self.directory / "rtl")
        (self.directory / "chunks").write_text("".join(f"{first} {count}\n" for first, count in self.chunks))
        file.write_text(json.dumps(plan))

    def compare(self, saved: dict, wanted: dict) -> None:
        for part in ("arguments", "chunks"):
            if json.dumps(saved[part]) != json.dumps(wanted[part]):
                raise Failure(f"'{self.directory}' has a run with other options; take another directory")
        for name, digest in wanted["files"].items():
            if saved["files"].get(name) != digest:
                raise Failure(f"'{self.directory}' has a run of another '{name}'; take another directory")

    def file(self, chunk: int, kind: str) -> Path:
        return self.directory / f"chunk-{chunk}.{kind}"

    def about(self, chunk: int) -> str:
        """What a note calls the chunk."""
        return f"chunk {chunk}"

    def missing(self) -> set[int]:
        """Chunks without results. Listing the directory sees what NFS may hide from a look at one name."""
        there = set(os.listdir(self.directory))
        for error in sorted(name for name in there if name.endswith(".error")):
            self.cancel()
            raise Failure((self.directory / error).read_text().strip())
        return {c for c in range(len(self.chunks)) if self.file(c, "json").name not in there}

    def in_queue(self) -> dict[int, str]:
        """The state of each chunk that waits or runs."""
        lines = slurm("squeue", "--me", f"--name={self.name}", "--noheader", "--array", "--format=%K %T",
                      "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED").splitlines()
        return {int(chunk): state for chunk, state in map(str.split, lines)}

    def submit(self, chunks: set[int], options: list[str], arguments: list[str]) -> None:
        slurm("sbatch", f"--job-name={self.name}", f"--array={','.join(map(str, sorted(chunks)))}",
              f"--output={self.directory}/chunk-%a.log", "--open-mode=append", *options,
              str(HERE / f"{self.batch}.sbatch"), str(self.directory), *arguments)

    def cancel(self) -> None:
        slurm("scancel", "--me", f"--name={self.name}")


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def note(text: str) -> None:
    progress("")
    print(f"scripts/slurm/{Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def look(run: Run) -> dict[int, str]:
    """What is in the queue, also if nobody answers for a while."""
    end = time.monotonic() + CONTROLLER_SECONDS
    while True:
        try:
            return run.in_queue()
        except Failure:
            if time.monotonic() > end:
                raise
            time.sleep(5)


def complete(run: Run, options: argparse.Namespace, arguments: list[str]) -> None:
    """Submits what is neither there nor in the queue until all is there."""
    attempts = [0] * len(run.chunks)
    queue = run.in_queue()  # without a Slurm it ends here
    while missing := run.missing():  # after the queue: what has left it is there or lost
        lost = missing - queue.keys()
        for chunk in sorted(lost):
            if attempts[chunk] == options.attempts:
                raise Failure(f"{run.about(chunk)} ended {options.attempts} times without a result; "
                              f"see '{run.file(chunk, 'log')}'")
            if attempts[chunk] > 0:
                note(f"{run.about(chunk)} was lost, submitting it again")
            attempts[chunk] += 1
        if lost:
            run.submit(lost, shlex.split(options.sbatch), arguments)
        running = sum(state != "PENDING" for state in queue.values())
        progress(f"{len(run.chunks) - len(missing)} of {len(run.chunks)} chunks done, {running} running")
        time.sleep(options.poll)
        queue = look(run)
    progress("")
