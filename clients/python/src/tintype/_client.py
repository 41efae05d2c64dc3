"""The client."""

from __future__ import annotations

import json
import secrets
import ssl
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Literal, Self, Unpack

from ._address import addresses
from ._batch import Batch, Group, Prefetch
from ._cache import Cache
from ._connection import Connection, Token, Trace
from ._errors import TintypeError
from ._generated import Methods, Operation, Output, Rendition, RenditionInfo, Request, RequestOptions, SourceInfo
from ._http import HTTP, Answer, failure
from ._image import Image
from ._queue import Queue
from ._record import plain
from ._task import Task

Renditions = Mapping[str, Sequence[Operation]] | Sequence[Rendition]
"""The outputs of one download: operations by the names of renditions, or whole renditions."""

USUAL_DEADLINE = 30.0
"""The deadline of a request that names none, in seconds (docs/protocol.md, ImageRequest)."""
MARGIN = 5.0
"""The seconds beyond the deadline of a request after which the client gives up by itself. The service answers at the deadline."""
_UNREPEATABLE = frozenset({"chain.append", "activity.begin", "events.subscribe"})
"""Methods that do more when they are called twice."""


@dataclass(frozen=True, slots=True)
class Probe:
    """The description of a source."""

    source: SourceInfo
    description: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Upload:
    """Bytes that the service keeps as a source for a while."""

    url: str = field(repr=False)
    """Stands wherever a request names a URL. It is the right to use the bytes, so a secret."""
    bytes: int
    sha256: str
    expires_at: float
    """Until when, in epoch seconds."""
    content_type: str | None


