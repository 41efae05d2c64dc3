"""A whole service of real processes, on ports of the kernel's choice, and ways to hurt it."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import logging
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import secure

# Test cases of asyncio run their loop in debug mode, which warns of every slow step.
logging.getLogger("asyncio").setLevel(logging.ERROR)

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0


def programs() -> Path:
    """The folder of the built programs: $TINTYPE_PROGRAMS, or that of a debug build."""
    return Path(os.environ.get("TINTYPE_PROGRAMS") or ROOT / ".build/debug")


class Process:
    """A child process that prints a line `ready NAME=VALUE…`."""

    def __init__(self, *words: str, log: Path) -> None:
        self._log = log
        with log.open("ab") as errors:
            self.child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors)
        assert self.child.stdout is not None
        ready = next((line for line in self.child.stdout if line.startswith(b"ready ")), b"")
        self.words = dict(word.split("=", 1) for word in ready.decode().split()[1:])
        if not self.words:
            raise RuntimeError(f"{words[0]} did not start: {log.read_text()[-2000:]}")

    def signal(self, number: int) -> None:
        self.child.send_signal(number)

    def kill(self) -> None:
        self.child.kill()
        self.child.wait()
        if self.child.stdout is not None:
            self.child.stdout.close()


class Service:
    """Redis, the origin, coordinators and workers."""

    def __init__(self, log_level: str = "warning") -> None:
        self.log_level = log_level
        self.folder = Path(tempfile.mkdtemp(prefix="tintype-py-"))
        self.redis_socket = self.folder / "redis.sock"
        self.coordinators: list[Process] = []
        self.workers: list[Process] = []
        self._all: list[Process] = []
        self._redis: subprocess.Popen[bytes] | None = None
        self._number = 0
        self.start_redis()
        self.origin = self._start("origin")

    def start_redis(self) -> None:
        options = ["--port", "0", "--unixsocket", str(self.redis_socket), "--save", "", "--appendonly", "yes", "--maxmemory-policy", "noeviction"]
        with (self.folder / "redis.log").open("ab") as log:
            self._redis = subprocess.Popen(["redis-server", "--dir", str(self.folder), *options], stdout=log, stderr=log)
        until(lambda: self._ask_redis("PING") == "PONG")

    def _ask_redis(self, *words: str) -> str:
        return subprocess.run(["redis-cli", "-s", str(self.redis_socket), *words], capture_output=True, text=True).stdout.strip()

    def signal_redis(self, number: int) -> None:
        assert self._redis is not None
        self._redis.send_signal(number)
        if number == signal.SIGKILL:
            self._redis.wait()

    def _start(self, name: str, *words: str) -> Process:
        self._number += 1
        process = Process(str(programs() / name), *words, log=self.folder / f"{name}-{self._number}.log")
        self._all.append(process)
        return process

    def _common(self) -> list[str]:
        return ["--redis", f"unix://{self.redis_socket}", "--results", f"file://{self.folder}/results", "--log-level", self.log_level]

    def coordinator(self, *words: str, listen: str = "127.0.0.1:0", http: str = "127.0.0.1:0") -> Process:
        process = self._start("tintype-coordinator", *self._common(), "--allow-addresses", "127.0.0.0/8", "--listen", listen, "--http", http, *words)
        self.coordinators.append(process)
        return process

    def restart(self, number: int) -> None:
        """Starts a coordinator anew, at the ports of the old one."""
        words = self.coordinators[number].words
        self.coordinators[number] = self.coordinator(listen=words["rpc"], http=words["http"])
        self.coordinators.pop()

    def worker(self, *words: str) -> Process:
        process = self._start("tintype-worker", *self._common(), "--allow-addresses", "127.0.0.0/8", "--http", "127.0.0.1:0", *words)
        self.workers.append(process)
        return process

    def address(self, number: int = 0, scheme: str = "tcp") -> str:
        return f"{scheme}://{self.coordinators[number].words['rpc']}"

    # The origin

    def url(self, path: str) -> str:
        return f"http://{self.origin.words['http']}{path}"

    def ask_origin(self, path: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.origin.words["http"], timeout=PATIENCE)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def counts(self) -> dict[str, Any]:
        counts: dict[str, Any] = json.loads(self.ask_origin("/_counts")[1])
        return counts

    async def asked(self, path: str, times: int = 1) -> None:
        """Waits until the origin has got so many requests for a path."""
        await eventually(lambda: self.times(path) >= times)

    def times(self, path: str) -> int:
        counts: dict[str, int] = self.counts()["counts"]
        return sum(count for target, count in counts.items() if target.startswith(path))

    def running(self) -> int:
        return int(self.counts()["running"])

    async def open(self, gate: str, count: int = 1) -> None:
        """Lets requests go that wait at a gate of the origin."""
        for _ in range(count):
            await eventually(lambda: self.ask_origin(f"/_open?gate={gate}")[0] == 200)

    def stop(self) -> None:
        for process in self._all:
            process.signal(signal.SIGCONT)
            process.kill()
        if self._redis is not None:
            self._redis.send_signal(signal.SIGCONT)
            self._redis.kill()
            self._redis.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("what was waited for did not happen")
        time.sleep(0.005)


async def eventually(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    """Waits for a condition. The time only bounds how long a mistake takes."""
    end = time.monotonic() + PATIENCE
    while True:
        truth = condition()
        if truth if isinstance(truth, bool) else await truth:
            return
        if time.monotonic() > end:
            raise TimeoutError("what was waited for did not happen")
        await asyncio.sleep(0.005)


@contextlib.contextmanager
def service(
    coordinators: int = 1, workers: int = 1, *words: str, worker_words: tuple[str, ...] = (), tls: bool = False, asks_clients: bool = False
) -> Iterator[Service]:
    """With `tls` the certificates are in the folder of the service."""
    made = Service()
    try:
        security = secure.words(made.folder, asks_clients) if tls else []
        for _ in range(coordinators):
            made.coordinator(*words, *security)
        for _ in range(workers):
            made.worker(*worker_words)
        yield made
    finally:
        made.stop()
