"""The events of one receipt on their way to a reader."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from ._generated import Cached, Event, Preview, Progress, Rendered
from ._record import Record


@dataclass(frozen=True, slots=True)
class Gap(Record):
    """The connection was lost here, and the receipt was taken up again: events from between are not known.

    Only `Queued`, `Response`, `Progress`, `Preview`, `Retrying`, `Paused` and `Resumed` can be missing. Each finished rendition, and the end, comes once.
    """

    after: int
    """The `seq` of the last event before it; 0 for none."""


MOST_KEPT = 64
"""The events that are kept for a reader. Of more, progress and other passing events go."""


class EventQueue:
    """Keeps the events that one reader has not read yet, in bounded memory: the newest progress and preview stand for those before."""

    def __init__(self) -> None:
        self._kept: deque[Event | Gap] = deque()
        self._reader: asyncio.Future[None] | None = None
        self._is_over = False

    def put(self, event: Event | Gap) -> None:
        if isinstance(event, Progress) and self._kept:
            last = self._kept[-1]
            if isinstance(last, Progress) and last.phase == event.phase:
                self._kept.pop()
        elif isinstance(event, Preview):
            earlier = next((one for one in self._kept if isinstance(one, Preview)), None)
            if earlier is not None:
                self._kept.remove(earlier)
        if len(self._kept) >= MOST_KEPT:
            passing = next((one for one in self._kept if not isinstance(one, (Rendered, Cached))), None)
            if passing is not None:
                self._kept.remove(passing)
        self._kept.append(event)
        self._wake()

    def end(self) -> None:
        self._is_over = True
        self._wake()

    async def get(self) -> Event | Gap | None:
        """Returns the next event; None after the last one."""
        while not self._kept:
            if self._is_over:
                return None
            reader = self._reader = asyncio.get_running_loop().create_future()
            await reader
        return self._kept.popleft()

    def copy(self) -> EventQueue:
        """Returns a queue with the same events, for a reader of its own."""
        copy = EventQueue()
        copy._kept.extend(self._kept)
        copy._is_over = self._is_over
        return copy

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    def __len__(self) -> int:
        return len(self._kept)


class EventLog:
    """The events of one receipt, for any number of readers. A reader that comes later begins with what has happened."""

    def __init__(self) -> None:
        self._past = EventQueue()
        self._readers: list[EventQueue] = []

    def put(self, event: Event | Gap) -> None:
        for queue in (self._past, *self._readers):
            queue.put(event)

    def end(self) -> None:
        for queue in (self._past, *self._readers):
            queue.end()

    def reader(self) -> EventQueue:
        """Returns the queue of a new reader, until it leaves."""
        queue = self._past.copy()
        self._readers.append(queue)
        return queue

    def leave(self, reader: EventQueue) -> None:
        self._readers.remove(reader)
