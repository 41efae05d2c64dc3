"""A whole service with planted secrets, and the harm that no request may do to it. See scripts/fuzz."""

from __future__ import annotations

import atexit
import json
import os
import pathlib
import random
import sys
import time
from collections.abc import Callable

from service import Process, Service

# No answer and no line of a log may have these. The keys of the picture door and of decryption are hexadecimal digits.
SECRET = "PLANTED5ecret"
DIGITS = "5ec2e7" * 10 + "5ec2"
# The growth in MiB that the resident memory of a process may have: its caches and budgets, and the answers that are on their way.
MOST = {"coordinator": 128, "worker": 384}
# The failures of one kind that are printed: all requests that were in flight when a process ended are among them.
SHOWN = 40


class Target:
    """Redis, the origin, a coordinator with tokens of all roles and a picture door, and a worker."""

    def __init__(self) -> None:
        self.seconds = float(sys.argv[1])
        self.seed = os.environ.get("TINTYPE_FUZZ_SEED") or str(random.SystemRandom().randrange(1 << 32))
        self.role = os.environ.get("ROLE", "admin")
        print(f"{self.seconds:g} s, TINTYPE_FUZZ_SEED={self.seed} ROLE={self.role}", flush=True)
        self.failures: dict[str, int] = {}
        self.ends: dict[str, int] = {}
        self.slowest = 0.0
        self.service = Service("debug")
        atexit.register(self.service.stop)
        # Only the origin may be asked, so that no name is looked up. A rule sends it a secret.
        rules = [{"hosts": ["*"], "access": "deny"}, {"hosts": ["127.0.0.1"], "access": "allow", "headers": {"X-Key": SECRET}}]
        files = {
            "rules": json.dumps({"rules": rules}), "keys": f"{DIGITS} {DIGITS}\n", "secret": SECRET * 4, "decryption": f"fuzz: aes-256-gcm {DIGITS} hosts=*\n",
            "tokens": "".join(f"{SECRET}-of-{role} role={role} name={role}\n" for role in ("load", "put", "admin")),
        }
        for name, text in files.items():
            (self.service.folder / name).write_text(text)
        path = {name: str(self.service.folder / name) for name in files}
        # Pictures in the memory of the coordinator are at their limit soon.
        self.processes: dict[str, Process] = {
            "coordinator": self.service.coordinator(
                "--key-secret-file", path["secret"], "--token-file", path["tokens"], "--rules", path["rules"], "--memory-cache", "4MiB",
                "--images", "127.0.0.1:0", "--images-keys", path["keys"], "--images-unsigned", "--images-client-hints", "--images-formats", "avif,webp"),
            "worker": self.service.worker("--key-secret-file", path["secret"], "--decryption-keys", path["decryption"]),
        }
        self.token, self.ready = f"{SECRET}-of-{self.role}", self.processes["coordinator"].words
        self.origin = self.service.origin.words["http"]
        self.first = self.highest = self._memory()
        self.until = time.monotonic() + self.seconds

    def _memory(self) -> dict[str, float]:
        """The resident memory in MiB; none of a process that has gone."""
        found = {}
        for name, process in self.processes.items():
            try:
                found[name] = int(pathlib.Path(f"/proc/{process.child.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
            except (OSError, IndexError):
                found[name] = 0
        return found

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.until or any(process.child.poll() is not None for process in self.processes.values())

    def failed(self, kind: str, text: str) -> None:
        self.failures[kind] = self.failures.get(kind, 0) + 1
        if self.failures[kind] <= SHOWN:
            print(f"FAILED {kind}: {text[:3000]}", flush=True)

    def ended(self, name: str, began: float) -> None:
        """Counts an answer."""
        self.ends[name] = self.ends.get(name, 0) + 1
        self.slowest = max(self.slowest, time.monotonic() - began)

    def check(self, answer: str, request: str) -> None:
        """Looks for secrets in an answer."""
        for secret in (SECRET, DIGITS):
            if (at := answer.find(secret)) >= 0:
                self.failed("a secret in an answer", f"…{answer[max(0, at - 150):at + 60]}… to {request}")

    def look(self) -> None:
        """Looks at the processes. Called all the time."""
        self.highest = {name: max(self.highest[name], size) for name, size in self._memory().items()}

    def run(self, fuzz: Callable[[Target], None]) -> int:
        """Fuzzes, and returns the exit status."""
        fuzz(self)
        for name, process in self.processes.items():
            if (status := process.child.poll()) is not None:
                self.failed("a process that ended", f"{name}, status {status}")
            if self.highest[name] - self.first[name] > MOST[name]:
                self.failed("memory that grew", f"{name}, by more than {MOST[name]} MiB")
            print(f"{name}: {self.first[name]:.0f} MiB at first, {self.highest[name]:.0f} MiB at most")
        for log in sorted(self.service.folder.glob("tintype-*.log")):
            for line in log.read_text(errors="replace").splitlines():
                if SECRET in line or DIGITS in line:
                    self.failed("a secret in a log", f"{log.name}: {line}")
        print("answers: " + ", ".join(f"{name} {count}" for name, count in sorted(self.ends.items(), key=lambda end: -end[1])))
        print(f"{sum(self.ends.values())} answers, the slowest after {self.slowest:.1f} s; failures: {self.failures or 'none'}")
        if self.failures:
            print(f"TINTYPE_FUZZ_SEED={self.seed} ROLE={self.role} sends the same requests in the same order.")
        return 1 if self.failures else 0
