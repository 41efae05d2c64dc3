"""A client behind its driver: a program that does what lines of JSON say, and answers with lines of JSON."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any, Self

CLIENTS = Path(__file__).resolve().parents[1]
COMMANDS = {
    "python": [sys.executable, "-B", str(CLIENTS / "python/tests/driver.py")],
    "swift": [str(CLIENTS / "swift/.build/debug/ConformanceDriver")],
    "typescript": [
        os.environ.get("DENO", "deno"), "run", "--quiet", "--no-lock", "--no-check", "--allow-all", str(CLIENTS / "typescript/tests/driver.ts"),
    ],
}


class Refused(Exception):
    """The call has failed with an error of the protocol, which the driver tells."""


class Call:
    """A call of the client that is under way."""

    def __init__(self, number: int, urls: list[str]) -> None:
        self.id = number
        self.urls = urls
        self.seen: list[str] = []
        """The events of a task, or the items of a group, as its reader from the beginning sees them."""
        self.answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    async def outcome(self) -> dict[str, Any]:
        """Waits for the value or the error."""
        answer = await asyncio.shield(self.answer)
        if "fault" in answer:
            raise AssertionError(f"the driver cannot go on: {answer['fault']}")
        return answer

    async def value(self) -> Any:
        answer = await self.outcome()
        if "value" not in answer:
            raise Refused(json.dumps(answer, ensure_ascii=False))
        return answer["value"]

    async def error(self) -> dict[str, Any]:
        answer = await self.outcome()
        if "error" not in answer:
            raise AssertionError(f"did not fail: {answer}")
        error: dict[str, Any] = answer["error"]
        return error


class Driver:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process = process
        self._in = process.stdin
        self._out = process.stdout
        self._calls: dict[int, Call] = {}
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, client: str) -> Self:
        pipe = asyncio.subprocess.PIPE
        return cls(await asyncio.create_subprocess_exec(*COMMANDS[client], stdin=pipe, stdout=pipe, limit=1 << 27))

    def stop(self) -> None:
        self._listening.cancel()
        if self._process.returncode is None:
            self._process.kill()

    def tell(self, word: str, urls: list[str] | None = None, **more: Any) -> Call:
        """Begins a call of the client."""
        call = self._calls[len(self._calls)] = Call(len(self._calls), urls or [])
        self.note(word, id=call.id, **more)
        if self._listening.done():
            call.answer.set_result({"fault": "it has ended"})
        return call

    async def ask(self, word: str, **more: Any) -> Any:
        return await self.tell(word, **more).value()

    def note(self, word: str, **more: Any) -> None:
        """Says something that has no answer."""
        self._in.write(json.dumps({"do": word, **more}).encode() + b"\n")

    async def _listen(self) -> None:
        while line := await self._out.readline():
            message = json.loads(line)
            call = self._calls[message.pop("id")]
            if "event" in message:
                call.seen.append(message["event"])
            elif not call.answer.done():
                call.answer.set_result(message)
        for call in self._calls.values():
            if not call.answer.done():
                call.answer.set_result({"fault": "it has ended"})
