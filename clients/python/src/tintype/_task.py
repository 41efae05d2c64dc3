"""One submitted request."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from typing import Any, Literal

from ._connection import Connection
from ._errors import TintypeError
from ._events import EventLog, Gap
from ._generated import EVENTS, ErrorName, Event, Rendered, RenditionInfo, Started
from ._image import Image, Reader
from ._wire import closed, late


class Task:
    """A request that the service works on. Await it for its image, or iterate over its events, or both, any number of times.

    Cancelling what awaits or iterates withdraws the request, unless it is `detached`.
    The task survives its connection: the receipt is taken up again at whichever coordinator answers.
    """

    def __init__(
        self, connection: Connection, reader: Reader, method: str, params: Mapping[str, Any], *, within: float, is_detached: bool,
        follow: Callable[[Task, bool], None]
    ) -> None:
        loop = asyncio.get_running_loop()
        self.receipt: str = params["receipt"]
        """The id by which any client of the service finds the request."""
        self._connection = connection
        self._reader = reader
        self._method = method
        self._params = params
        self._end = loop.time() + within
        self.is_detached = is_detached
        """Whether the request goes on without this client."""
        self._follow = follow
        self._events = EventLog()
        self._sequence = 0
        self._attempt = 0
        self._rendered: set[str | None] = set()
        self._image: asyncio.Future[Image] = loop.create_future()
        self._known = asyncio.Event()
        """Set when the service has the receipt, or will never have it."""
        if method != "image.submit":
            self._known.set()
        follow(self, True)
        self._worker = loop.create_task(self._run(), name=f"tintype: {self.receipt}")

    # Reading

    def __await__(self) -> Generator[Any, None, Image]:
        return self._wait().__await__()

    async def _wait(self) -> Image:
        try:
            return await asyncio.shield(self._image)
        except asyncio.CancelledError:
            self._withdraw()
            raise

    def __aiter__(self) -> AsyncIterator[Event | Gap]:
        return self._iterate()

    async def _iterate(self) -> AsyncIterator[Event | Gap]:
        if self._image.done():
            self._image.exception()
        reader = self._events.reader()
        try:
            while True:
                try:
                    event = await reader.get()
                except asyncio.CancelledError:
                    self._withdraw()
                    raise
                if event is None:
                    # The reader has seen the end, so a failure that nobody awaits is no forgotten one.
                    self._image.exception()
                    return
                yield event
        finally:
            self._events.leave(reader)

    @property
    def done(self) -> bool:
        """Whether the request has ended, well or not."""
        return self._image.done()

    # Acting

    async def cancel(self) -> bool:
        """Cancels the receipt. Returns whether it was still going on."""
        answer = await self._ask("receipt.cancel")
        return bool(answer["cancelled"])

    async def pause(self) -> None:
        """Pauses the receipt; the deadline goes on."""
        await self._ask("receipt.pause")

    async def resume(self) -> None:
        """Lets a paused receipt go on at its old place."""
        await self._ask("receipt.resume")

    async def set_priority(self, priority: int | Literal["low", "normal", "high"]) -> None:
        """Changes the priority: from -10 to 10, higher goes first."""
        await self._ask("receipt.setPriority", priority=priority)

    async def state(self) -> Mapping[str, Any]:
        """Returns what `receipt.get` says now."""
        answer: Mapping[str, Any] = await self._ask("receipt.get")
        return answer

    async def _ask(self, method: str, **more: Any) -> Any:
        """Calls a method of the receipt. The submit may be on its way still, and comes first."""
        await self._known.wait()
        return await self._connection.call(method, {"receipt": self.receipt, **more})

    def close(self) -> None:
        """Lets go of the request, which goes on as the service decides (docs/protocol.md, Disconnecting)."""
        self._worker.cancel()
        self._fail(closed())
        if not self._image.cancelled():
            self._image.exception()

    # Working

    async def _run(self) -> None:
        """Sends the request, and again over each new connection: the same receipt is the same request, so nothing is done twice."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                wire, answer = await self._connection.call_on(self._method, self._params, max(0.0, self._end - loop.time()))
                self._known.set()
                self._take_state(answer)
                if self._image.done():
                    return
                ends: list[asyncio.Future[Any]] = [wire.gone, self._image]
                await asyncio.wait(ends, timeout=max(0.0, self._end - loop.time()), return_when=asyncio.FIRST_COMPLETED)
                if self._image.done():
                    return
                if loop.time() >= self._end:
                    raise late(f"the receipt {self.receipt}")
                self._events.put(Gap(self._sequence))
        except TintypeError as error:
            self._fail(error)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self._fail(TintypeError(ErrorName.INTERNAL, f"the answer cannot be read: {error!r}"))

    def _withdraw(self) -> None:
        if self._image.done() or self.is_detached:
            return
        self._worker.cancel()
        self._fail(TintypeError(ErrorName.CANCELLED, "the awaiting task was cancelled"))
        self._image.exception()
        # A request whose submit is still under way is cancelled by the id of that call; the receipt may be there before.
        self._connection.errand(self._connection.withdraw(self.receipt))

    def _take_state(self, answer: Mapping[str, Any]) -> None:
        """Takes the answer of `image.submit` or `receipt.get`, which has the end if there is one."""
        if "result" in answer:
            self._take_end({"type": "succeeded", "result": answer["result"]})
        elif "error" in answer:
            self._take_end({"type": "cancelled" if answer.get("state") == "cancelled" else "failed", "error": answer["error"]})

    def take(self, json: Mapping[str, Any]) -> None:
        """Takes an event from the connection."""
        if self._image.done():
            return
        kind = EVENTS.get(json.get("type", ""))
        if kind is None:
            return
        self._sequence = json.get("seq", 0)
        if json["type"] in ("succeeded", "failed", "cancelled"):
            return self._take_end(json)
        event = kind.from_json(json)
        # A receipt that is taken up again may tell what is known.
        if isinstance(event, Rendered):
            if event.name in self._rendered:
                return
            self._rendered.add(event.name)
        elif isinstance(event, Started):
            if event.attempt <= self._attempt:
                return
            self._attempt = event.attempt
        self._events.put(event)

    def _take_end(self, json: Mapping[str, Any]) -> None:
        if self._image.done():
            return
        common = {"receipt": self.receipt, "seq": json.get("seq", self._sequence + 1), "at": json.get("at", time.time()), "queue": json.get("queue", "")}
        if json["type"] == "succeeded":
            image = Image(json["result"], self._reader)
            if self._params.get("progress"):
                for one in json["result"].get("renditions", []):
                    if one.get("name") not in self._rendered:
                        self._events.put(Rendered.from_json({**one, **common, "type": "rendition"}))
            self._end_with(json, common)
            self._image.set_result(image)
        else:
            self._end_with(json, common)
            if "error" in json:
                error = TintypeError.from_json(json["error"])
            else:
                words = f"the receipt was cancelled: {json.get('reason', 'no reason given')}"
                error = TintypeError(ErrorName.CANCELLED, words, data={"reason": json.get("reason"), "phase": json.get("phase")})
            self._image.set_exception(error)

    def _end_with(self, json: Mapping[str, Any], common: Mapping[str, Any]) -> None:
        self._known.set()
        self._events.put(EVENTS[json["type"]].from_json({**common, **json}))
        self._events.end()
        self._follow(self, False)

    def _fail(self, error: TintypeError) -> None:
        if not self._image.done():
            self._known.set()
            self._events.end()
            self._follow(self, False)
            self._image.set_exception(error)

    def __repr__(self) -> str:
        return f"<Task {self.receipt}{' done' if self.done else ''}>"
