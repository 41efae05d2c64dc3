"""The client for programs without asyncio: the words for images, and calls that wait.

A thread of its own runs the loop. All methods may be called from any thread.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import ssl
import threading
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, Unpack

from . import _batch, _client, _image, _task
from ._batch import PrefetchSummary
from ._client import Probe, Renditions, Upload
from ._connection import Token, Trace
from ._errors import TintypeError
from ._events import Gap
from ._generated import Event, Operation, Output, QueueInfo, Request, RequestOptions

__all__ = ["Batch", "Image", "Item", "Task", "Tintype", "TintypeError"]

T = TypeVar("T")


class _Loop:
    """A loop in a thread of its own."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="tintype", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Waits for a coroutine. An interruption of the wait, such as Ctrl-C, cancels it."""
        if os.getpid() != self._process:
            work.close()
            raise RuntimeError("this client was made before a fork: make one in each process")
        future: concurrent.futures.Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def each(self, values: AsyncIterator[T]) -> Iterator[T]:
        """Waits for one value after the other."""
        while True:
            try:
                yield self.run(_next(values))
            except StopAsyncIteration:
                return

    @property
    def is_stopped(self) -> bool:
        return self._loop.is_closed()

    def stop(self) -> None:
        self.run(self._loop.shutdown_asyncgens())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _next(values: AsyncIterator[T]) -> T:
    return await anext(values)


class Image(_image.Facts):
    """The result of a request; see `tintype.Image`."""

    def __init__(self, image: _image.Image, loop: _Loop) -> None:
        super().__init__(image.json)
        self._image = image
        self._loop = loop

    def read(self, name: str | None = None) -> bytes:
        """Returns the bytes of a rendition; without a name, of the first one."""
        return self._loop.run(self._image.read(name))

    def save(self, path: str | os.PathLike[str], name: str | None = None) -> Path:
        """Writes the bytes of a rendition to a file, whole or not at all."""
        return self._loop.run(self._image.save(path, name))


class Task:
    """A submitted request: iterate over its events, or wait for its image."""

    def __init__(self, task: _task.Task, loop: _Loop) -> None:
        self._task = task
        self._loop = loop

    @property
    def receipt(self) -> str:
        return self._task.receipt

    @property
    def done(self) -> bool:
        return self._task.done

    def __iter__(self) -> Iterator[Event | Gap]:
        return self._loop.each(aiter(self._task))

    def result(self) -> Image:
        """Waits for the image. Ctrl-C withdraws the request."""

        async def wait() -> _image.Image:
            return await self._task

        return Image(self._loop.run(wait()), self._loop)

    def cancel(self) -> bool:
        """Cancels the receipt. Returns whether it was still going on."""
        return self._loop.run(self._task.cancel())


class Item:
    """One ended request of a batch: it has an image or an error."""

    def __init__(self, item: _batch.Item, loop: _Loop) -> None:
        self.index = item.index
        self.receipt = item.receipt
        self.image = Image(item.image, loop) if item.image is not None else None
        self.error = item.error


class Batch:
    """Many images: iterate over the items in the order in which they end."""

    def __init__(self, batch: _batch.Batch, loop: _Loop) -> None:
        self._batch = batch
        self._loop = loop

    @property
    def group(self) -> str:
        return self._batch.group

    @property
    def total(self) -> int:
        return self._batch.total

    def __iter__(self) -> Iterator[Item]:
        return (Item(item, self._loop) for item in self._loop.each(aiter(self._batch)))

    def results(self) -> list[Item]:
        """Waits for all items, and returns them in the order of the requests."""
        return [Item(item, self._loop) for item in self._loop.run(self._batch.results())]

    def cancel(self) -> bool:
        """Cancels the items that have not ended."""
        return self._loop.run(self._batch.cancel())


class Prefetch:
    """Images on their way into the caches."""

    def __init__(self, prefetch: _batch.Prefetch, loop: _Loop) -> None:
        self._prefetch = prefetch
        self._loop = loop

    def done(self) -> PrefetchSummary:
        """Waits for the end."""
        return self._loop.run(self._prefetch.done())

    def cancel(self) -> bool:
        """Cancels the items that have not ended."""
        return self._loop.run(self._prefetch.cancel())