class Tintype:
    """A client of the service.

    - `coordinators`: `tcp://HOST:PORT` or `tls://HOST:PORT`. Of several, one that answers is used; the others take over when it is gone.
    - `token`: where the operator requires one. A function is asked before each connection.
    - `tls`: how certificates of `tls://` are checked. Default: by the authorities of the system.
    - `http`: the base of the HTTP port, for the bytes of results and for uploads. Default: what the coordinator says, at its host.
    - `connect_timeout`: the seconds for a first connection.
    - `silence`: the seconds after which a coordinator that owes answers is asked whether it lives. As long after that it is given up.
    - `trace`: returns the caller's place in a trace (W3C Trace Context), for each request.
    """

    def __init__(
        self, *coordinators: str, token: Token = None, tls: ssl.SSLContext | None = None, http: str | None = None, connect_timeout: float = 10.0,
        silence: float = 5.0, trace: Trace = None
    ) -> None:
        self._tasks: dict[str, list[Task]] = {}
        self._groups: dict[str, Group] = {}
        self._connection = Connection(
            addresses(coordinators or ("tcp://127.0.0.1:7411",)), token=token, tls=tls, silence=silence, connect_timeout=connect_timeout, trace=trace,
            notify=self._take, is_watching=lambda: bool(self._tasks or self._groups))
        self._tls = tls
        self._http = http
        self.methods = Methods(self.call)
        """Every method of the service, for what has no word here."""
        self.cache = Cache(self.methods, self)
        """What the service keeps."""

    async def __aenter__(self) -> Self:
        try:
            await self._connection.open()
        except BaseException:
            await self._connection.close()
            raise
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Withdraws what was submitted and has not ended, unless it is detached, and closes the connection."""
        tasks = [task for tasks in self._tasks.values() for task in tasks]
        receipts = list({task.receipt for task in tasks if not task.is_detached})
        for task in tasks:
            task.close()
        for first in range(0, len(receipts), 1000):
            try:
                await self._connection.call("receipt.cancel", {"receipts": receipts[first : first + 1000]}, within=2)
            except TintypeError:
                break
        await self._connection.close()

    # Images

    async def load(
        self, url: str | Request, *transform: Operation, output: Output | None = None, renditions: Renditions | None = None,
        **options: Unpack[RequestOptions]
    ) -> Image:
        """Loads an image and returns it when it is there.

        A load whose connection is lost is sent again, and may download again. With a `receipt` of its own the load goes on where it was.
        Cancelling the call withdraws the request.
        """
        params = request(url, transform, output, renditions, options).to_json()
        result = await self._connection.call("image.load", params, within=params.get("deadline", USUAL_DEADLINE) + MARGIN)
        return Image(result, self)

    def submit(
        self, url: str | Request, *transform: Operation, output: Output | None = None, renditions: Renditions | None = None,
        **options: Unpack[RequestOptions]
    ) -> Task:
        """Begins to load an image. The task is awaited for the image, or iterated for its events.

        Asks for progress, unless `progress=False`. Gives the request a receipt, unless it has one.
        """
        asked = request(url, transform, output, renditions, options)
        params = replace(
            asked, receipt=asked.receipt or f"py-{secrets.token_urlsafe(16)}", progress=True if asked.progress is None else asked.progress).to_json()
        within = params.get("deadline", USUAL_DEADLINE) + MARGIN
        return Task(self._connection, self, "image.submit", params, within=within, is_detached=bool(asked.detached), follow=self._follow_task)

    def task(self, receipt: str, *, within: float = 600.0) -> Task:
        """Takes up a receipt that this or another client has submitted. Cancelling the task does not cancel the receipt.

        - `within`: the seconds after which the task gives up.
        """
        return Task(self._connection, self, "receipt.get", {"receipt": receipt}, within=within, is_detached=True, follow=self._follow_task)

    async def probe(self, url: str | Request, **options: Unpack[RequestOptions]) -> Probe:
        """Describes a source, of which no more is read than the description needs."""
        params = request(url, (), None, None, options).to_json()
        answer = await self._connection.call("image.probe", params, within=params.get("deadline", USUAL_DEADLINE) + MARGIN)
        return Probe(SourceInfo.from_json(answer["source"]), answer["description"])

    async def batch(
        self, requests: Iterable[str | Request], *, mode: Literal["failFast", "settleAll"] = "settleAll", concurrency: int = 64,
        durable: bool | None = None
    ) -> Batch:
        """Begins to load many images as one group, of at most 10,000.

        With `settleAll` every request is tried; with `failFast` the first failure ends the batch.
        Requests get receipts, so that a batch whose beginning is repeated does nothing twice.
        """
        name = f"py-{secrets.token_urlsafe(12)}"
        items = [one if isinstance(one, Request) else Request(one) for one in requests]
        named = [one if one.receipt else replace(one, receipt=f"{name}.{index}") for index, one in enumerate(items)]
        params = {"items": [one.to_json() for one in named], "mode": mode, "concurrency": concurrency}
        if durable is not None:
            params["durable"] = durable
        answer = await self._connection.call("batch.start", params)
        return Batch(self._connection, self, answer["group"], len(items), concurrency, self._follow_group)

    async def prefetch(
        self, urls: Iterable[str | Request], *transform: Operation, output: Output | None = None, concurrency: int = 3,
        priority: int | Literal["low", "normal", "high"] = "low"
    ) -> Prefetch:
        """Begins to load images into the caches, a few at a time. Failures stop nothing."""
        items = [one if isinstance(one, Request) else request(one, transform, output, None, {}) for one in urls]
        params = {"items": [one.to_json() for one in items], "concurrency": concurrency, "priority": priority}
        answer = await self._connection.call("prefetch.start", params)
        return Prefetch(self._connection, answer["group"], len(items), self._follow_group)

    async def upload(self, data: bytes) -> Upload:
        """Keeps bytes at the service as a source for a while. Needs the role `put` where tokens are required."""
        answer = await self._ask_http("PUT", "/uploads", data)
        if answer.status != 201:
            raise failure(answer, "the upload")
        kept = json.loads(answer.body)
        return Upload(kept["url"], kept["bytes"], kept["sha256"], kept["expiresAt"], kept.get("contentType"))

    async def read(self, info: RenditionInfo) -> bytes:
        """Returns the bytes of a rendition, from the HTTP port."""
        answer = await self._ask_http("GET", info.url)
        if answer.status != 200:
            raise failure(answer, f"the picture {info.key}")
        return answer.body

    # The service

    def queue(self, name: str = "default") -> Queue:
        """A queue by its name."""
        return Queue(name, self.methods)

    async def ping(self) -> float:
        """Returns the seconds that the coordinator takes to answer."""
        start = time.perf_counter()
        await self._connection.call("system.ping", {})
        return time.perf_counter() - start

    @property
    def coordinator(self) -> str:
        """The address of the coordinator that is used now."""
        return str(self._connection.address)

    # Within

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        """Calls any method, with the names of the wire. `methods` has the same with types."""
        given = {name: plain(value) for name, value in params.items() if value is not None}
        within = float(given.get("wait", 0)) + (given.get("deadline", USUAL_DEADLINE) + MARGIN if method.startswith("image.") else 30.0)
        return await self._connection.call(method, given, within=within, is_repeatable=method not in _UNREPEATABLE)

    async def _ask_http(self, method: str, path: str, body: bytes | None = None) -> Answer:
        return await HTTP(self._http or await self._http_base(), self._tls, timeout=60.0).ask(method, path, self._connection.token, body)

    async def _http_base(self) -> str:
        """The HTTP port of the coordinator in use. Its host is the one that JSON-RPC uses: a coordinator may listen at 0.0.0.0."""
        info = await self._connection.call("system.info", {})
        address = self._connection.address
        host = address.host or "127.0.0.1"
        return f"{'https' if address.is_secure else 'http'}://{f'[{host}]' if ':' in host else host}:{str(info['http']).rpartition(':')[2]}"

    def _take(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "image.event":
            for task in list(self._tasks.get(params.get("receipt", ""), ())):
                task.take(params)
        elif method == "group.event":
            group = self._groups.get(params.get("group", ""))
            if group is not None:
                group.take(params)

    def _follow_task(self, task: Task, is_followed: bool) -> None:
        tasks = self._tasks.setdefault(task.receipt, [])
        if is_followed:
            tasks.append(task)
        elif task in tasks:
            tasks.remove(task)
        if not tasks:
            del self._tasks[task.receipt]

    def _follow_group(self, group: Group, is_followed: bool) -> None:
        if is_followed:
            self._groups[group.group] = group
        else:
            self._groups.pop(group.group, None)


def request(
    url: str | Request, transform: Sequence[Operation], output: Output | None, renditions: Renditions | None, options: RequestOptions
) -> Request:
    """Puts the words of a call together."""
    if isinstance(url, Request):
        if transform or output is not None or renditions is not None or options:
            raise TypeError("a Request has its operations and options itself: use dataclasses.replace to change it")
        return url
    if renditions is None:
        return Request(url, transform or None, output, **options)
    if transform:
        raise TypeError("operations belong to the renditions, where these are given")
    named = [Rendition(name, one, output) for name, one in renditions.items()] if isinstance(renditions, Mapping) else renditions
    return Request(url, renditions=named, **options)
