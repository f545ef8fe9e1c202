#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Slurm cluster on this machine for as long as a command runs.

Each node is a slurmd of its own. Directory, key and ports belong to this cluster alone, so it runs
beside any other Slurm, as root or as anybody, without systemd or cgroups. Jobs run as who starts it.
Needs the packages slurmctld, slurmd, slurm-client and munge.
"""
import argparse
import ctypes
import os
from pathlib import Path
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from typing import Callable, TypeVar

T = TypeVar("T")
START_SECONDS = 60

CONFIGURATION = """\
ClusterName=mxe
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CredType=cred/munge
StateSaveLocation={directory}/slurmctld
SlurmctldPidFile={directory}/slurmctld.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdSpoolDir={directory}/%n
SlurmdPidFile={directory}/%n.pid
SlurmdLogFile={directory}/%n.log
# Several nodes on one machine: as many processors as the next lines say, whatever there are.
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
# A node that does not answer for so many seconds, and then two messages, is down.
SlurmdTimeout={node_timeout}
MessageTimeout=5
KillWait=2
"""


def descendants(process: int) -> list[int]:
    """Of a process, those whose parents have ended included if it adopts them."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue  # it ended
        children.setdefault(parent, []).append(int(stat.parent.name))
    found, waiting = [], [process]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def keep(command: list[str]) -> None:
    """Runs a daemon until stdin ends, then kills it and all that came of it, as a power cut would.

    Adopting orphans is what makes that exact: the jobs that a slurmd starts are its children no more.
    """
    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)

    def reap(*_: object) -> None:
        try:
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            pass

    signal.signal(signal.SIGCHLD, reap)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal; who started this decides
    os.spawnvp(os.P_NOWAIT, command[0], command)
    sys.stdin.read()
    while left := descendants(os.getpid()):
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


class Daemon:
    """A program kept by a process of its own, which outlives neither stop() nor this process."""

    def __init__(self, *command: str, environment: dict[str, str], log: Path) -> None:
        with log.open("w") as output:
            self._keeper = subprocess.Popen(
                [sys.executable, __file__, "--keep", *command],
                stdin=subprocess.PIPE, stdout=output, stderr=output, env=environment, start_new_session=True)

    def processes(self) -> list[int]:
        return descendants(self._keeper.pid)

    def stop(self) -> None:
        self._keeper.stdin.close()
        self._keeper.wait()


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_for(look: Callable[[], T], seconds: float, what: str) -> T:
    """What `look` sees as soon as it is true."""
    end = time.monotonic() + seconds
    while not (seen := look()):
        if time.monotonic() > end:
            raise TimeoutError(f"no {what} after {seconds} s")
        time.sleep(0.1)
    return seen


class Cluster:
    """Nodes n1, n2, ... with `processors` each; `environment` is for commands that use them."""

    def __init__(self, nodes: int, processors: int = 1, node_timeout: int = 300) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="mxe-slurm-"))
        self._directory.chmod(0o755)  # munged insists that everybody can reach its socket
        self._names = [f"n{i + 1}" for i in range(nodes)]
        self._daemons: dict[str, Daemon] = {}
        self.environment = {**os.environ, "SLURM_CONF": str(self._directory / "slurm.conf")}
        self._configure(processors, node_timeout)

    def __enter__(self) -> "Cluster":
        try:
            self._start()
            self._wait_until_idle()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name in reversed(list(self._daemons)):
            self.stop(name)
        shutil.rmtree(self._directory)

    def stop(self, name: str) -> None:
        """Kills a node (or munged, slurmctld) and what it runs."""
        self._daemons.pop(name).stop()

    def processes(self, name: str) -> list[int]:
        """Of a node, its jobs included."""
        return self._daemons[name].processes()

    def _configure(self, processors: int, node_timeout: int) -> None:
        host = socket.gethostname().partition(".")[0]
        ports = free_ports(len(self._names) + 1)
        user = subprocess.run(["id", "-un"], check=True, capture_output=True, text=True).stdout.strip()
        text = CONFIGURATION.format(host=host, ports=ports, user=user, directory=self._directory,
                                    node_timeout=node_timeout)
        for name, port in zip(self._names, ports[1:]):
            text += f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={processors}\n"
            (self._directory / name).mkdir()
        text += "PartitionName=main Nodes=ALL Default=YES\n"
        (self._directory / "slurm.conf").write_text(text)
        # No cgroups are used; this keeps slurmd from looking for them where there are none.
        (self._directory / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        (self._directory / "slurmctld").mkdir()
        key = self._directory / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)

    def _start(self) -> None:
        inside = self._directory
        self._run("munged", "munged", "--foreground", f"--socket={inside}/munge.socket",
                  f"--key-file={inside}/munge.key", f"--pid-file={inside}/munged.pid",
                  f"--seed-file={inside}/munged.seed")
        self._run("slurmctld", "slurmctld", "-D")
        for name in self._names:
            self._run(name, "slurmd", "-D", "-N", name)

    def _run(self, name: str, *command: str) -> None:
        # Debian has the daemons in /usr/sbin, which is not on everybody's path.
        environment = {**self.environment, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        self._daemons[name] = Daemon(*command, environment=environment, log=self._directory / f"{name}.out")

    def _wait_until_idle(self) -> None:
        try:
            wait_for(lambda: self._states() == ["idle"] * len(self._names), START_SECONDS, "idle nodes")
        except TimeoutError as error:
            raise RuntimeError(f"{error}\n{self._logs()}") from None

    def _states(self) -> list[str]:
        return subprocess.run(["sinfo", "--noheader", "--Node", "--format=%T"], env=self.environment,
                              capture_output=True, text=True, check=False, timeout=START_SECONDS).stdout.split()

    def _logs(self) -> str:
        return "".join(f"{path.name}:\n{path.read_text(errors='replace')[-1000:]}\n"
                       for pattern in ("*.out", "*.log") for path in sorted(self._directory.glob(pattern)))


def main() -> int:
    if sys.argv[1:2] == ["--keep"]:
        keep(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--processors", type=int, default=1, help="of each node")
    parser.add_argument("command", nargs="+", help="what to run, after --")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # through __exit__
    try:
        with Cluster(arguments.nodes, arguments.processors) as cluster:
            return subprocess.run(arguments.command, env=cluster.environment, check=False).returncode
    except (OSError, RuntimeError) as error:
        print(f"cluster.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
