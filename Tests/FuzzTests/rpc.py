"""Requests by chance to every method of JSON-RPC: each must have an answer, and none may do harm. See scripts/fuzz.

The seed and the number of a request decide its content, apart from the names that the service has made up.
"""

from __future__ import annotations

import itertools
import json
import queue
import random
import re
import socket
import sys
import threading
import time
from typing import Any

from parameters import Parameters
from target import Target

IN_FLIGHT = 40
# Seconds. The longest deadline is 2 s, and a fallback may take ten more.
PATIENCE = 14
# They stop the work of others.
LEFT_OUT = ("session.authenticate", "queue.pause", "workers.quiet")


def levels(text: str) -> int:
    marks = re.sub(r'"(?:[^"\\]|\\.)*"|[^][{}]', "", text)
    return max(itertools.accumulate(1 if mark in "[{" else -1 for mark in marks))


class Caller:
    """One connection with many requests in flight."""

    def __init__(self, target: Target) -> None:
        self.target, self.lines = target, queue.Queue[bytes]()
        self.open: dict[int, tuple[str, float, str]] = {}
        """The method, time and text of the requests without an answer."""
        host, port = target.ready["rpc"].rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        threading.Thread(target=self._read, daemon=True).start()
        self._call("session.authenticate", {"token": target.token})
        self.parameters = Parameters([one for one in self._call("rpc.discover", {})["methods"] if one["name"] not in LEFT_OUT], target.origin)

    def _read(self) -> None:
        try:
            for line in self.socket.makefile("rb"):
                self.lines.put(line)
        except OSError:
            pass
        self.lines.put(b"")

    def send(self, number: int, method: str, params: Any, in_batch: bool = False) -> None:
        text = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, ensure_ascii=False)
        text = f"[{text}]" if in_batch else text
        self.open[number] = (method, time.monotonic(), text)
        self.socket.sendall(text.encode() + b"\n")

    def _call(self, method: str, params: Any) -> Any:
        self.send(0, method, params)
        del self.open[0]
        return json.loads(self.lines.get(timeout=PATIENCE))["result"]

    def _settle(self, answer: dict[str, Any], line: str) -> None:
        number, error = answer.get("id"), answer.get("error", {})
        if number is None:
            # A message of more than 64 levels is refused before its id is looked for.
            number = next((one for one, (_, _, text) in self.open.items() if levels(text) > 64), None)
        if number not in self.open:
            return self.target.failed("an answer to nothing", line)
        method, began, text = self.open.pop(number)
        self.target.ended(str(error.get("data", {}).get("name", error["code"])) if error else "ok", began)
        # The URL of a picture names its source, whole.
        if error or method != "pictures.url":
            self.target.check(line, text)
        if error.get("code") == -32603:
            self.target.failed("an internal error", f"{line} to {text}")
        self.parameters.learn(answer.get("result"))

    def receive(self, seconds: float) -> bool:
        """Takes what comes: answers, several in a batch, and events. Returns false once the connection has ended."""
        try:
            while line := self.lines.get(timeout=seconds).decode():
                message = json.loads(line)
                for one in message if isinstance(message, list) else [message]:
                    self.target.check(line, "an event") if "method" in one else self._settle(one, line)
                seconds = 0.0001
            return False
        except queue.Empty:
            return True

    def give_up(self, before: float) -> None:
        for number in [number for number, (_, began, _) in self.open.items() if began < before]:
            _, began, text = self.open.pop(number)
            self.target.failed("a request without an answer", f"{time.monotonic() - began:.1f} s: {text}")


def fuzz(target: Target) -> None:
    caller, number, is_open = Caller(target), 0, True
    while is_open and not (target.is_over and not caller.open):
        while len(caller.open) < IN_FLIGHT and not target.is_over:
            number += 1
            dice = random.Random(f"{target.seed} {number}")
            caller.send(number, *caller.parameters.draw(dice), in_batch=dice.random() < 0.05)
        is_open = caller.receive(0.25)
        caller.give_up(time.monotonic() - PATIENCE)
        target.look()
    if not is_open:
        target.failed("a connection that ended", "these requests were in flight:")
        caller.give_up(time.monotonic())


if __name__ == "__main__":
    sys.exit(Target().run(fuzz))
