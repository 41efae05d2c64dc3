"""The client."""

from __future__ import annotations

import asyncio
import json
import secrets
import ssl
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Literal, Self, Unpack

from ._address import Address, addresses
from ._backoff import Backoff
from ._batch import Batch, Group, Prefetch
from ._cache import Cache
from ._connection import GRACE, Connection, Token, Trace
from ._errors import TintypeError
from ._generated import ErrorName, Methods, Operation, Output, Rendition, RenditionInfo, Request, RequestOptions, SourceInfo
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
_UNREPEATABLE = frozenset({"batch.start", "chain.append", "chain.start", "prefetch.start", "activity.begin", "events.subscribe"})
"""Methods that do more when they are called twice. Of two groups a cancel would reach one."""
_PASSING = frozenset({
    ErrorName.CONNECT, ErrorName.CONNECTION_LOST, ErrorName.OVERLOADED, ErrorName.UNAVAILABLE, ErrorName.SHUTTING_DOWN,
})
"""Errors over HTTP after which the same bytes are asked for again."""


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

    - `coordinators`: `tcp://HOST:PORT`, `tls://HOST:PORT` or `unix:///PATH`. Of several, one that answers is used; the others take over when it is gone.
    - `token`: where the operator requires one. A function is asked before each connection.
    - `tls`: how certificates of `tls://` are checked. Default: by the authorities of the system.
    - `http`: the base of the HTTP port, for the bytes of results and for uploads. Default: what the coordinator says, at its host.
    - `connect_timeout`: the seconds for a first connection, and for new tries of the HTTP port.
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
        self._http = http
        self._found: tuple[Address, str] | None = None
        """The HTTP port that a coordinator has named."""
        self._patience = connect_timeout
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
        """Closes the connection. Calls that have no answer yet, and tasks, fail with `cancelled`.

        Receipts go on in the service for 30 seconds, as after a lost connection; detached ones and groups longer.
        To withdraw a receipt, cancel its task before.
        """
        for task in [task for tasks in self._tasks.values() for task in tasks]:
            task.close()
        await self._connection.close()

    # Images

    async def load(
        self, url: str | Request, *transform: Operation, output: Output | None = None, renditions: Renditions | None = None,
        **options: Unpack[RequestOptions]
    ) -> Image:
        """Loads an image and returns it when it is there.

        A load whose connection is lost is sent again, and may download again. With a `receipt` of its own the load goes on where it was.
        A load whose repetition could do something twice gets a receipt. Cancelling the call withdraws the request.
        """
        params = request(url, transform, output, renditions, options).to_json()
        if "receipt" not in params and _has_effects(params):
            params["receipt"] = _receipt()
        try:
            result = await self._connection.call("image.load", params, within=params.get("deadline", USUAL_DEADLINE) + MARGIN)
        except asyncio.CancelledError:
            # The id of the call cancels it, but not where its connection was lost before: a receipt goes on for a while without its client.
            if "receipt" in params:
                self._connection.errand(self._connection.withdraw(params["receipt"]))
            raise
        return Image(result, self)

    def submit(
        self, url: str | Request, *transform: Operation, output: Output | None = None, renditions: Renditions | None = None,
        **options: Unpack[RequestOptions]
    ) -> Task:
        """Begins to load an image. The task is awaited for the image, or iterated for its events.

        Without `progress` the end comes alone, with perhaps a cached result and previews. Gives the request a receipt, unless it has one.
        """
        asked = request(url, transform, output, renditions, options)
        params = replace(asked, receipt=asked.receipt or _receipt()).to_json()
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
        self, requests: Iterable[str | Request], *, mode: Literal["failFast", "settleAll"] = "failFast", concurrency: int = 64,
        durable: bool | None = None
    ) -> Batch:
        """Begins to load many images as one group, of at most 10,000.

        With `failFast` the first failure ends the batch; with `settleAll` every request is tried.
        A group is not begun again once it may have arrived: after a lost answer the error is `connectionLost`.
        """
        items = _items(one if isinstance(one, Request) else Request(one) for one in requests)
        params: dict[str, Any] = {"items": items, "mode": mode, "concurrency": concurrency}
        if durable is not None:
            params["durable"] = durable
        return Batch(self._connection, self, await self._start("batch.start", params), len(items), concurrency, self._follow_group)

    async def chain(self, steps: Iterable[str | Request], *, durable: bool | None = None) -> Batch:
        """Begins to load images one after the other, and returns the chain. The first failure ends it.

        A text such as `${steps[0].source.finalURL}` in a step stands for that member of an earlier result.
        As with `batch`, a chain is not begun again once it may have arrived.
        """
        items = _items(one if isinstance(one, Request) else Request(one) for one in steps)
        params: dict[str, Any] = {"steps": items}
        if durable is not None:
            params["durable"] = durable
        return Batch(self._connection, self, await self._start("chain.start", params), len(items), 8, self._follow_group)

    async def prefetch(
        self, urls: Iterable[str | Request], *transform: Operation, output: Output | None = None, concurrency: int = 3,
        priority: int | Literal["low", "normal", "high"] = "low"
    ) -> Prefetch:
        """Begins to load images into the caches, a few at a time. Failures stop nothing.

        As with `batch`, a prefetch is not begun again once it may have arrived.
        """
        items = _items(one if isinstance(one, Request) else request(one, transform, output, None, {}) for one in urls)
        params = {"items": items, "concurrency": concurrency, "priority": priority}
        return Prefetch(self._connection, await self._start("prefetch.start", params), len(items), self._follow_group)

    async def _start(self, method: str, params: Mapping[str, Any]) -> str:
        """Starts a group. Where what awaits it is cancelled, the group is cancelled as soon as its id is there."""
        call = self._connection.call(method, params, is_repeatable=method not in _UNREPEATABLE)
        starting = asyncio.get_running_loop().create_task(call, name=f"tintype: {method}")
        try:
            group: str = (await asyncio.shield(starting))["group"]
        except asyncio.CancelledError:
            self._connection.errand(self._cancel_group(starting))
            raise
        return group

    async def _cancel_group(self, starting: asyncio.Task[Any]) -> None:
        try:
            await self._connection.call("group.cancel", {"group": (await starting)["group"]}, within=GRACE)
        except TintypeError:
            pass

    async def upload(self, data: bytes) -> Upload:
        """Keeps bytes at the service as a source for a while. Needs the role `put` where tokens are required."""
        kept = json.loads((await self._ask_http("PUT", "/uploads", "the upload", data)).body)
        return Upload(kept["url"], kept["bytes"], kept["sha256"], kept["expiresAt"], kept.get("contentType"))

    async def read(self, info: RenditionInfo) -> bytes:
        """Returns the bytes of a rendition, from the HTTP port."""
        path = info.url or (f"/images/{info.key}" if info.key else None)
        if path is None:
            raise TintypeError(ErrorName.CACHE_MISS, "the result has no key: its request keeps no bytes")
        return (await self._ask_http("GET", path, f"the picture {info.key}")).body

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

    async def _ask_http(self, method: str, path: str, what: str, body: bytes | None = None) -> Answer:
        """Asks the HTTP port, and asks again after failures that pass. The same bytes twice do no harm."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._patience
        pauses = Backoff()
        while True:
            try:
                base = self._http or await self._http_base()
                tls = self._connection.tls if base.startswith("https:") else None
                answer = await HTTP(base, tls, timeout=60.0).ask(method, path, self._token(), body)
                if answer.status in (200, 201):
                    return answer
                raise failure(answer, what)
            except TintypeError as error:
                if error.name not in _PASSING:
                    raise
                # Another coordinator may have taken over.
                self._found = None
                pause = error.retry_after if error.retry_after is not None else pauses.pause()
                if loop.time() + pause >= end:
                    raise
                await asyncio.sleep(pause)

    def _token(self) -> str | None:
        try:
            return self._connection.token
        except OSError as error:
            raise TintypeError(ErrorName.CONNECT, f"the function of the token has failed: {error}") from error

    async def _http_base(self) -> str:
        """The HTTP port of the coordinator in use. Its host is the one that JSON-RPC uses: a coordinator may listen at 0.0.0.0."""
        address = self._connection.address
        if self._found is not None and self._found[0] == address:
            return self._found[1]
        info = await self._connection.call("system.info", {})
        address = self._connection.address
        host = address.host or "127.0.0.1"
        base = f"{'https' if address.is_secure else 'http'}://{f'[{host}]' if ':' in host else host}:{str(info['http']).rpartition(':')[2]}"
        self._found = (address, base)
        return base

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


def _receipt() -> str:
    return f"py-{secrets.token_urlsafe(16)}"


def _items(requests: Iterable[Request]) -> list[dict[str, Any]]:
    """The items of a group have receipts of the client, by which the service knows them as long as other requests."""
    name = f"py-{secrets.token_urlsafe(12)}"
    return [(one if one.receipt else replace(one, receipt=f"{name}.{index}")).to_json() for index, one in enumerate(requests)]


def _has_effects(params: Mapping[str, Any]) -> bool:
    """Whether a request that is made twice could do something twice. No memory answers such a request, so that a receipt costs nothing more."""
    cache, fetch = params.get("cache", {}), params.get("fetch", {})
    return (
        cache.get("policy", "default") not in ("default", "only") or cache.get("ttl", 0) < 0 or cache.get("pin") is True
        or fetch.get("method", "GET") != "GET" or any(name in params for name in ("slot", "saveTo", "callback")))
