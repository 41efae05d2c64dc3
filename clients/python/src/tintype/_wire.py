"""One connection to a coordinator."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, cast

from ._address import Address
from ._errors import TintypeError
from ._generated import ErrorName
from ._lines import Lines

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False).encode
_decode = json.JSONDecoder().decode

MOST_UNANSWERED = 1000
"""A coordinator answers 1,024 requests of a connection at once. The rest is for cancels and pings, which must not wait."""
MOST_UNSENT = 256 << 10
"""The bytes that may wait to be written before further calls wait."""
URGENT = frozenset({"receipt.cancel", "system.ping"})
"""Methods that a coordinator takes beside 1,024 unanswered requests."""
MOST_MESSAGE = 4 << 20
"""The most bytes of a message (docs/protocol.md, Messages)."""


class WireLost(Exception):
    """The connection has ended before the answer. `was_sent` says whether the coordinator may have the request."""

    def __init__(self, reason: str, was_sent: bool) -> None:
        super().__init__(reason)
        self.was_sent = was_sent


class Wire(asyncio.Protocol):
    """Requests and answers of one connection. Owned by a `Connection`, which makes the next wire when this one is lost."""

    def __init__(self, address: Address, silence: float, notify: Callable[[str, Mapping[str, Any]], None], is_watching: Callable[[], bool]) -> None:
        self._loop = asyncio.get_running_loop()
        self.address = address
        self._silence = silence
        self._notify = notify
        self._is_watching = is_watching
        self._transport: asyncio.Transport | None = None
        self._lines = Lines()
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._granted = 0
        self._out: list[bytes] = []
        self._unsent = 0
        self._is_paused = False
        self._next = 1
        self._heard = self._loop.time()
        self._pinged: float | None = None
        self._beat: asyncio.TimerHandle | None = None
        self.refusal: TintypeError | None = None
        """What a coordinator said that accepts no connection."""
        self.gone: asyncio.Future[None] = self._loop.create_future()
        """Done when the connection is lost, or given up for another one."""
        self.closed: asyncio.Future[None] = self._loop.create_future()
        self.reason = "the coordinator closed the connection"

    # Calls

    async def call(self, method: str, params: Mapping[str, Any], end: float) -> Any:
        """Sends a request and returns its result.

        Raises WireLost, or the TintypeError of the answer. After `end` on the loop's clock the error is `deadlineExceeded`.
        """
        line = self._line(self._next, method, params)
        if (self._waiting or not self._has_room) and method not in URGENT:
            await self._room(end)
            line = self._line(self._next, method, params)
        if self.closed.done():
            raise WireLost(self.reason, was_sent=False)
        number = self._next
        self._next += 1
        answer: asyncio.Future[Any] = self._loop.create_future()
        self._pending[number] = answer
        self._write(line)
        timer = self._loop.call_at(end, self._expire, number, method)
        try:
            return await answer
        except asyncio.CancelledError:
            if self._pending.pop(number, None) is not None:
                self.send("$/cancelRequest", {"id": number})
                self._wake()
            raise
        finally:
            timer.cancel()

    def send(self, method: str, params: Mapping[str, Any]) -> None:
        """Sends a notification, which has no answer. Does not wait for room."""
        if not self.closed.done():
            self._write(self._line(None, method, params))

    def _line(self, number: int | None, method: str, params: Mapping[str, Any]) -> bytes:
        head = "" if number is None else f'"id":{number},'
        line = f'{{"jsonrpc":"2.0",{head}"method":"{method}","params":{_encode(params)}}}\n'.encode("utf-8", "surrogatepass")
        if len(line) > MOST_MESSAGE:
            words = f"the request has {len(line)} bytes, and a message at most {MOST_MESSAGE}: upload the source, and name the URL of the upload"
            raise TintypeError(ErrorName.INVALID_REQUEST, words)
        return line

    def _expire(self, number: int, method: str) -> None:
        answer = self._pending.pop(number, None)
        if answer is not None and not answer.done():
            self.send("$/cancelRequest", {"id": number})
            answer.set_exception(late(method))
            self._wake()

    # Room

    @property
    def _has_room(self) -> bool:
        return not self._is_paused and self._unsent <= MOST_UNSENT and len(self._pending) + self._granted < MOST_UNANSWERED

    async def _room(self, end: float) -> None:
        """Waits until the coordinator takes another request. Callers go on in the order in which they came."""
        waiter: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append(waiter)
        timer = self._loop.call_at(end, _fail, waiter)
        try:
            await waiter
        except BaseException:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._granted -= 1
                self._wake()
            raise
        finally:
            timer.cancel()
        self._granted -= 1

    def _wake(self) -> None:
        while self._waiting and self._has_room:
            waiter = self._waiting.popleft()
            if not waiter.done():
                self._granted += 1
                waiter.set_result(None)

    # Writing: what is sent in one turn of the loop goes out in one piece.

    def _write(self, line: bytes) -> None:
        if not self._out:
            self._loop.call_soon(self._flush)
        self._out.append(line)
        self._unsent += len(line)

    def _flush(self) -> None:
        if self._out and self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(self._out))
        self._out.clear()
        self._unsent = 0
        self._wake()

    def pause_writing(self) -> None:
        self._is_paused = True

    def resume_writing(self) -> None:
        self._is_paused = False
        self._wake()

    # Reading

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._beat = self._loop.call_later(self._silence / 4, self._listen)

    def data_received(self, data: bytes) -> None:
        self._heard = self._loop.time()
        self._pinged = None
        try:
            for line in self._lines.feed(data):
                self._take(_decode(line.decode()))
        except (ValueError, AttributeError) as error:
            self.abort(f"the coordinator sent no JSON-RPC: {error}")

    def _take(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        if number is not None:
            answer = self._pending.pop(number, None)
            if answer is not None and not answer.done():
                if "error" in message:
                    answer.set_exception(TintypeError.from_json(message["error"]))
                else:
                    answer.set_result(message.get("result"))
            if self._waiting:
                self._wake()
            if self.gone.done() and not self._pending:
                self.close()
        elif "method" in message:
            self._notify(message["method"], message.get("params") or {})
        elif "error" in message:
            self.refusal = TintypeError.from_json(message["error"])

    def connection_lost(self, error: Exception | None) -> None:
        if error is not None and not self.closed.done():
            self.reason = f"the connection broke: {error}"
        self._end()

    # The end

    def _listen(self) -> None:
        """Asks a coordinator that has been silent while it owes answers, and gives it up if it stays silent."""
        now = self._loop.time()
        if self.gone.done() and not self._pending:
            self.close()
        if self._pending or self._is_watching():
            if self._pinged is not None and now - self._pinged >= self._silence:
                self.abort(f"the coordinator said nothing for {now - self._heard:.1f} s")
                return
            if self._pinged is None and now - self._heard >= self._silence:
                self._pinged = now
                self._write(self._line(0, "system.ping", {}))
        self._beat = self._loop.call_later(self._silence / 4, self._listen)

    def retire(self) -> None:
        """Sends nothing more, and closes the connection after the last answer."""
        if not self.gone.done():
            self.gone.set_result(None)
        if not self._pending:
            self.close()

    def close(self) -> None:
        self._flush()
        if self._transport is not None:
            self._transport.close()

    def abort(self, reason: str) -> None:
        self.reason = reason
        if self._transport is not None:
            self._transport.abort()
        self._end()

    def _end(self) -> None:
        if self.closed.done():
            return
        self.closed.set_result(None)
        if not self.gone.done():
            self.gone.set_result(None)
        if self._beat is not None:
            self._beat.cancel()
        pending, self._pending = self._pending, {}
        for answer in pending.values():
            if not answer.done():
                answer.set_exception(WireLost(self.reason, was_sent=True))
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                self._granted += 1
                waiter.set_result(None)


def late(what: str) -> TintypeError:
    """The error of a call whose time is over before an answer has come."""
    return TintypeError(ErrorName.DEADLINE_EXCEEDED, f"no answer to {what} came in time")


def closed() -> TintypeError:
    """The error of calls to a client that was closed."""
    return TintypeError(ErrorName.CANCELLED, "the client was closed", data={"reason": "closed"})


def _fail(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_exception(late("a request that waits for others of its connection"))
