# SPDX-License-Identifier: Apache-2.0
"""The process mxe-worker, which runs one engine (SystemC can build its modules only once per process).

A request and its reply are one line of JSON each, on a socket; numbers are in a shared memory file.
"""
from __future__ import annotations

import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from ._requests import EngineError

_PROGRAM = pathlib.Path(__file__).with_name("mxe-worker")


class Worker:
    """A running engine, for one thread and not for a forked process.

    request: see sw/worker/requests.h. environment: of the process. Raises ValueError, with the
    command line's message, for an invalid engine; EngineError if the process does not start.
    """

    def __init__(self, request: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        if not _PROGRAM.exists():
            raise EngineError("this package was built without SystemC: install libsystemc-dev and "
                              "libyaml-cpp-dev and build it again (docs/python.md)")
        self._socket, theirs = socket.socketpair()
        self._memory = os.memfd_create("mxe")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        with theirs:
            descriptors = (theirs.fileno(), self._memory)
            self._process = subprocess.Popen(
                [_PROGRAM, *map(str, descriptors)], pass_fds=descriptors, stdin=subprocess.DEVNULL,
                stdout=self._errors, stderr=self._errors, env={**os.environ, **environment})
        try:
            self.description = self.call(request)
        except BaseException:
            self.end()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(self, request: Mapping[str, Any],
             arrays: Sequence[np.ndarray[Any, Any]] = ()) -> dict[str, Any]:
        """Writes `arrays` one after the other to the shared memory, and returns the reply to `request`.
        After any exception except ValueError the process is unusable."""
        try:
            self._write(arrays)
            self._socket.sendall(json.dumps(request).encode() + b"\n")
            line = self._receive()
        except OSError:  # the process has ended
            line = b""
        if not line.endswith(b"\n"):
            raise EngineError(self._why_it_ended())
        reply: dict[str, Any] = json.loads(line)
        if "error" not in reply:
            return reply
        if reply["kind"] == "value":
            raise ValueError(reply["error"])
        raise EngineError(reply["error"])

    def read(self, offset: int, count: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
        into = np.empty(count, np.uint8)
        view, done = into.data, 0
        while done < count:
            got = os.preadv(self._memory, [view[done:]], offset + done)
            if not got:
                raise EngineError("the engine's process wrote fewer bytes than its reply says")
            done += got
        return into

    def forget(self) -> None:
        """Returns the memory to the system; the next request starts with an empty file."""
        os.ftruncate(self._memory, 0)

    def end(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
            self._process.wait()
        self.drop()

    def drop(self) -> None:
        """Closes the connection. Used by end(), and in a forked child, whose parent owns the process."""
        if self._process.returncode is None:
            self._process.returncode = 0  # the child cannot wait for it
        if self._memory >= 0:
            os.close(self._memory)
            self._memory = -1
        self._socket.close()
        self._errors.close()

    def _receive(self) -> bytes:
        line = bytearray()
        while not line.endswith(b"\n"):
            part = self._socket.recv(65536)
            if not part:
                break
            line += part
        return bytes(line)

    def _write(self, arrays: Sequence[np.ndarray[Any, Any]]) -> None:
        offset = 0
        for array in arrays:
            view = array.reshape(-1).view(np.uint8).data
            while view:
                done = os.pwrite(self._memory, view, offset)
                view = view[done:]
                offset += done

    def _why_it_ended(self) -> str:
        try:
            status: Optional[int] = self._process.wait(5)
        except subprocess.TimeoutExpired:
            status = None
        if status is not None and status < 0:
            how = f"was ended by {signal.Signals(-status).name}"
        else:
            how = "has closed its socket" if status is None else f"has ended with status {status}"
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        reason = f" ({said[-1]})" if said else ""
        return f"the engine's process {how}{reason}; its next job starts a new one"
