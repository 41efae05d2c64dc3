"""Many requests as one group."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ._connection import GRACE, Connection
from ._errors import TintypeError
from ._generated import ErrorName
from ._image import Image, Reader


_PAGE_PAUSE = 0.02
"""The fewest seconds between two pages of a batch, so that items that end together come by one."""


@dataclass(frozen=True, slots=True)
class Item:
    """One ended request of a batch: it has an image or an error."""

    index: int
    """The place of its request in the batch, from 0."""
    receipt: str | None
    image: Image | None
    error: TintypeError | None

    def unwrap(self) -> Image:
        """Returns the image, or raises the error."""
        if self.image is None:
            raise self.error or TintypeError(ErrorName.CANCELLED, "the item ended without a result")
        return self.image


class Group:
    """A group of receipts at the service. It goes on when the client leaves."""

    def __init__(self, connection: Connection, group: str, follow: Callable[[Group, bool], None]) -> None:
        self.group = group
        """The id: the right to ask for the group, so a secret."""
        self.finished = 0
        """How many items have ended, as far as the client knows."""
        self._connection = connection
        self._follow = follow
        self._news = asyncio.Event()
        follow(self, True)

    def take(self, json: Mapping[str, Any]) -> None:
        """Takes an event from the connection."""
        self.finished = max(self.finished, json.get("finished", 0))
        self._news.set()

    async def cancel(self) -> bool:
        """Cancels the items that have not ended. Returns whether there were any."""
        answer = await self._connection.call("group.cancel", {"group": self.group})
        return bool(answer["cancelled"])

    async def _page(self, first: int, limit: int, wait: float = 0) -> dict[str, Any]:
        params = {"group": self.group, "from": first, "limit": limit, "wait": wait}
        page: dict[str, Any] = await self._connection.call("group.get", params, within=wait + 30)
        self.finished = max(self.finished, page.get("finished", 0))
        return page

    async def _next_news(self, patience: float) -> None:
        """Waits for an event, but not for ever: after a lost connection no events come."""
        try:
            async with asyncio.timeout(patience):
                await self._news.wait()
        except TimeoutError:
            pass
        self._news.clear()

    async def _leave(self) -> None:
        """Cancels the group when its reader is cancelled. The reader does not wait for the answer."""
        try:
            await self._connection.call("group.cancel", {"group": self.group}, within=GRACE)
        except TintypeError:
            pass


class Batch(Group):
    """Many images, or a chain: iterate over the items in the order in which they end, or await `results()` for all in the order of the requests.

    Cancelling what iterates or awaits cancels the batch.
    """

    def __init__(
        self, connection: Connection, reader: Reader, group: str, total: int, concurrency: int, follow: Callable[[Group, bool], None]
    ) -> None:
        super().__init__(connection, group, follow)
        self.total = total
        self._reader = reader
        self._window = 2 * concurrency

    def __aiter__(self) -> AsyncIterator[Item]:
        return self._iterate()

    async def results(self) -> list[Item]:
        """Waits for the end of the batch, and returns all items in the order of the requests.

        With `mode="failFast"`, and for a chain, raises the first failure.
        """
        items: dict[int, Item] = {}
        async for item in self:
            items[item.index] = item
        return [items[index] for index in sorted(items)]

    async def _iterate(self) -> AsyncIterator[Item]:
        """Reads only about as many items at once as run at once, so that a slow reader keeps memory free."""
        low, told, patience = 0, set[int](), 0.5
        try:
            while low < self.total:
                page = await self._page(low, min(self._window, 10_000))
                fresh = [one for one in page["results"] if one["state"] not in ("queued", "running") and one["index"] not in told]
                for one in fresh:
                    yield self._item(one)
                    told.add(one["index"])
                if page["state"] in ("failed", "cancelled"):
                    raise _failure(page)
                while low in told:
                    told.discard(low)
                    low += 1
                if page["state"] != "running":
                    continue
                # Items end in any order: what has ended may lie behind the window.
                if not fresh and self.finished > low + len(told):
                    self._window = min(10_000, self._window * 2)
                patience = 0.5 if fresh else min(5.0, patience * 2)
                await asyncio.sleep(_PAGE_PAUSE)
                await self._next_news(patience)
        except asyncio.CancelledError:
            self._connection.errand(self._leave())
            raise
        finally:
            self._follow(self, False)

    def _item(self, json: Mapping[str, Any]) -> Item:
        result, error = json.get("result"), json.get("error")
        return Item(
            json["index"], json.get("receipt"), Image(result, self._reader) if result is not None else None,
            TintypeError.from_json(error) if error is not None else None if result is not None
            else TintypeError(ErrorName.CANCELLED, "the item was cancelled"))


@dataclass(frozen=True, slots=True)
class PrefetchSummary:
    """The end of a prefetch."""

    finished: int
    """How many items have ended, failed ones too."""
    skipped: int
    """How many failed or were cancelled."""
    errors: Mapping[int, TintypeError]
    """The errors by the index of their item."""


class Prefetch(Group):
    """Images on their way into the caches. Await `done()` for the end, or let it be."""

    def __init__(self, connection: Connection, group: str, total: int, follow: Callable[[Group, bool], None]) -> None:
        super().__init__(connection, group, follow)
        self.total = total

    async def done(self) -> PrefetchSummary:
        """Waits for the end. Cancelling this wait cancels the prefetch."""
        try:
            page = await self._page(0, 1)
            while page["state"] == "running":
                await self._next_news(5.0)
                page = await self._page(0, 1)
            if page["state"] == "cancelled":
                raise _failure(page)
            return PrefetchSummary(page["finished"], page.get("skipped", 0), await self._errors() if page.get("skipped") else {})
        except asyncio.CancelledError:
            self._connection.errand(self._leave())
            raise
        finally:
            self._follow(self, False)

    async def _errors(self) -> dict[int, TintypeError]:
        errors: dict[int, TintypeError] = {}
        first: int | None = 0
        while first is not None:
            page = await self._page(first, 1000)
            errors |= {one["index"]: TintypeError.from_json(one["error"]) for one in page["results"] if "error" in one}
            first = page.get("next")
        return errors


def _failure(page: Mapping[str, Any]) -> TintypeError:
    if "failed" in page:
        error = TintypeError.from_json(page["failed"]["error"])
        error.add_note(f"item {page['failed']['index']} of the batch")
        return error
    reason = page.get("reason", "no reason given")
    return TintypeError(ErrorName.CANCELLED, f"the group was cancelled: {reason}", data={"reason": reason})
