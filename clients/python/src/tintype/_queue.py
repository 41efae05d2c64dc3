"""A queue of the service, for its operator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ._errors import TintypeError
from ._generated import Methods, QueueInfo


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A fetch that has failed for good."""

    id: str
    url: str
    error: TintypeError
    attempts: int
    at: float
    """When, in epoch seconds."""
    retryable: bool
    """Whether `retry` works; of others only the URL is kept."""
    _queue: Queue = field(repr=False, compare=False)

    async def retry(self) -> bool:
        """Queues the fetch again, under the receipt `retry-ID`. Returns whether it was queued."""
        return bool((await self._queue.methods.dead_retry(queue=self._queue.name, ids=[self.id]))["retried"])

    async def remove(self) -> bool:
        """Removes the dead letter. Returns whether it was there."""
        return bool((await self._queue.methods.dead_remove(queue=self._queue.name, ids=[self.id]))["removed"])


class Queue:
    """A queue by its name. Where tokens are required, its methods need the role `admin`."""

    def __init__(self, name: str, methods: Methods) -> None:
        self.name = name
        self.methods = methods

    async def info(self) -> QueueInfo:
        return await self.methods.queue_get(queue=self.name)

    async def pause(self) -> QueueInfo:
        """Lets no fetch start; running ones go on."""
        return await self.methods.queue_pause(queue=self.name)

    async def resume(self) -> QueueInfo:
        return await self.methods.queue_resume(queue=self.name)

    async def configure(
        self, *, order: Literal["fifo", "lifo"] | None = None, max_concurrent: int | None = None, max_concurrent_per_host: int | None = None,
        host_limits: Mapping[str, int] | None = None, max_queued: int | None = None, shards: int | None = None
    ) -> QueueInfo:
        """Changes the queue, or creates it. What is not given stays."""
        return await self.methods.queue_configure(
            queue=self.name, order=order, max_concurrent=max_concurrent, max_concurrent_per_host=max_concurrent_per_host, host_limits=host_limits,
            max_queued=max_queued, shards=shards)

    async def cancel_all(self) -> QueueInfo:
        """Cancels every receipt of the queue."""
        return await self.methods.queue_cancel_all(queue=self.name)

    async def dead_letters(self) -> AsyncIterator[DeadLetter]:
        """The fetches that failed for good, the newest first."""
        cursor: str | None = None
        while True:
            page = await self.methods.dead_list(queue=self.name, cursor=cursor)
            for one in page["items"]:
                yield DeadLetter(
                    one["id"], one["url"], TintypeError.from_json(one["error"]), one["attempts"], one["at"], one["retryable"], self)
            cursor = page.get("cursor")
            if cursor is None:
                return