class Tintype:
    """A client of the service; see `tintype.Tintype` for its words. Close it, or use it in a `with` statement."""

    def __init__(
        self, *coordinators: str, token: Token = None, tls: ssl.SSLContext | None = None, http: str | None = None, connect_timeout: float = 10.0,
        silence: float = 5.0, trace: Trace = None
    ) -> None:
        self._loop = _Loop()

        async def make() -> _client.Tintype:
            client = _client.Tintype(
                *coordinators, token=token, tls=tls, http=http, connect_timeout=connect_timeout, silence=silence, trace=trace)
            return await client.__aenter__()

        try:
            self._client = self._loop.run(make())
        except BaseException:
            self._loop.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; receipts go on for a while. A second call does nothing."""
        if self._loop.is_stopped:
            return
        self._loop.run(self._client.aclose())
        self._loop.stop()

    @property
    def coordinator(self) -> str:
        """The address of the coordinator that is used now."""
        return self._client.coordinator

    def load(
        self, url: str | Request, *transform: Operation, output: Output | None = None, renditions: Renditions | None = None,
        **options: Unpack[RequestOptions]
    ) -> Image:
        """Loads an image and returns it when it is there."""
        return Image(self._loop.run(self._client.load(url, *transform, output=output, renditions=renditions, **options)), self._loop)

    def submit(
        self, url: str | Request, *transform: Operation, output: Output | None = None, renditions: Renditions | None = None,
        **options: Unpack[RequestOptions]
    ) -> Task:
        """Begins to load an image."""

        async def begin() -> _task.Task:
            return self._client.submit(url, *transform, output=output, renditions=renditions, **options)

        return Task(self._loop.run(begin()), self._loop)

    def task(self, receipt: str, *, within: float = 600.0) -> Task:
        """Takes up a receipt that this or another client has submitted."""

        async def begin() -> _task.Task:
            return self._client.task(receipt, within=within)

        return Task(self._loop.run(begin()), self._loop)

    def probe(self, url: str | Request, **options: Unpack[RequestOptions]) -> Probe:
        """Describes a source."""
        return self._loop.run(self._client.probe(url, **options))

    def batch(self, requests: Iterable[str | Request], *, mode: Literal["failFast", "settleAll"] = "failFast", concurrency: int = 64) -> Batch:
        """Begins to load many images as one group."""
        return Batch(self._loop.run(self._client.batch(requests, mode=mode, concurrency=concurrency)), self._loop)

    def prefetch(
        self, urls: Iterable[str | Request], *transform: Operation, output: Output | None = None, concurrency: int = 3,
        priority: int | Literal["low", "normal", "high"] = "low"
    ) -> Prefetch:
        """Begins to load images into the caches."""
        work = self._client.prefetch(urls, *transform, output=output, concurrency=concurrency, priority=priority)
        return Prefetch(self._loop.run(work), self._loop)

    def upload(self, data: bytes) -> Upload:
        """Keeps bytes at the service as a source for a while."""
        return self._loop.run(self._client.upload(data))

    def purge(self, *, url: str | None = None, prefix: str | None = None, tag: str | None = None, scope: str | None = None) -> Any:
        """Removes everything from a URL, from URLs with a prefix, or with a tag."""
        return self._loop.run(self._client.cache.purge(url=url, prefix=prefix, tag=tag, scope=scope))

    def queue(self, name: str = "default") -> QueueInfo:
        """Returns the state of a queue."""
        return self._loop.run(self._client.queue(name).info())

    def call(self, method: str, **params: Any) -> Any:
        """Calls any other method of the service, with the names of the wire."""
        return self._loop.run(self._client.call(method, params))

    def ping(self) -> float:
        """Returns the seconds that the coordinator takes to answer."""
        return self._loop.run(self._client.ping())
